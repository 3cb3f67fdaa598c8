#!/usr/bin/env python3
"""A trial of the agent hooks with agents: the same six tasks with the hooks and without.

    hooks_trial.py prepare FOLDER --program CAIRN --clones CLONES [--only TASK]
    hooks_trial.py check FOLDER --clones CLONES [--only TASK]
    hooks_trial.py score FOLDER --clones CLONES [--json]

`prepare` writes FOLDER/TASK/with and FOLDER/TASK/without for each task of hooks_trial.toml: `repo`, a checkout of the
parent of a real fix that has no later commits; `TASK.md`; and `agent`, the only program that an agent may use. CLONES
has a clone of each repository. Both copies have the same files and history; in `with` cairn knows what the task file
calls knowledge, and `agent` adds what the hooks say. `agent` writes every call to `log.jsonl`.

`check` makes the first edit of each real fix with a copy of `with` and prints what the hooks said.

`score` counts calls and characters, and compares the changed files with those of the fix.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
SIDES = ("without", "with")


def git(repo, *words, **more):
    done = subprocess.run(["git", "-C", repo, *words], check=True, capture_output=True, text=True, **more)
    return done.stdout


def tasks():
    with open(os.path.join(HERE, "hooks_trial.toml"), "rb") as file:
        return tomllib.load(file)["task"]


def clone_of(task, clones):
    return os.path.join(clones, task["repository"].split("/")[1])


def cairn(program, repo, home, *words):
    env = {"PATH": os.environ["PATH"], "HOME": home, "CAIRN_BACKGROUND": "off"}
    done = subprocess.run([program, *words], cwd=repo, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"cairn {' '.join(words)}\n{done.stdout}{done.stderr}")


def prepare(folder, program, clones, only):
    for task in tasks():
        if only and task["name"] not in only:
            continue
        source = clone_of(task, clones)
        parent = git(source, "rev-parse", task["fix"] + "^").strip()
        # A branch of its own, so that only commits that the parent reaches are copied.
        git(source, "branch", "-f", "trial-" + task["name"], parent)
        for side in SIDES:
            place = os.path.join(folder, task["name"], side)
            shutil.rmtree(place, ignore_errors=True)
            repo = os.path.join(place, "repo")
            os.makedirs(repo)
            git(repo, "init", "-q", "-b", "main")
            git(repo, "config", "user.name", "Trial")
            git(repo, "config", "user.email", "trial@example.org")
            git(repo, "fetch", "-q", "--no-tags", os.path.abspath(source), "trial-" + task["name"])
            git(repo, "reset", "-q", "--hard", "FETCH_HEAD")
            os.remove(os.path.join(repo, ".git", "FETCH_HEAD"))
            assert subprocess.run(["git", "-C", repo, "cat-file", "-e", task["fix"]], capture_output=True).returncode
            if side == "with":
                # Nothing that cairn keeps in the tree is part of the change.
                with open(os.path.join(repo, ".git", "info", "exclude"), "a", encoding="utf-8") as file:
                    file.write(".cairn/\n")
                cairn(program, repo, place, "work", "create", "project", task["repository"].split("/")[1])
                for known in task["knowledge"]:
                    paths = ["--paths", ",".join(known["paths"])]
                    cairn(program, repo, place, "knowledge", "create", "atom", known["name"], *paths,
                          "--knowledge", known["text"])
                # A repository in which cairn is set up has an index and has read the history.
                cairn(program, repo, place, "sync")
                cairn(program, repo, place, "overview")
            with open(os.path.join(place, "TASK.md"), "w", encoding="utf-8") as file:
                file.write(f"# {task['name']}\n{task['problem']}")
            shutil.copy(os.path.join(HERE, "hooks_trial_agent.py"), os.path.join(place, "agent"))
            os.chmod(os.path.join(place, "agent"), 0o755)
            with open(os.path.join(place, ".trial.json"), "w", encoding="utf-8") as file:
                json.dump({"hooks": side == "with", "program": program, "session": f"{task['name']}-1"}, file)
        print(task["name"], parent[:10], flush=True)


def fix_files(task, clones):
    names = git(clone_of(task, clones), "diff", "--name-only", task["fix"] + "^", task["fix"]).split()
    return [name for name in names if name not in task.get("unrelated", [])]


def is_test(name):
    return "test" in name


def check(folder, clones, only):
    """The edits of the real fix, file by file, in a copy of `with`: what the hooks say, and that `agent` works."""
    for task in tasks():
        if only and task["name"] not in only:
            continue
        place = os.path.join(folder, task["name"], "with")
        copy = os.path.join(folder, ".check")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(place, copy, symlinks=True)
        run = lambda *words, text="": subprocess.run([os.path.join(copy, "agent"), *words], input=text, text=True,
                                                     capture_output=True, check=True).stdout
        run("start")
        run("sh", "git log --oneline -3 && ls | head -5")
        for name in fix_files(task, clones):
            patch = git(clone_of(task, clones), "diff", task["fix"] + "^", task["fix"], "--", name)
            answer = run("edit", name, text=patch)
            assert answer.startswith("changed"), answer
        for entry in read_log(os.path.join(copy, "log.jsonl")):
            for said in entry["hooks"]:
                print(task["name"], entry["call"][:2], said["hook"], said["ms"], "ms", said.get("note", ""))
                if said["text"] and said["hook"] != "session-start":
                    print("   " + said["text"].replace("\n", "\n   "))
                elif said["text"]:
                    print("  ", len(said["text"]), "characters")
        shutil.rmtree(copy)


def read_log(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def score(folder, clones, as_json):
    rows = []
    for task in tasks():
        wanted = fix_files(task, clones)
        for side in SIDES:
            place = os.path.join(folder, task["name"], side)
            log = read_log(os.path.join(place, "log.jsonl"))
            repo = os.path.join(place, "repo")
            if not log:
                continue
            status = git(repo, "status", "--porcelain", "--untracked-files=all").splitlines()
            changed = [line[3:] for line in status if not line[3:].startswith(".cairn/")]
            hooks = [said for entry in log for said in entry["hooks"] if said["text"]]
            edits = [entry for entry in log if entry["call"][0] == "edit"]
            rows.append({
                "task": task["name"], "side": side, "calls": len(log), "edits": len(edits),
                "characters": sum(entry["characters"] for entry in log),
                "hook_characters": {name: sum(len(said["text"]) for said in hooks if said["hook"] == name)
                                    for name in ("session-start", "before-edit", "after-edit")},
                "hook_ms": [said["ms"] for entry in log for said in entry["hooks"] if said["ms"]],
                "seconds": round(log[-1]["at"] - log[0]["at"]),
                "wanted": wanted, "changed": changed,
                "hit": [name for name in wanted if name in changed],
                "missed": [name for name in wanted if name not in changed],
                "more": [name for name in changed if name not in wanted],
            })
    if as_json:
        return print(json.dumps(rows, indent=1))
    print("| task | hooks | calls | edits | characters | of these from hooks | files of the fix changed | other files |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        said = sum(row["hook_characters"].values())
        code = [name for name in row["wanted"] if not is_test(name)]
        code_hit = [name for name in row["hit"] if not is_test(name)]
        print(f"| {row['task']} | {row['side']} | {row['calls']} | {row['edits']} | {row['characters']:,} | {said:,} | "
              f"{len(row['hit'])} of {len(row['wanted'])} ({len(code_hit)} of {len(code)} without tests) | "
              f"{len(row['more'])} |")
    for side in SIDES:
        these = [row for row in rows if row["side"] == side]
        if these:
            print(f"| all | {side} | {sum(r['calls'] for r in these)} | {sum(r['edits'] for r in these)} | "
                  f"{sum(r['characters'] for r in these):,} | {sum(sum(r['hook_characters'].values()) for r in these):,} | "
                  f"{sum(len(r['hit']) for r in these)} of {sum(len(r['wanted']) for r in these)} | "
                  f"{sum(len(r['more']) for r in these)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["prepare", "check", "score"])
    parser.add_argument("folder")
    parser.add_argument("--program", default="cairn")
    parser.add_argument("--clones", required=True)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    folder = os.path.abspath(chosen.folder)
    if chosen.step == "prepare":
        prepare(folder, os.path.abspath(shutil.which(chosen.program) or chosen.program), chosen.clones, chosen.only)
    elif chosen.step == "check":
        check(folder, chosen.clones, chosen.only)
    else:
        score(folder, chosen.clones, chosen.json)


if __name__ == "__main__":
    main()
