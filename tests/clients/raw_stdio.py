"""A client without a library, for what no library would send: broken lines, and a sudden end."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time

import checks
import surface
from checks import Checks, expect, same

SECONDS = checks.PATIENCE
MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18")
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
DEEP = b'{"jsonrpc":"2.0","id":7,"method":"ping","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
HUGE = 50 * 1024 * 1024


def main():
    options = checks.arguments(__doc__)
    report = Checks()
    with tempfile.TemporaryDirectory() as folder:
        surface.large_repository(folder)
        openings(report, options.cairn, folder)
        nonsense(report, options.cairn, options.repo)
        endings(report, options.cairn, options.repo, folder)
    report.finish()


class Raw:
    """A server on pipes, and the lines it has written."""

    def __init__(self, binary, repo, *flags):
        self.process = subprocess.Popen(
            checks.stdio_command(binary, repo, *flags),
            env=checks.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines = queue.Queue()
        self.errors, self.notes, self.strange = [], [], []
        threading.Thread(target=self.read, daemon=True).start()
        threading.Thread(target=self.note, daemon=True).start()
        self.last = 0

    def read(self):
        for line in self.process.stdout:
            try:
                message = json.loads(line)
                expect(message["jsonrpc"] == "2.0", "another version")
                if "error" in message:
                    self.errors.append(message)
                self.lines.put(message)
            except (ValueError, KeyError, TypeError, AssertionError):
                self.strange.append(line)

    def note(self):
        for line in self.process.stderr:
            self.notes.append(line)

    def send(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def start(self, method, params=None):
        """Sends a request and returns its id."""
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params or {}}
        self.send(json.dumps(message).encode())
        return self.last

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        self.send(json.dumps(message).encode())

    def answer(self, number, seconds=SECONDS):
        """The response to a request; notifications on the way are dropped."""
        return self.wait(lambda message: message.get("id") == number, seconds)

    def wait(self, wanted, seconds=SECONDS):
        until = time.monotonic() + seconds
        while True:
            try:
                message = self.lines.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no answer within {seconds} s; {self.said()}") from None
            if wanted(message):
                return message

    def ask(self, method, params=None):
        answer = self.answer(self.start(method, params))
        expect("result" in answer, f"{method} gave {answer}")
        return answer["result"]

    def initialize(self, version=LEGACY[0]):
        client = {"name": "raw", "version": "1"}
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        result = self.ask("initialize", params)
        self.notify("notifications/initialized")
        return result

    def said(self):
        return f"stderr: {checks.short(b''.join(self.notes[-3:]))}"


@contextlib.contextmanager
def raw(binary, repo, *flags):
    server = Raw(binary, repo, *flags)
    try:
        yield server
        expect(not server.strange, f"not JSON-RPC on stdout: {checks.short(server.strange)}")
    finally:
        checks.end(server.process)


def openings(report, binary, repo):
    """How a client may begin. The repository is large and was never indexed."""
    with report.check("raw: server/discover before anything is indexed"):
        with raw(binary, repo) as server:
            result = server.ask("server/discover", {"_meta": META})
            expect(MODERN in result["supportedVersions"], f"only {result['supportedVersions']}")
            expect("tools" in result["capabilities"], f"no tools in {result['capabilities']}")
    with report.check("raw: a request without a handshake"), raw(binary, repo) as server:
        result = server.ask("tools/list", {"_meta": META})
        expect(result["tools"], "no tools")
        expect("ttlMs" in result and "cacheScope" in result, "no caching hints")
    with report.check("raw: initialize after server/discover"), raw(binary, repo) as server:
        server.ask("server/discover", {"_meta": META})
        same(server.initialize()["protocolVersion"], LEGACY[0], "another version")
    for version in LEGACY:
        with report.check(f"raw: initialize {version}"), raw(binary, repo) as server:
            same(server.initialize(version)["protocolVersion"], version, "another version")
            expect(server.ask("tools/list")["tools"], "no tools")
    with report.check("raw: initialize with an unknown version"), raw(binary, repo) as server:
        expect(server.initialize("1999-01-01")["protocolVersion"] in LEGACY, "not one we know")
    with report.check("raw: a notification before the handshake"), raw(binary, repo) as server:
        server.notify("notifications/initialized")
        server.initialize()


def nonsense(report, binary, repo):
    huge = {"name": "search", "arguments": {"query": "x" * HUGE}}
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": huge}
    lines = {
        "malformed JSON": b'{"jsonrpc": "2.0", "id": 7, "method": ',
        "not JSON at all": b"hello?",
        "bytes that are not UTF-8": b'{"jsonrpc":"2.0","id":7,"method":"\xff\xfe"}',
        "very deep JSON": DEEP,
        "an argument of 50 MB": json.dumps(call).encode(),
        "an unknown method": b'{"jsonrpc":"2.0","id":7,"method":"no/such/method"}',
        "another version of JSON-RPC": b'{"jsonrpc":"1.0","id":7,"method":"ping"}',
        "no version of JSON-RPC": b'{"id":7,"method":"ping"}',
        "a batch": b'[{"jsonrpc":"2.0","id":7,"method":"ping"}]',
        "an array": b"[]",
        "a number": b"5",
        "a response nobody waits for": b'{"jsonrpc":"2.0","id":7,"result":{}}',
        "an unknown notification": b'{"jsonrpc":"2.0","method":"notifications/no_such"}',
        "an empty line": b"",
    }
    ignored = {"a response nobody waits for", "an unknown notification", "an empty line"}
    for name, line in lines.items():
        with report.check(f"raw: {name}"), raw(binary, repo) as server:
            server.initialize()
            server.send(line)
            server.ask("ping")  # whatever it was, the next request is answered
            expect(name in ignored or complained(server), "no error, and no word on stderr")
            expect(server.ask("tools/list")["tools"], "no tools afterwards")
    for name in ("malformed JSON", "very deep JSON", "bytes that are not UTF-8"):
        with report.check(f"raw: {name} before the handshake"), raw(binary, repo) as server:
            server.send(lines[name])
            server.initialize()


def complained(server):
    """Whether an error came, or a word on stderr. The two streams need not keep step."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and not (server.notes or server.errors):
        time.sleep(0.02)
    return server.notes or server.errors


def endings(report, binary, repo, large):
    with report.check("raw: ends when stdin closes, before the handshake"):
        with raw(binary, repo) as server:
            ended(server)
    with report.check("raw: ends when stdin closes"), raw(binary, repo) as server:
        server.initialize()
        ended(server)
    with report.check("raw: ends when stdin closes in the middle of a call"):
        with raw(binary, large) as server:
            server.initialize()
            busy(server)
            ended(server)
    with report.check("raw: ends on SIGTERM in the middle of a call"), raw(binary, large) as server:
        server.initialize()
        busy(server)
        server.process.send_signal(signal.SIGTERM)
        gone(server)
    with report.check("raw: ends quietly when the client is gone altogether"):
        with raw(binary, repo) as server:
            server.initialize()
            # Put in its place: a descriptor that is only closed comes back as somebody else's.
            with open(os.devnull, "rb") as nothing:
                os.dup2(nothing.fileno(), server.process.stdout.fileno())
            for _ in range(3):
                server.start("tools/list")
            ended(server)
            expect(not any(b"panicked" in note for note in server.notes), server.said())
            server.strange.clear()  # half a line, where we stopped reading
    for era, meta in (("legacy", {}), ("modern", META)):
        name = f"raw: a cancelled call stops computing and is not answered, {era}"
        with report.check(name), raw(binary, large) as server:
            if era == "legacy":
                server.initialize()
            indexed(server, meta)
            pid = server.process.pid
            start = checks.settled(pid)
            server.answer(busy(server, meta))
            whole = checks.settled(pid) - start
            number = busy(server, meta)
            start = checks.processor_time(pid)
            server.notify("notifications/cancelled", {"requestId": number, "reason": "test"})
            server.ask("tools/list", {"_meta": meta})
            used = checks.settled(pid) - start
            expect(used < whole / 2, f"used {used} ticks after it; a whole call uses {whole}")
            late = [m for m in list(server.lines.queue) if m.get("id") == number]
            expect(not late, f"answered all the same: {late}")


def indexed(server, meta):
    """Lets the index be built first, so that no work in the background looks like the call's."""
    tool, arguments = surface.INDEX_CALL
    number = server.start("tools/call", {"name": tool, "arguments": arguments, "_meta": meta})
    expect("result" in server.answer(number), "the index was not built")


def busy(server, meta=None):
    """Starts a long call and returns its id once it has reported progress."""
    tool, arguments = surface.LONG_CALL
    meta = {**(meta or {}), "progressToken": "p"}
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    number = server.start("tools/call", params)
    first = server.wait(lambda m: m.get("method") == "notifications/progress" or "id" in m)
    expect("method" in first, f"over before it could be stopped: {checks.short(first)}")
    return number


def ended(server):
    server.process.stdin.close()
    gone(server)
    same(server.process.returncode, 0, "exit code")


def gone(server):
    """The process is to end, and nothing it started may live on."""
    family = checks.children(server.process.pid)
    try:
        server.process.wait(SECONDS)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"still there after {SECONDS} s") from None
    until = time.monotonic() + SECONDS
    while living := [pid for pid in family if os.path.exists(f"/proc/{pid}")]:
        expect(time.monotonic() < until, f"left {living} behind")
        time.sleep(0.02)


if __name__ == "__main__":
    main()
