#!/usr/bin/env python3
"""Runs the GitHub Action and the GitLab template of a release on a change to a repository, without GitHub and GitLab.

    try_gates.py DIST REPOSITORY FILE OLD NEW

DIST is what `cargo xtask dist` wrote. REPOSITORY is cloned; on a branch that left the default branch 40 commits ago,
OLD is replaced by NEW in FILE, and the branch is cloned with a depth of 1. Two jobs on the default branch run first and
leave a history snapshot in the cache. Then the gate runs three times on the change: twice as it is, and once with
another commit on top. There must be one comment, updated, with the findings; SARIF and HTML; and the history of the
snapshot.

The steps of `action.yml` and the lines of the template are read from their files and run by bash. What they reach is
on the loopback: a registry for npm, an interface of GitLab, and a program `gh` that keeps comments in a file.
"""

import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import yaml

from try_packages import Failure, start_registry

ROOT = Path(__file__).resolve().parents[2]
MARKER = "<!-- cairn-review -->"

# `gh api` as far as comment.sh uses it; comments are kept in $COMMENTS.
GH = r"""#!/usr/bin/env python3
import json, os, subprocess, sys
path, method, query, body, words = os.environ["COMMENTS"], "GET", None, None, sys.argv[2:]
while words:
    word = words.pop(0)
    if word == "--method": method = words.pop(0)
    elif word == "--jq": query = words.pop(0)
    elif word == "--input": body = json.load(open(words.pop(0)))
    elif word != "--paginate": address = word
comments = json.load(open(path)) if os.path.exists(path) else []
if method == "GET":
    done = subprocess.run(["jq", "-r", query], input=json.dumps(comments), text=True)
    sys.exit(done.returncode)
if method == "POST":
    assert address.endswith("/comments"), address
    comments.append({"id": 100 + len(comments), "body": body["body"], "writes": 1})
else:
    number = int(address.rsplit("/", 1)[1])
    comment = next(one for one in comments if one["id"] == number)
    comment.update(body=body["body"], writes=comment["writes"] + 1)
json.dump(comments, open(path, "w"))
"""


def sh(command, folder=None, env=None, fine=(0,)):
    """Runs a line of bash to its end and returns what it printed."""
    shell = ["bash", "-e", "-o", "pipefail", "-c", command]
    ran = subprocess.run(shell, cwd=folder, env=env, capture_output=True, text=True, timeout=900)
    if ran.returncode not in fine:
        raise Failure(f"`{command[:200]}` ended with {ran.returncode}:\n{ran.stdout[-2000:]}\n{ran.stderr[-2000:]}")
    return ran.stdout


class Change:
    """A repository with a branch that changes something, and shallow clones of it."""

    def __init__(self, folder, repository, file, old, new):
        self.folder = folder
        self.origin = folder / "origin.git"
        sh(f"git clone --quiet --bare '{repository}' '{self.origin}'")
        self.main = sh("git symbolic-ref --short HEAD", self.origin).strip()
        self.work = folder / "work"
        sh(f"git clone --quiet '{self.origin}' '{self.work}'")
        sh("git config user.name trial; git config user.email trial@example.org", self.work)
        sh("git checkout --quiet -b feature HEAD~40", self.work)
        text = (self.work / file).read_text()
        if old not in text:
            raise Failure(f"{file} does not contain {old!r}")
        (self.work / file).write_text(text.replace(old, new, 1))
        self.commit("change something")

    def commit(self, message):
        sh(f"git commit --quiet --all --allow-empty -m '{message}' && git push --quiet origin feature", self.work)

    def commit_on_main(self):
        sh(f"git switch --quiet {self.main} && git commit --quiet --allow-empty -m 'on the default branch'", self.work)
        sh(f"git push --quiet origin {self.main} && git switch --quiet feature", self.work)

    def clone(self, name, branch, depth):
        clone = self.folder / name
        options = f"--depth {depth}" if depth else ""
        sh(f"git clone --quiet {options} --branch {branch} 'file://{self.origin}' '{clone}'")
        return clone


class GitHub:
    """Runs the steps of the composite action, with stand-ins for the actions that it uses."""

    def __init__(self, folder, change, registry, fail_on):
        self.folder, self.change, self.fail_on = folder, change, fail_on
        self.cache = folder / "cache"
        self.comments = folder / "comments.json"
        tools = folder / "bin"
        tools.mkdir()
        (tools / "gh").write_text(GH)
        (tools / "gh").chmod(0o755)
        self.environment = {
            "HOME": str(folder / "home"),
            "PATH": f"{tools}:{folder}/prefix/bin:/usr/local/bin:/usr/bin:/bin",
            "npm_config_registry": registry,
            "npm_config_prefix": str(folder / "prefix"),
            "npm_config_update_notifier": "false",
            "COMMENTS": str(self.comments),
            "CI": "true",
            "LANG": "C.UTF-8",
        }
        (folder / "home").mkdir()

    def run(self, clone, is_pull_request):
        """One run; returns the exit code of the gate and the files that were uploaded."""
        action = yaml.safe_load((ROOT / ".github/actions/cairn/action.yml").read_text())
        values = {f"inputs.{name}": str(given["default"]) for name, given in action["inputs"].items()}
        values.update({
            "inputs.fail-on": self.fail_on,
            "inputs.token": "token",
            "github.sha": sh("git rev-parse HEAD", clone).strip(),
            "github.repository": "owner/name",
            "github.event.pull_request.number": "7",
            "github.event_name": "pull_request" if is_pull_request else "push",
            "github.base_ref": self.change.main if is_pull_request else "",
            "github.ref": "refs/pull/7/merge" if is_pull_request else f"refs/heads/{self.change.main}",
            "github.event.repository.default_branch": self.change.main,
        })
        runner = self.folder / "runner"
        shutil.rmtree(runner, ignore_errors=True)
        runner.mkdir()
        uploads = {}
        for step in action["runs"]["steps"]:
            if "if" in step and not evaluate(step["if"], values):
                continue
            uses = step.get("uses", "").split("@")[0]
            with_ = {key: fill(str(value), values) for key, value in step.get("with", {}).items()}
            if uses == "actions/cache":
                if self.cache.exists():
                    shutil.copytree(self.cache, clone / with_["path"], dirs_exist_ok=True)
                self.cached = clone / with_["path"]
            elif uses == "github/codeql-action/upload-sarif":
                uploads[with_["category"]] = json.loads(Path(with_["sarif_file"]).read_text())
            elif uses == "actions/upload-artifact":
                uploads[with_["name"]] = {path.name: path.read_bytes() for path in Path(with_["path"]).iterdir()}
            elif uses:
                raise Failure(f"no stand-in for {uses}")
            else:
                self.run_step(step, clone, values, runner)
        if not is_pull_request:
            shutil.copytree(self.cached, self.cache, dirs_exist_ok=True)
        return int(values["steps.gate.outputs.code"]), uploads

    def run_step(self, step, clone, values, runner):
        output, summary = runner / "output", runner / "summary"
        output.write_text("")
        environment = {
            **self.environment,
            **{name: fill(str(value), values) for name, value in step.get("env", {}).items()},
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_ACTION_PATH": str(ROOT / ".github/actions/cairn"),
            "RUNNER_TEMP": str(runner),
        }
        sh(step["run"], clone, environment, fine=(0, 1) if step["name"] == "Result" else (0,))
        for line in output.read_text().splitlines():
            name, value = line.split("=", 1)
            values[f"steps.{step['id']}.outputs.{name}"] = value


def fill(text, values):
    """Replaces `${{ … }}`."""
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: str(evaluate(found[1].strip(), values)), text)


def evaluate(expression, values):
    """An expression of a workflow, as far as the action uses them."""
    text = re.sub(r"\balways\(\)", "True", expression)
    text = text.replace("&&", " and ").replace("||", " or ")
    text = re.sub(
        r"format\('([^']*)', ([a-z_.]+)\)",
        lambda found: repr(found[1].replace("{0}", str(values.get(found[2], "")))),
        text,
    )
    names = r"\b(?:inputs|github|steps)\.[A-Za-z0-9_.-]+"
    text = re.sub(names, lambda found: repr(number(values.get(found[0], ""))), text)
    return eval(text, {"__builtins__": {}})  # noqa: S307  the text is a file of this repository


def number(value):
    return int(value) if str(value).isdigit() else value


class Notes(http.server.BaseHTTPRequestHandler):
    """The notes of a merge request, as GitLab serves them."""

    notes = []

    def answer(self, content, code=200):
        text = json.dumps(content).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def body(self):
        assert self.headers["PRIVATE-TOKEN"] == "token"
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]

    def do_GET(self):  # noqa: N802
        self.answer(self.notes)

    def do_POST(self):  # noqa: N802
        self.notes.append({"id": len(self.notes) + 1, "body": self.body(), "writes": 1})
        self.answer({}, 201)

    def do_PUT(self):  # noqa: N802
        note = next(note for note in self.notes if self.path.endswith(f"/notes/{note['id']}"))
        note.update(body=self.body(), writes=note["writes"] + 1)
        self.answer({})

    def log_message(self, *_):
        pass


class GitLab:
    """Runs the lines of the template in one shell, as a GitLab runner does."""

    def __init__(self, folder, change, registry, dist, fail_on):
        self.folder, self.change = folder, change
        self.job = yaml.safe_load((dist / "release/cairn.gitlab-ci.yml").read_text())["cairn"]
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Notes)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.environment = {
            **self.job["variables"],
            "CAIRN_FAIL_ON": fail_on,
            "HOME": str(folder / "home"),
            "PATH": f"{folder}/prefix/bin:/usr/local/bin:/usr/bin:/bin",
            "npm_config_registry": registry,
            "npm_config_prefix": str(folder / "prefix"),
            "npm_config_update_notifier": "false",
            "CI": "true",
            "LANG": "C.UTF-8",
            "CI_API_V4_URL": f"http://127.0.0.1:{server.server_address[1]}/api/v4",
            "CI_PROJECT_ID": "3",
            "CI_DEFAULT_BRANCH": change.main,
            "CAIRN_GITLAB_TOKEN": "token",
        }
        (folder / "home").mkdir()

    def run(self, clone, is_merge_request):
        environment = dict(self.environment)
        if is_merge_request:
            environment["CI_MERGE_REQUEST_IID"] = "7"
            environment["CI_MERGE_REQUEST_TARGET_BRANCH_NAME"] = self.change.main
        else:
            environment["CI_COMMIT_BRANCH"] = self.change.main
        for path in self.job["cache"]["paths"]:
            if (self.folder / path).exists():
                shutil.copytree(self.folder / path, clone / path)
        script = self.folder / "script.sh"
        script.write_text("set -eo pipefail\n" + "\n".join(self.job["script"]) + "\n")
        ran = subprocess.run(["bash", str(script)], cwd=clone, env=environment, capture_output=True, text=True)
        if ran.returncode not in (0, 1):
            raise Failure(f"the job ended with {ran.returncode}:\n{ran.stdout[-2000:]}\n{ran.stderr[-2000:]}")
        for path in self.job["cache"]["paths"]:
            if (clone / path).exists():
                shutil.rmtree(self.folder / path, ignore_errors=True)
                shutil.copytree(clone / path, self.folder / path)
                if any(one.is_dir() for one in (self.folder / path).iterdir()):
                    raise Failure("a cache was copied into itself")
        reports = {path.name: path.read_bytes() for path in (clone / "cairn-reports").iterdir()}
        return ran.returncode, {
            "cairn-verify": json.loads(reports["verify.sarif"]),
            "cairn-review": json.loads(reports["review.sarif"]),
            "cairn-reports": reports,
        }


def check_run(name, code, uploads, comments, writes):
    """The gate stopped the change, said why once, and left its reports."""
    if code != 1:
        raise Failure(f"{name}: the gate ended with {code}")
    for kind in ("cairn-verify", "cairn-review"):
        if uploads[kind]["version"] != "2.1.0":
            raise Failure(f"{name}: {kind} is not SARIF")
    if not uploads["cairn-review"]["runs"][0]["results"]:
        raise Failure(f"{name}: the review found nothing")
    html = uploads["cairn-reports"].get("review.html", b"")
    if not html.lower().startswith(b"<!doctype html>"):
        raise Failure(f"{name}: no HTML report")
    own = [comment for comment in comments if comment["body"].startswith(MARKER)]
    if len(own) != 1 or own[0]["writes"] != writes:
        raise Failure(f"{name}: {len(own)} comments of cairn, written {[one['writes'] for one in own]} times")
    if "`review`: 1 file changed since " not in own[0]["body"]:
        raise Failure(f"{name}: more than the change was reviewed:\n{own[0]['body']}")
    print(f"{name}: stopped, 1 comment written {writes} times, {len(own[0]['body'])} characters", flush=True)


def commits_known(clone, file, program):
    """How many commits of a file the history in a clone knows."""
    said = sh(f"'{program}' history cochange '{file}'", clone)
    return int(re.search(r"\((\d+) commits analyzed\)", said)[1])


def main():
    dist, repository, file, old, new = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), *sys.argv[3:6]
    registry = start_registry(dist)
    program = next((dist / "npm").glob("cairn-code-linux-*/cairn"))
    with tempfile.TemporaryDirectory(prefix="cairn-gates-") as temporary:
        for forge in ("GitHub", "GitLab"):
            folder = Path(temporary) / forge
            folder.mkdir()
            change = Change(folder, repository, file, old, new)
            if forge == "GitHub":
                gate = GitHub(folder, change, registry, "warning")
                comments = lambda: json.loads(gate.comments.read_text())
            else:
                gate = GitLab(folder, change, registry, dist, "warning")
                comments = lambda: Notes.notes
            code, _ = gate.run(change.clone("main", change.main, 0), False)
            change.commit_on_main()
            again, _ = gate.run(change.clone("main-again", change.main, 1), False)
            print(f"{forge}: the default branch ended with {code}, and after a commit with {again}", flush=True)
            for round_ in (1, 2, 3):
                if round_ == 3:
                    change.commit("one more commit")
                clone = change.clone(f"clone{round_}", "feature", 1)
                code, uploads = gate.run(clone, True)
                check_run(f"{forge}, run {round_}", code, uploads, comments(), round_)
            bare = change.clone("bare", "feature", 1)
            print(
                f"{forge}: commits of {file} known with the snapshot {commits_known(clone, file, program)}, "
                f"in a shallow clone without it {commits_known(bare, file, program)}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"FAILED: {failure}")
