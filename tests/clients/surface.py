"""The part of cairn's surface that the checks lean on, in one place.

A changed operation is changed here, and nowhere else. `python3 surface.py REPO` prints it as
JSON, which is how the TypeScript client gets it.
"""

import json
import pathlib
import subprocess
import sys

FILE_TEMPLATE = "cairn://file/{+path}"
PROMPT = "before_i_edit"
INDEX_CALL = ["run", {"operation": "sync", "arguments": {}}]
LONG_CALL = ["run", {"operation": "sync", "arguments": {"full": True}}]
LISTED = ["search", "context", "impact", "verify", "work_start", "help", "ask", "run"]


def target(repo):
    """A source file of the repository, as the checks name it."""
    files = subprocess.run(
        ["git", "-C", str(repo), "ls-files"], check=True, capture_output=True, text=True
    ).stdout.split("\n")
    sources = [name for name in files if name.endswith((".ts", ".rs", ".py", ".go", ".js"))]
    if not sources:
        raise AssertionError(f"no source file that git knows in {repo}")
    return sources[0]


def surface(repo):
    """Everything the clients call, for this repository."""
    path = target(repo)
    word = pathlib.PurePosixPath(path).stem
    return {
        "listed": LISTED,
        "calls": [
            # tool, arguments, something the text must hold
            ["verify", {}, "basis"],
            ["search", {"query": word}, word],
            ["context", {"targets": [path], "budget": 800}, path],
            ["impact", {"target": path, "depth": 2}, "basis"],
            ["help", {}, "search"],
            ["help", {"operation": "search"}, "query"],
            ["ask", {"operation": "deps", "arguments": {"target": path}}, "basis"],
            ["ask", {"operation": "trace", "arguments": {"from": path, "to": path}}, "basis"],
            ["ask", {"operation": "subgraph", "arguments": {"center": path, "hops": 1}}, "basis"],
            ["get_context", {"target": path}, path],  # a seed's name, not listed
        ],
        "refusals": [
            # tool, arguments, the code that the text must hold
            ["no_such_tool", {}, "NOT_FOUND"],
            ["search", {"query": 5}, "VALIDATION_ERROR"],
            ["search", {"query": word, "no_such_argument": 1}, "VALIDATION_ERROR"],
            ["context", {"targets": ["../outside.ts"]}, "OUTSIDE_REPOSITORY"],
            ["context", {"targets": ["no/such/file.ts"]}, "NOT_FOUND"],
            ["ask", {"operation": "undo"}, "INVALID_OPERATION"],
            ["run", {"operation": "search", "arguments": {"query": word}}, "INVALID_OPERATION"],
        ],
        "long_call": LONG_CALL,
        "path": path,
        "template": FILE_TEMPLATE,
        "uri": FILE_TEMPLATE.replace("{+path}", path),
        "missing_uri": FILE_TEMPLATE.replace("{+path}", "no/such/file.ts"),
        "prompt": PROMPT,
        "prompt_arguments": {"paths": path},
    }


def small_repository(folder):
    """A repository with two files that know each other."""
    write(folder, "src/greet.ts", GREET)
    write(folder, "src/main.ts", MAIN)
    write(folder, "README.md", "# Greetings\n\nA small repository for tests.\n")
    commit(folder)


def large_repository(folder, files=4000):
    """A repository that takes a while to index, for progress and cancellation."""
    for number in range(files):
        before = f'import {{ f{number - 1} }} from "./f{number - 1}";\n' if number else ""
        body = "".join(f"  total += {line} * seed;\n" for line in range(30))
        text = f"{before}export function f{number}(seed: number) {{\n  let total = 0;\n{body}"
        write(folder, f"src/d{number // 100}/f{number}.ts", f"{text}  return total;\n}}\n")
    commit(folder)


def write(folder, name, text):
    path = pathlib.Path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def commit(folder):
    author = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
    plain = ["-c", "commit.gpgSign=false", "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "begin"]):
        subprocess.run(["git", "-C", str(folder), *author, *plain, *words], check=True)


GREET = """/** Greets people. */
export function greet(name: string): string {
  return `Hello, ${name}!`;
}
"""

MAIN = """import { greet } from "./greet";

export function main(): string {
  return greet("world");
}
"""

if __name__ == "__main__":
    print(json.dumps(surface(pathlib.Path(sys.argv[1]))))
