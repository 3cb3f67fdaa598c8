#!/usr/bin/env python3
"""Installs every package of `target/dist` into an empty home and asks it one question.

    try_packages.py DIST REPOSITORY [--only NAME] [--json FILE] [--cargo-install]

DIST is what `cargo xtask dist` wrote, REPOSITORY any git repository; it is cloned, not changed. For each package:
an empty home, the package manager's own command with the built file, the first answer, `init` twice, `uninstall
--purge`, and the manager's own removal. Reported are the seconds from the start of the installation to the end of the
first answer, whether the second `init` changed a byte, and what is left in the end.

npm packages come from a registry on the loopback that serves the built files; nothing else is reachable for npm.
"""

import argparse
import base64
import hashlib
import http.server
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile
from pathlib import Path

INIT = ["init", "--agents", "claude,codex", "--agent-hooks"]


class Failure(Exception):
    """A package does not do what it should."""


def digest_of_tree(root, leave_out=()):
    """Every file below a folder with a digest of its bytes."""
    found = {}
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if str(Path(folder, name).relative_to(root)) not in leave_out)
        for name in files:
            path = Path(folder, name)
            content = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
            found[str(path.relative_to(root))] = hashlib.sha256(content).hexdigest()
    return found


class Trial:
    """One package in one empty home."""

    def __init__(self, name, dist, repository, registry):
        self.name = name
        self.dist = dist
        self.registry = registry
        self.folder = Path(tempfile.mkdtemp(prefix=f"cairn-trial-{name}-"))
        self.home = self.folder / "home"
        self.home.mkdir()
        self.repository = self.folder / "repository"
        clone = ["git", "clone", "--quiet", str(repository), str(self.repository)]
        subprocess.run(clone, check=True)
        # Sample hooks and packed refs are git's; only what is added later counts.
        self.before = self.repository_files()

    def environment(self, path=()):
        folders = [str(folder) for folder in path] + ["/usr/local/bin", "/usr/bin", "/bin"]
        return {
            "HOME": str(self.home),
            "PATH": os.pathsep.join(folders),
            "LANG": "C.UTF-8",
            "CI": "true",
            "GIT_AUTHOR_NAME": "trial",
            "GIT_AUTHOR_EMAIL": "trial@example.org",
            "npm_config_registry": self.registry,
            "npm_config_update_notifier": "false",
            "UV_PYTHON": sys.executable,
            "UV_PYTHON_DOWNLOADS": "never",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.dist / "pypi"),
        }

    def run(self, command, path=(), folder=None, text=None):
        """Runs a command to its end and returns what it printed."""
        ran = subprocess.run(
            [str(part) for part in command],
            cwd=folder or self.repository,
            env=self.environment(path),
            input=text,
            stdin=None if text is not None else subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=1800,
        )
        if ran.returncode != 0:
            shown = " ".join(str(part) for part in command)
            raise Failure(f"`{shown}` ended with {ran.returncode}:\n{ran.stdout[-1500:]}\n{ran.stderr[-1500:]}")
        return ran.stdout

    def repository_files(self):
        """The files of the repository, without git's own book-keeping of the index and of reads."""
        files = digest_of_tree(self.repository)
        return {path: digest for path, digest in files.items() if path not in (".git/index", ".git/config")}

    def close(self):
        # Caches of Go and npm may be read-only.
        subprocess.run(["chmod", "-R", "u+w", str(self.folder)], check=False)
        shutil.rmtree(self.folder)


def check_answer(text):
    """The first answer names the repository and its files."""
    if " files (" not in text or "Next steps" not in text:
        raise Failure(f"not an overview:\n{text[:600]}")


def use(trial, command, path, started):
    """The first answer, `init` twice and `uninstall` with an installed program."""
    check_answer(trial.run(command, path))
    row = {"seconds": time.monotonic() - started}
    trial.run([*command, *INIT], path)
    once = trial.repository_files()
    if once == trial.before:
        raise Failure("`init` wrote nothing")
    trial.run([*command, *INIT], path)
    twice = trial.repository_files()
    row["second_init"] = sorted(
        path for path in once.keys() | twice.keys()
        if not path.startswith((".git/cairn/", ".cairn/cache/")) and once.get(path) != twice.get(path)
    )
    trial.run([*command, "uninstall", "--purge"], path)
    after = trial.repository_files()
    row["left_in_repository"] = sorted(
        path for path in after.keys() | trial.before.keys() if after.get(path) != trial.before.get(path)
    )
    return row


def try_npx(trial):
    """`npx cairn-code`, with nothing installed."""
    started = time.monotonic()
    row = use(trial, ["npx", "--yes", "cairn-code"], (), started)
    trial.run(["npm", "cache", "clean", "--force"])
    return row


def try_npm(trial):
    """`npm install -g cairn-code`."""
    prefix = trial.home / "prefix"
    started = time.monotonic()
    install = ["npm", "install", "--global", "--prefix", prefix, "--no-audit", "--no-fund", "cairn-code"]
    trial.run(install)
    row = use(trial, ["cairn"], (prefix / "bin",), started)
    trial.run(["npm", "uninstall", "--global", "--prefix", prefix, "cairn-code"])
    row["left_of_package"] = sorted(digest_of_tree(prefix))
    return row


def uv(name):
    found = shutil.which(name) or str(Path(sys.executable).with_name(name))
    if not Path(found).exists():
        raise Failure(f"{name} is not installed")
    return found


def built_wheels(trial):
    """Options that let uv see the built wheels and no index."""
    return ["--quiet", "--no-index", "--find-links", trial.dist / "pypi"]


def try_uvx(trial):
    """`uvx cairn-code`, with nothing installed."""
    started = time.monotonic()
    return use(trial, [uv("uvx"), *built_wheels(trial), "cairn-code"], (), started)


def try_uv_tool(trial):
    """`uv tool install cairn-code`."""
    started = time.monotonic()
    trial.run([uv("uv"), "tool", "install", *built_wheels(trial), "cairn-code"])
    row = use(trial, ["cairn"], (trial.home / ".local/bin",), started)
    trial.run([uv("uv"), "tool", "uninstall", "--quiet", "cairn-code"])
    left = digest_of_tree(trial.home, leave_out=(".cache",))
    row["left_of_package"] = sorted(path for path in left if "cairn" in path)
    return row


def try_pip(trial):
    """`pip install cairn-code` in a fresh environment."""
    venv = trial.home / "venv"
    trial.run([sys.executable, "-m", "venv", venv])
    bare = digest_of_tree(venv)
    started = time.monotonic()
    trial.run([venv / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "cairn-code"])
    row = use(trial, ["cairn"], (venv / "bin",), started)
    check_answer(trial.run([venv / "bin/python", "-m", "cairn_code"]))
    trial.run([venv / "bin/cairn", "uninstall", "--purge"])
    trial.run([venv / "bin/pip", "uninstall", "--quiet", "--yes", "cairn-code"])
    left = digest_of_tree(venv)
    row["left_of_package"] = sorted(path for path in left if path not in bare and "__pycache__" not in path)
    return row


def try_archive(trial):
    """The archive, unpacked by hand."""
    archive = one_file(trial.dist / "release", "cairn-*-linux-gnu.tar.gz")
    started = time.monotonic()
    with tarfile.open(archive) as packed:
        packed.extractall(trial.home, filter="data")
    folder = one_file(trial.home, "cairn-*")
    row = use(trial, ["cairn"], (folder,), started)
    shutil.rmtree(folder)
    row["left_of_package"] = sorted(digest_of_tree(trial.home))
    return row


def try_homebrew(trial):
    """The formula, carried out by a stand-in for Homebrew: checksum, `install` and `test`."""
    if not shutil.which("ruby"):
        raise Failure("ruby is not installed")
    prefix = trial.home / "prefix"
    started = time.monotonic()
    driver = Path(__file__).with_name("formula.rb")
    formula = trial.dist / "homebrew/cairn.rb"
    trial.run(["ruby", driver, formula, trial.dist / "release", prefix])
    row = use(trial, ["cairn"], (prefix / "bin",), started)
    for path in ("share/man/man1/cairn.1", "share/bash-completion/completions/cairn"):
        if not (prefix / path).is_file():
            raise Failure(f"the formula did not install {path}")
    shutil.rmtree(prefix)
    row["left_of_package"] = sorted(digest_of_tree(trial.home))
    return row


def try_bundle(trial):
    """The MCPB bundle, unpacked and started as a client does."""
    bundle = one_file(trial.dist / "release", "cairn-mcp-*-linux-gnu.mcpb")
    folder = trial.home / "bundle"
    started = time.monotonic()
    with zipfile.ZipFile(bundle) as packed:
        for entry in packed.infolist():
            path = Path(packed.extract(entry, folder))
            path.chmod(entry.external_attr >> 16 or 0o644)
    server = json.loads((folder / "manifest.json").read_text())["server"]["mcp_config"]
    fill = lambda text: text.replace("${__dirname}", str(folder)).replace(
        "${user_config.repository}", str(trial.repository)
    )
    row = ask_server(trial, [fill(server["command"]), *map(fill, server["args"])], trial.home, started)
    shutil.rmtree(folder)
    row["left_of_package"] = sorted(digest_of_tree(trial.home))
    return row


def try_plugin(trial):
    """The agent plugins: the server that `mcp.json` names, and the hooks, in an empty home."""
    plugin = trial.dist / "plugin"
    server = json.loads((plugin / ".mcp.json").read_text())["mcpServers"]["cairn"]
    started = time.monotonic()
    row = ask_server(trial, [server["command"], *server["args"]], trial.repository, started)
    if (plugin / "hooks").exists():
        raise Failure("the plugin switches hooks on by itself")
    hooks = json.loads((plugin / "cairn-hooks/hooks/hooks.json").read_text())["hooks"]
    command = hooks["SessionStart"][0]["hooks"][0]["command"]
    event = json.dumps({"session_id": "trial", "hook_event_name": "SessionStart", "cwd": str(trial.repository)})
    if trial.run(["sh", "-c", command], text=event):
        raise Failure("the hook spoke although `cairn` is not on the PATH")
    return row


def try_claude(trial):
    """The agent plugin, installed with Claude Code's own command and removed again."""
    launcher = os.environ.get("CLAUDE_LAUNCHER")
    if not launcher:
        raise Failure("CLAUDE_LAUNCHER names no Claude Code")
    claude = ["node", launcher]
    started = time.monotonic()
    trial.run([*claude, "plugin", "marketplace", "add", trial.dist / "plugin"])
    trial.run([*claude, "plugin", "install", "cairn@cairn"])
    trial.run([*claude, "plugin", "install", "cairn-hooks@cairn"])
    listed = trial.run([*claude, "plugin", "list"])
    if "cairn@cairn" not in listed or "cairn-hooks@cairn" not in listed:
        raise Failure(f"not listed: {listed}")
    row = try_plugin(trial)
    row["seconds"] = time.monotonic() - started
    trial.run([*claude, "plugin", "uninstall", "cairn-hooks@cairn"])
    trial.run([*claude, "plugin", "uninstall", "cairn@cairn"])
    trial.run([*claude, "plugin", "marketplace", "remove", "cairn"])
    row["left_of_package"] = sorted(
        path for path in digest_of_tree(trial.home / ".claude")
        if "cairn" in path and not path.startswith("plugins/cache")
    )
    return row


def try_gemini(trial):
    """The extension for Gemini CLI: the server that it names."""
    server = json.loads((trial.dist / "gemini/gemini-extension.json").read_text())["mcpServers"]["cairn"]
    return ask_server(trial, [server["command"], *server["args"]], trial.repository, time.monotonic())


def try_cargo(trial):
    """`cargo install` of the packaged crates. The registry of this machine's cargo is used for what they depend on."""
    root = trial.home / "cargo"
    started = time.monotonic()
    environment = {**os.environ, "CARGO_TARGET_DIR": str(trial.dist / "cargo-install")}
    environment.pop("CARGO", None)
    crate = trial.dist / "crates/crates/cairn"
    install = ["cargo", "install", "--locked", "--offline", "--path", str(crate), "--root", str(root)]
    if subprocess.run(install, env=environment, cwd=trial.dist / "crates").returncode != 0:
        raise Failure("`cargo install` failed")
    row = use(trial, ["cairn"], (root / "bin",), started)
    subprocess.run(["cargo", "uninstall", "cairn-code", "--root", str(root)], check=True)
    row["left_of_package"] = sorted(path for path in digest_of_tree(root) if not path.startswith(".crates"))
    return row


def ask_server(trial, command, folder, started):
    """Speaks MCP to a server: the handshake, the list of tools, and the overview."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=trial.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    number = 0

    def ask(method, params):
        nonlocal number
        number += 1
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        while True:
            line = process.stdout.readline()
            if not line:
                raise Failure(f"the server ended: {process.stderr.read()[-1500:]}")
            reply = json.loads(line)
            if reply.get("id") == number:
                if "error" in reply:
                    raise Failure(f"{method}: {reply['error']}")
                return reply["result"]

    try:
        client = {"name": "trial", "version": "1"}
        ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        process.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        tools = [tool["name"] for tool in ask("tools/list", {})["tools"]]
        if "context" not in tools:
            raise Failure(f"no tool `context` among {tools}")
        answer = ask("tools/call", {"name": "context", "arguments": {"targets": ["."]}})
        text = "".join(part.get("text", "") for part in answer["content"])
        if answer.get("isError") or len(text) < 200:
            raise Failure(f"no answer: {text[:600]}")
        after = trial.repository_files()
        left = [
            path for path in after.keys() | trial.before.keys()
            if after.get(path) != trial.before.get(path) and not path.startswith((".cairn/cache/", ".git/cairn/"))
        ]
        return {
            "seconds": time.monotonic() - started,
            "tools": len(tools),
            "characters": len(text),
            "written_besides_the_cache": sorted(left),
        }
    finally:
        process.stdin.close()
        process.wait(timeout=60)


def one_file(folder, pattern):
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise Failure(f"{len(found)} files are {folder}/{pattern}")
    return found[0]


class Registry(http.server.BaseHTTPRequestHandler):
    """As much of an npm registry as `npm install` needs, for the built packages."""

    packages = {}

    def do_GET(self):  # noqa: N802
        name = self.path.lstrip("/").split("?")[0]
        if name in self.packages:
            manifest, tarball = self.packages[name]
            content = tarball.read_bytes()
            address = f"http://{self.headers['Host']}/-/{tarball.name}"
            integrity = "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()
            version = {**manifest, "dist": {"tarball": address, "integrity": integrity}}
            packument = {
                "name": name,
                "dist-tags": {"latest": manifest["version"]},
                "versions": {manifest["version"]: version},
            }
            return self.send(200, json.dumps(packument).encode(), "application/json")
        for _, tarball in self.packages.values():
            if name == f"-/{tarball.name}":
                return self.send(200, tarball.read_bytes(), "application/octet-stream")
        return self.send(404, b'{"error":"not found"}', "application/json")

    def send(self, code, content, kind):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def start_registry(dist):
    """Packs the npm packages and serves them; returns the address."""
    packed = dist / "npm"
    for manifest in sorted(packed.glob("*/package.json")):
        content = json.loads(manifest.read_text())
        subprocess.run(
            ["npm", "pack", "--silent", "--pack-destination", str(packed)],
            cwd=manifest.parent,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        Registry.packages[content["name"]] = (content, packed / f"{content['name']}-{content['version']}.tgz")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/"


TRIALS = {
    "npx": try_npx,
    "npm": try_npm,
    "uvx": try_uvx,
    "uv-tool": try_uv_tool,
    "pip": try_pip,
    "archive": try_archive,
    "homebrew": try_homebrew,
    "mcpb": try_bundle,
    "plugin": try_plugin,
    "claude": try_claude,
    "gemini": try_gemini,
    "cargo": try_cargo,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dist", type=Path)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--only", action="append", choices=TRIALS)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    dist = args.dist.resolve()
    registry = start_registry(dist)
    default = [name for name in TRIALS if name != "cargo"]
    rows, failed = {}, False
    for name in args.only or default:
        trial = Trial(name, dist, args.repository.resolve(), registry)
        try:
            rows[name] = TRIALS[name](trial)
            wrong = {key: value for key, value in rows[name].items() if isinstance(value, list) and value}
            failed |= bool(wrong)
            print(f"{name:10} {rows[name]['seconds']:7.2f} s  {wrong or 'nothing left'}", flush=True)
        except Failure as failure:
            rows[name] = {"failure": str(failure)}
            failed = True
            print(f"{name:10} FAILED: {failure}", flush=True)
        finally:
            trial.close()
    if args.json:
        args.json.write_text(json.dumps(rows, indent=2, sort_keys=True) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
