import java.io.*;
import java.util.*;
import java.util.concurrent.Callable;
/** What the clients of a database saw, as a history for `ordeal check`.
 *      Recorder recorder = new Recorder("history.jsonl");
 *      Recorder.Txn txn = recorder.begin(session);         // one transaction after another in a session
 *      Object value = txn.read("x", () -> askFor("x"));    // null, an integer, a string, a list of integers
 *      txn.write("x", 7, () -> set("x", 7));               // a value that nobody else writes to x
 *      txn.end("ok");                                      // "abort", or "unknown": nobody knows
 */
public class Recorder implements Closeable {
    private final PrintWriter file;
    private int count;
    public Recorder(String path) throws IOException {
        file = new PrintWriter(new OutputStreamWriter(new FileOutputStream(path), "UTF-8"));
        file.print("{\"ordeal-history\":1,\"producer\":\"Recorder.java\"}\n");
    }
    public synchronized Txn begin(int session) { return new Txn(++count, session); }
    @Override public synchronized void close() { file.close(); }
    static String json(Object v) { // a list prints as [1, 2]
        if (!(v instanceof String)) return String.valueOf(v);
        StringBuilder text = new StringBuilder("\"");
        for (char c : ((String) v).toCharArray())
            text.append(c < ' ' || c == '"' || c == '\\' ? String.format("\\u%04x", (int) c) : c);
        return text.append('"').toString();
    }
    public class Txn {
        private final String line;
        private final List<String> ops = new ArrayList<>();
        private final long began = System.nanoTime(); // monotonic
        Txn(int txn, int session) { line = "{\"txn\":" + txn + ",\"session\":" + session; }
        private <T> T timed(String kind, String key, String value, Callable<T> call) throws Exception {
            long from = System.nanoTime();
            String op = "{\"" + kind + "\":" + json(key) + (value == null ? "" : ",\"v\":" + value);
            ops.add(op + ",\"at\":[" + from + ",null]}"); // if the call fails, it has no answer
            T answer = call.call();
            String read = value == null ? ",\"v\":" + json(answer) : "";
            ops.set(ops.size() - 1, op + read + ",\"at\":[" + from + "," + System.nanoTime() + "]}");
            return answer;
        }
        public <T> T read(String key, Callable<T> call) throws Exception { return timed("r", key, null, call); }
        public <T> T write(String k, Object v, Callable<T> call) throws Exception { return timed("w", k, json(v), call); }
        public <T> T append(String k, long v, Callable<T> call) throws Exception { return timed("append", k, json(v), call); }
        public void end(String status) {
            String ended = status.equals("unknown") ? "null" : "" + System.nanoTime();
            String all = line + ",\"status\":" + json(status) + ",\"at\":[" + began + "," + ended + "],\"ops\":" + ops;
            synchronized (Recorder.this) { file.print(all + "}\n"); }
        }
    }
}
