// Package recorder writes what the clients of a database saw, as a history for `ordeal check`.
//
//	r, err := recorder.New("history.jsonl")
//	t := r.Begin(session)                                  // one transaction after another in a session
//	v, err := t.Read("x", func() (any, error) { ... })     // nil, an int64, a string, or []int64
//	err = t.Write("x", 7, func() error { ... })            // a value that nobody else writes to x
//	t.End("ok")                                            // "abort", or "unknown": nobody knows
package recorder
import ("encoding/json"; "fmt"; "os"; "strings"; "sync"; "time")
type Recorder struct { mu sync.Mutex; file *os.File; count int; start time.Time }
type Txn struct { r *Recorder; head string; ops []string }
func New(path string) (*Recorder, error) {
	file, err := os.Create(path)
	if err == nil { _, err = fmt.Fprintln(file, `{"ordeal-history":1,"producer":"recorder.go"}`) }
	return &Recorder{file: file, start: time.Now()}, err
}
func (r *Recorder) now() int64 { return int64(time.Since(r.start)) } // monotonic
func (r *Recorder) Begin(session int) *Txn {
	r.mu.Lock(); defer r.mu.Unlock()
	r.count++
	return &Txn{r: r, head: fmt.Sprintf(`{"txn":%d,"session":%d,"at":[%d,`, r.count, session, r.now())}
}
func (t *Txn) note(kind, key, value string, from int64, err error) {
	name, _ := json.Marshal(key)
	to := "null" // if the call has failed, it has no answer
	if err == nil { to = fmt.Sprint(t.r.now()) }
	t.ops = append(t.ops, fmt.Sprintf(`{"%s":%s%s,"at":[%d,%s]}`, kind, name, value, from, to))
}
func (t *Txn) Read(key string, call func() (any, error)) (any, error) {
	from, value := t.r.now(), ""
	v, err := call()
	if text, bad := json.Marshal(v); err == nil && bad == nil { value = `,"v":` + string(text) }
	t.note("r", key, value, from, err)
	return v, err
}
func (t *Txn) put(kind, key string, v int64, call func() error) error {
	from, err := t.r.now(), call()
	t.note(kind, key, fmt.Sprintf(`,"v":%d`, v), from, err)
	return err
}
func (t *Txn) Write(key string, v int64, call func() error) error { return t.put("w", key, v, call) }
func (t *Txn) Append(key string, v int64, call func() error) error { return t.put("append", key, v, call) }
func (t *Txn) End(status string) error {
	t.r.mu.Lock(); defer t.r.mu.Unlock()
	to := fmt.Sprint(t.r.now())
	if status == "unknown" { to = "null" }
	_, err := fmt.Fprintf(t.r.file, "%s%s],\"status\":\"%s\",\"ops\":[%s]}\n", t.head, to, status, strings.Join(t.ops, ","))
	return err
}
