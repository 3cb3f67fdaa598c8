#!/usr/bin/env python3
"""The only tool of an agent under trial, see hooks_trial.py.

    ./agent start                    begin, once
    ./agent sh 'COMMAND'             a command that only reads: grep, sed -n, cat, ls, find, git log/show/blame/grep ...
    ./agent edit FILE < CHANGE       change a file; CHANGE is a unified diff, or blocks of

        <<<<<<< OLD
        text as it is now
        =======
        text as it should be
        >>>>>>> NEW

    or, for a file that does not exist yet, its whole text.

Commands run in `repo`, and FILE is below it. Nothing can be compiled or run.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.join(HERE, "repo")
READERS = {"rg", "grep", "egrep", "fgrep", "sed", "cat", "ls", "head", "tail", "wc", "find", "nl", "sort", "uniq",
           "cut", "tr", "git", "echo", "pwd", "true"}
GIT_READERS = {"log", "show", "blame", "grep", "ls-files", "status", "diff", "ls-tree", "rev-parse"}
FORBIDDEN = {"sed": r"^(-[a-zA-Z]*i|--in-place|.*(^|;)[0-9,$]*[wWe]( |$))", "find": r"^-(exec|delete|ok|fprint|fls)",
             "sort": r"^(-o|--output)", "rg": r"^--pre", "git": r"^(--output|--ext-diff|-O)"}
MAX_CHARACTERS = 30_000
BLOCK = re.compile(r"^<{7} OLD\n(.*?)^={7}\n(.*?)^>{7} NEW[ ]*$", re.S | re.M)


def settings():
    with open(os.path.join(HERE, ".trial.json"), encoding="utf-8") as file:
        return json.load(file)


def refusal(command):
    """Why a command is not run; None if it only reads."""
    if re.search(r"`|\$\(|<\(", re.sub(r"'[^']*'", "", command)):
        return "no substitutions"
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars="|&;<>()\n")
        lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
        words = list(lexer)
    except ValueError as problem:
        return str(problem)
    first, name = True, ""
    for at, word in enumerate(words):
        if set(word) <= set("|&;\n"):
            first = True
        elif set(word) <= set("<>()") and word:
            if word not in (">", ">&") or words[at + 1:at + 2] not in (["/dev/null"], ["1"]):
                return "no redirections"
        elif first:
            first, name = False, word
            if name not in READERS:
                return f"`{name}` is not one of the commands that only read: {', '.join(sorted(READERS))}"
            if name == "git" and (words[at + 1:] or [""])[0] not in GIT_READERS:
                return f"git only with {', '.join(sorted(GIT_READERS))}"
        elif name in FORBIDDEN and re.search(FORBIDDEN[name], word):
            return f"`{word}` could write"
        elif word != "/dev/null" and leads_outside(word):
            return f"`{word}` is outside of the repository"
    return None


def leads_outside(word):
    """Whether a word is a path that leaves the checkout."""
    if re.search(r"(^|/)\.\.(/|$)", word):
        return True
    return word.startswith(("/", "~")) and len(word) > 1 and os.path.exists(os.path.expanduser(word.split("*")[0]))


def run_shell(command):
    reason = refusal(command)
    if reason:
        return f"refused: {reason}\n"
    env = {"PATH": os.environ["PATH"], "HOME": HERE, "GIT_PAGER": "cat", "LC_ALL": "C.UTF-8",
           "GIT_OPTIONAL_LOCKS": "0", "GIT_CEILING_DIRECTORIES": HERE}
    done = subprocess.run(["bash", "-c", command], cwd=REPO, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    text = done.stdout.decode(errors="replace")
    if len(text) > MAX_CHARACTERS:
        text = text[:MAX_CHARACTERS] + f"\n… cut after {MAX_CHARACTERS} characters\n"
    return text if done.returncode in (0, 1) else f"{text}exit code {done.returncode}\n"


def changed_text(path, change):
    """The new text of a file, or None and the reason."""
    exists = os.path.exists(path)
    old = open(path, encoding="utf-8").read() if exists else ""
    blocks = BLOCK.findall(change)
    if blocks:
        for before, after in blocks:
            if old.count(before) != 1:
                return None, f"the old text occurs {old.count(before)} times, it has to occur once:\n{before}"
            old = old.replace(before, after)
        return old, ""
    if re.search(r"^@@ ", change, re.M):
        body = change[re.search(r"^@@ ", change, re.M).start():]
        if not body.endswith("\n"):
            body += "\n"
        name = os.path.relpath(path, REPO)
        patch = f"--- a/{name}\n+++ b/{name}\n{body}"
        for tool in (["git", "apply", "--recount", "--whitespace=nowarn", "-"], ["patch", "-p1", "-s", "--no-backup-if-mismatch", "-r", "-"]):
            done = subprocess.run(tool, cwd=REPO, input=patch.encode(), capture_output=True)
            if done.returncode == 0:
                new = open(path, encoding="utf-8").read()
                open(path, "w", encoding="utf-8").write(old)
                return new, ""
        open(path, "w", encoding="utf-8").write(old)
        return None, "the patch does not apply: " + (done.stderr + done.stdout).decode(errors="replace")
    if exists:
        return None, "the file exists; give a unified diff, or blocks with OLD and NEW"
    return change, ""


def edit(name, change):
    path = os.path.normpath(os.path.join(REPO, name))
    if not path.startswith(REPO + os.sep) or "/.git/" in path or "/.cairn/" in path:
        return f"refused: {name} is not a file of the repository\n", []
    new, reason = changed_text(path, change)
    if new is None:
        return f"not changed: {reason}\n", []
    # The program asks before it edits, with the input of its tool, and again after it.
    tool = {"tool_name": "Edit", "tool_input": {"file_path": path}}
    said = [hook("before-edit", "PreToolUse", tool, 10)]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(new)
    said.append(hook("after-edit", "PostToolUse", tool | {"tool_response": {"filePath": path}}, 10))
    return f"changed {name}\n", said


def hook(name, event, more, limit):
    """What a hook says to the agent, as its program would pass it on."""
    chosen = settings()
    if not chosen["hooks"]:
        return {"hook": name, "text": "", "ms": 0}
    reported = {"session_id": chosen["session"], "cwd": REPO, "hook_event_name": event} | more
    env = {"PATH": os.environ["PATH"], "HOME": HERE, "CAIRN_BACKGROUND": "off"}
    began = time.monotonic()
    try:
        done = subprocess.run([chosen["program"], "hook", name, "--event", "-"], cwd=REPO, env=env,
                              input=json.dumps(reported).encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              timeout=limit)
        reply = done.stdout.decode() if done.returncode == 0 else ""
        note = "" if done.returncode == 0 else f"exit code {done.returncode}"
    except subprocess.TimeoutExpired:
        reply, note = "", "out of time"
    text = json.loads(reply)["hookSpecificOutput"]["additionalContext"] if reply.strip() else ""
    return {"hook": name, "text": text, "ms": round((time.monotonic() - began) * 1000), "note": note}


def main():
    words = sys.argv[1:]
    began, said = time.time(), []
    if words == ["start"]:
        with open(os.path.join(HERE, "TASK.md"), encoding="utf-8") as file:
            answer = file.read() + __doc__
        said = [hook("session-start", "SessionStart", {"source": "startup"}, 20)]
    elif words[:1] == ["sh"] and len(words) == 2:
        answer = run_shell(words[1])
    elif words[:1] == ["edit"] and len(words) == 2:
        change = sys.stdin.read()
        answer, said = edit(words[1], change)
        words.append(change)
    else:
        answer = __doc__
    shown = answer + "".join("\n" + one["text"] for one in said if one["text"])
    entry = {"at": round(began, 3), "call": words, "characters": len(shown), "seconds": round(time.time() - began, 3),
             "hooks": said, "output": shown}
    with open(os.path.join(HERE, "log.jsonl"), "a", encoding="utf-8") as log:
        log.write(json.dumps(entry) + "\n")
    sys.stdout.write(shown)


if __name__ == "__main__":
    main()
