"""Checks an extension for Gemini CLI by the rules of its loader, which has no validator of its own."""

import json
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1])
manifest = json.loads((folder / "gemini-extension.json").read_text())
problems = []
if not re.fullmatch(r"[a-zA-Z0-9-]+", manifest.get("name", "")):
    problems.append("the name may have letters, digits and dashes")
if not re.fullmatch(r"\d+\.\d+\.\d+([-+].+)?", manifest.get("version", "")):
    problems.append("the version is not semantic")
for name, server in manifest.get("mcpServers", {}).items():
    if not isinstance(server.get("command"), str) or "trust" in server:
        problems.append(f"the server {name} needs a command and may not ask for trust")
context = manifest.get("contextFileName")
if context and not (folder / context).is_file():
    problems.append(f"{context} is missing")
if problems:
    sys.exit("; ".join(problems))
