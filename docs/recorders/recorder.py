"""What the clients of a database saw, as a history for `ordeal check`.

    recorder = Recorder("history.jsonl")
    txn = recorder.begin(session)                  # one transaction after another in a session
    value = txn.read("x", lambda: ask_for("x"))    # None, an integer, a string, or a list of integers
    txn.write("x", 7, lambda: set("x", 7))         # a value that nobody else writes to x
    txn.append("l", 8, lambda: push("l", 8))
    commit(); txn.end("ok")                        # "abort": rolled back; "unknown": nobody knows
"""
import json, threading, time

class Recorder:
    def __init__(self, path):
        self.file, self.lock, self.count = open(path, "w"), threading.Lock(), 0
        self.file.write('{"ordeal-history":1,"producer":"recorder.py"}\n')
    def begin(self, session):
        with self.lock:
            self.count += 1
            return Transaction(self, {"txn": self.count, "session": session})
    def close(self):
        self.file.close()

class Transaction:
    def __init__(self, recorder, line):
        self.recorder, self.line, self.ops, self.began = recorder, line, [], time.monotonic_ns()

    def timed(self, op, call):
        began = time.monotonic_ns()
        self.ops.append({**op, "at": [began, None]})  # if the call fails, it has no answer
        answer = call()
        self.ops[-1]["at"] = [began, time.monotonic_ns()]
        return answer

    def read(self, key, call):
        value = self.timed({"r": key}, call)
        self.ops[-1]["v"] = value
        return value

    def write(self, key, value, call):
        return self.timed({"w": key, "v": value}, call)

    def append(self, key, value, call):
        return self.timed({"append": key, "v": value}, call)

    def end(self, status):
        at = [self.began, None if status == "unknown" else time.monotonic_ns()]
        self.line.update(status=status, at=at, ops=self.ops)
        with self.recorder.lock:
            self.recorder.file.write(json.dumps(self.line) + "\n")
