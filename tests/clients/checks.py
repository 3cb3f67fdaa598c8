"""What the client checks share: one line a check, and servers that are gone afterwards.

Only the standard library, so that every script can use it whatever Python runs it.
"""

import argparse
import contextlib
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

TOKEN = "a-token-for-tests-0123456789abcdef"
PATIENCE = 600  # seconds: whatever takes longer hangs. No check depends on how quick a machine is.
SERVING = re.compile(rb"http://[0-9.]+:[0-9]+")


def arguments(about):
    """The command line that every script takes."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--cairn", required=True, type=absolute, help="the binary to test")
    parser.add_argument("--repo", required=True, type=absolute, help="a small git repository")
    parser.add_argument("--tools", required=True, type=absolute, help="where the clients are")
    return parser.parse_args()


def absolute(path):
    # Not resolved: a virtual environment's `python` is a link that must stay one.
    return pathlib.Path(os.path.abspath(path))


class Checks:
    """Counts checks and says how each went."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    @contextlib.contextmanager
    def check(self, name):
        """Runs the body as the check `name`; whatever it raises is why it failed."""
        started = time.monotonic()
        try:
            yield
        except Exception as error:  # one failed check must not hide the others
            self.say(name, reason(error))
        else:
            self.say(name, None, time.monotonic() - started)

    def say(self, name, failure, seconds=0.0):
        if failure is None:
            self.passed += 1
            slow = f" ({seconds:.1f} s)" if seconds >= 1 else ""
            print(f"ok {name}{slow}", flush=True)
        else:
            self.failed += 1
            print(f"not ok {name}: {failure}", flush=True)

    def finish(self):
        """Prints the last line and ends the process."""
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        sys.exit(1 if self.failed or not self.passed else 0)


def reason(error):
    """One line that says what went wrong, also when a task group has wrapped it."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    line = " ".join(str(error).split()) or type(error).__name__
    return line if isinstance(error, AssertionError) else f"{type(error).__name__}: {line}"


def expect(condition, otherwise):
    """`assert` that also holds under `python -O`."""
    if not condition:
        raise AssertionError(otherwise)


def same(left, right, what):
    expect(left == right, f"{what}: {short(left)} is not {short(right)}")


def short(value):
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"


def stdio_command(binary, repo, *flags):
    return [str(binary), "-C", str(repo), "mcp", *flags]


def environment(**extra):
    """A clean environment: nothing of the developer's own settings reaches the server."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {**kept, "NO_COLOR": "1", **extra}


@contextlib.contextmanager
def http_server(binary, repo, *flags, address="127.0.0.1:0"):
    """Serves `repo` over HTTP while the body runs."""
    command = stdio_command(binary, repo, "--http", address, *flags)
    with running(command, environment(CAIRN_TOKEN=TOKEN)) as process:
        yield Server(serving(process), process.pid)


class Server(str):
    """Where a server is, `http://host:port`, and which process it is."""

    def __new__(cls, address, pid):
        server = super().__new__(cls, address)
        server.pid = pid
        return server


@contextlib.contextmanager
def running(command, env):
    """A process that is gone afterwards. It stays in our group, which `run.py` sweeps at the end."""
    process = subprocess.Popen(
        command,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        yield process
    finally:
        end(process)


def serving(process):
    """Waits until a server says where it is, and goes on reading what it says."""
    heard, told = [], threading.Event()

    def listen():
        for line in process.stdout:
            heard.append(line)
            if SERVING.search(line):
                told.set()
        told.set()

    threading.Thread(target=listen, daemon=True).start()
    told.wait(PATIENCE)
    found = SERVING.search(b"".join(heard))
    expect(found, f"no address within {PATIENCE} s: {short(b''.join(heard))}")
    return found[0].decode()


def end(process):
    """Ends a process, politely first."""
    process.terminate()
    try:
        process.wait(3)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def children(pid):
    """The processes that `pid` has started and that still live (Linux)."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name may hold spaces and brackets; the parent is the second field after it.
            fields = entry.read_text(errors="replace").rpartition(")")[2].split()
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(entry.parent.name))
    return found


def processor_time(pid):
    """Clock ticks that a process has computed for (Linux)."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def settled(pid):
    """Waits until a process computes no more, and returns the ticks it has used by then (Linux)."""
    until = time.monotonic() + PATIENCE
    before = processor_time(pid)
    while time.monotonic() < until:
        time.sleep(0.3)
        now = processor_time(pid)
        if now - before <= 3:  # ticks of 10 ms
            return now
        before = now
    raise AssertionError(f"it still computes after {PATIENCE} s")
