"""Which Node runs the clients: the one that was installed with them, else a recent own one."""

import functools
import pathlib
import shutil
import subprocess

NEEDED = (22, 19)


@functools.cache
def node(tools):
    """The path of a Node that the inspector accepts."""
    installed = sorted(pathlib.Path(tools, "node", "node_modules").glob("node-*/bin/node"))
    for candidate in [*map(str, installed), shutil.which("node")]:
        if candidate and version(candidate) >= NEEDED:
            return candidate
    raise AssertionError(f"no Node {NEEDED[0]}.{NEEDED[1]} or newer in {tools} or on the PATH")


def version(program):
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return (0, 0)  # built for another machine
    major, minor, *_ = said.stdout.strip().removeprefix("v").split(".")
    return int(major), int(minor)
