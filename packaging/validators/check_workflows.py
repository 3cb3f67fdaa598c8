"""Reads every workflow, action and template in a folder: YAML that parses, scripts that bash reads, files that exist."""

import pathlib
import re
import subprocess
import sys

import yaml


def scripts(node):
    """Every text that a shell runs."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "run" and isinstance(value, str):
                yield value
            elif key == "script" and isinstance(value, list):
                yield "\n".join(value)
            else:
                yield from scripts(value)
    elif isinstance(node, list):
        for value in node:
            yield from scripts(value)


folder = pathlib.Path(sys.argv[1])
found = [path for pattern in ("*.yml", "*.yaml") for path in sorted(folder.rglob(pattern))]
if not found:
    sys.exit(f"no workflows in {folder}")
for path in found:
    document = yaml.safe_load(path.read_text())
    for script in scripts(document):
        # What a forge puts in is a word to the shell.
        plain = re.sub(r"\$\{\{.*?\}\}", "x", script)
        # A folder that went through an artifact of a workflow has lost the permission to execute its program.
        if "npm publish" in script:
            for place in re.findall(r"dist/npm/\S*", script):
                if ".tgz" not in place:
                    sys.exit(f"{path}: `{place}` is published and is no packed file")
        checked = subprocess.run(["bash", "-n"], input=plain, text=True, capture_output=True)
        if checked.returncode:
            sys.exit(f"{path}: {checked.stderr}\n{plain}")
for path in sorted(folder.rglob("*.sh")):
    checked = subprocess.run(["bash", "-n", path], capture_output=True, text=True)
    if checked.returncode:
        sys.exit(checked.stderr)
