"""Runs every client and the conformance suite against a cairn binary.

    run.py --cairn PATH --conformance PATH --tools .tools [--repo DIR] [--only NAME,NAME]

Each script prints `ok …` or `not ok …: why` a check; the last line here adds them up. Nothing
that is started here outlives it, also when a script hangs or this one is interrupted.
"""

import argparse
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import checks
import surface
from node import node

HERE = pathlib.Path(__file__).parent
TOTAL = re.compile(r"(\d+) passed, (\d+) failed")

# A script that takes longer, in seconds, hangs.
LONGEST = 3600

# Script, what runs it.
SCRIPTS = [
    ("raw_stdio.py", "python3"),
    ("http_guard.py", "python3"),
    ("inspector.py", "python3"),
    ("python_client.py", "venv"),
    ("fastmcp_client.py", "venv"),
    ("typescript_client.mjs", "node"),
    ("conformance.py", "python3"),
]


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what we started is ended
    options = arguments()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as folder:
        if not options.repo:
            surface.small_repository(folder)
        repo = options.repo or folder
        for name, runner in chosen(options.only):
            began = time.monotonic()
            print(f"# {name}", flush=True)
            good, bad = run(command(options, name, runner, repo), home, name)
            passed, failed = passed + good, failed + bad
            print(f"# {name}: {good} passed, {bad} failed, {time.monotonic() - began:.0f} s")
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed or not passed else 0


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cairn", required=True, type=checks.absolute)
    parser.add_argument("--conformance", required=True, type=checks.absolute)
    parser.add_argument("--tools", required=True, type=checks.absolute)
    parser.add_argument("--repo", type=checks.absolute, help="a small one is made if left out")
    parser.add_argument("--only", default="", help="parts of the names of scripts to run")
    return parser.parse_args()


def chosen(only):
    wanted = [part for part in only.split(",") if part]
    return [script for script in SCRIPTS if not wanted or any(w in script[0] for w in wanted)]


def command(options, name, runner, repo):
    programs = {
        "python3": lambda: sys.executable,
        "venv": lambda: str(options.tools / "python" / "bin" / "python"),
        "node": lambda: node(options.tools),
    }
    server = ["--conformance", options.conformance]
    binary = server if name == "conformance.py" else ["--cairn", options.cairn]
    rest = ["--repo", repo, "--tools", options.tools]
    return [programs[runner](), str(HERE / name), *map(str, [*binary, *rest])]


def run(words, home, name):
    """Passes on what a script prints and returns its totals. What goes wrong counts as a failure."""
    env = {**os.environ, "HOME": home, "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}
    env.pop("CAIRN_TOKEN", None)
    process = subprocess.Popen(
        words,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    alarm = threading.Timer(LONGEST, sweep, [process])
    alarm.start()
    last, good, bad = "", 0, 0
    try:
        for line in process.stdout:
            last = line.strip() or last
            good += line.startswith("ok ")
            bad += line.startswith("not ok ")
            if not TOTAL.fullmatch(line.strip()):
                print(line, end="", flush=True)
        process.wait()
    finally:
        late = not alarm.is_alive()
        alarm.cancel()
        sweep(process)
    if late:
        print(f"not ok {name}: not done within {LONGEST} s")
        return good, bad + 1
    if not TOTAL.fullmatch(last) or (process.returncode != 0) != (bad > 0):
        print(f"not ok {name}: ended with {process.returncode} and `{last}`")
        return good, bad + 1
    return good, bad


def sweep(process):
    """Ends a script and whatever it has started: they are one group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
