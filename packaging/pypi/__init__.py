"""Starts the program `cairn`, which this package installs beside the scripts of Python."""

import os
import subprocess
import sys
import sysconfig


def find_program():
    """The path of the program, next to the interpreter's scripts or below the target folder."""
    name = "cairn.exe" if sys.platform == "win32" else "cairn"
    schemes = [sysconfig.get_path("scripts")]
    user_scheme = sysconfig.get_preferred_scheme("user") if hasattr(sysconfig, "get_preferred_scheme") else None
    if user_scheme:
        schemes.append(sysconfig.get_path("scripts", scheme=user_scheme))
    # `pip install --target` puts the scripts beside the packages.
    schemes.append(os.path.join(os.path.dirname(os.path.dirname(__file__)), "bin"))
    for folder in schemes:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"{name} is in none of {schemes}")


def main():
    """Runs the program with the arguments of this process."""
    program = find_program()
    if sys.platform == "win32":
        sys.exit(subprocess.run([program, *sys.argv[1:]]).returncode)
    os.execv(program, [program, *sys.argv[1:]])
