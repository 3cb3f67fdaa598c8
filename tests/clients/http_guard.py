"""Who gets in over HTTP, on `/mcp` and `/api` alike, and what the API says to a wrong request."""

import http.client
import json
import subprocess
import urllib.parse

import checks
from checks import TOKEN, Checks, expect, same
from surface import surface

SECONDS = checks.PATIENCE
HUGE = 50 * 1024 * 1024
LIST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/list",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "guard", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}
MCP_HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/list",
}


def main():
    options = checks.arguments(__doc__)
    known = surface(options.repo)
    report = Checks()
    with checks.http_server(options.cairn, options.repo) as address:
        door = Door(address)
        guard(report, door)
        api(report, door, known)
        limits(report, door)
    with checks.http_server(options.cairn, options.repo, "--read-only") as address:
        with report.check("http read only: a write is refused"):
            status, body = Door(address).post("/api/sync", {})
            same((status, code(body)), (403, "INVALID_OPERATION"), "another answer")
    binding(report, options)
    report.finish()


class Door:
    """Plain HTTP with every header in our hands."""

    def __init__(self, address):
        self.where = urllib.parse.urlsplit(address)

    def post(self, path, body, method="POST", **headers):
        """Status and body. A header that is `None` is left out."""
        given = {
            "Host": self.where.netloc,
            "Authorization": f"Bearer {TOKEN}",
            "Content-Type": "application/json",
            **(MCP_HEADERS if path == "/mcp" else {}),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection = http.client.HTTPConnection(self.where.netloc, timeout=SECONDS)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in given.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(raw)))
            connection.endheaders()
            try:
                connection.send(raw)
            except (BrokenPipeError, ConnectionResetError):
                pass  # refused before it was read to the end; the answer is still there
            response = connection.getresponse()
            self.headers = response.headers
            return response.status, response.read()
        finally:
            connection.close()


def guard(report, door):
    port = door.where.port
    requests = {"/mcp": LIST, "/api/status": {}}
    strangers = {
        "no token": (401, {"Authorization": None}),
        "a wrong token": (401, {"Authorization": "Bearer guess"}),
        "an empty token": (401, {"Authorization": "Bearer "}),
        "a token with more behind it": (401, {"Authorization": f"Bearer {TOKEN}x"}),
        "another scheme": (401, {"Authorization": f"Basic {TOKEN}"}),
        "a foreign origin": (403, {"Origin": "http://evil.example"}),
        "the origin null": (403, {"Origin": "null"}),
        "an origin on another port": (403, {"Origin": f"http://127.0.0.1:{port + 1}"}),
        "a foreign host": (403, {"Host": "evil.example"}),
        "a foreign host on our port": (403, {"Host": f"evil.example:{port}"}),
        "a host that begins like ours": (403, {"Host": f"127.0.0.1.evil.example:{port}"}),
    }
    friends = {
        "the token": {},
        "our own origin": {"Origin": f"http://127.0.0.1:{port}"},
        "the name localhost": {"Host": f"localhost:{port}"},
    }
    for path, body in requests.items():
        for name, (wanted, headers) in strangers.items():
            with report.check(f"http {path}: {name} is {wanted}"):
                same(door.post(path, body, **headers)[0], wanted, "another status")
        for name, headers in friends.items():
            with report.check(f"http {path}: {name} is let in"):
                status, answer = door.post(path, body, **headers)
                same(status, 200, f"another status, with {checks.short(answer)}")
        with report.check(f"http {path}: a refusal names the scheme"):
            door.post(path, body, Authorization=None)
            expect("Bearer" in door.headers.get("WWW-Authenticate", ""), "no WWW-Authenticate")
    with report.check("http: no page of another site may read an answer"):
        door.post("/api/status", {})
        same(door.headers.get("Access-Control-Allow-Origin"), None, "a CORS header")


def api(report, door, known):
    with report.check("http POST /api/status"):
        status, body = door.post("/api/status", {})
        same(status, 200, "another status")
        expect({"data", "basis"} <= json.loads(body).keys(), f"only {body}")
    with report.check("http POST /api/search"):
        status, body = door.post("/api/search", {"query": known["path"]})
        same(status, 200, f"another status, with {checks.short(body)}")
    with report.check("http: an unknown operation is 404 NOT_FOUND"):
        status, body = door.post("/api/no_such_operation", {})
        same((status, code(body)), (404, "NOT_FOUND"), "another answer")
    with report.check("http: malformed JSON is 400 VALIDATION_ERROR"):
        status, body = door.post("/api/status", b'{"a": ')
        same((status, code(body)), (400, "VALIDATION_ERROR"), "another answer")
    with report.check("http: a wrong type is 400 VALIDATION_ERROR"):
        status, body = door.post("/api/search", {"query": 5})
        same((status, code(body)), (400, "VALIDATION_ERROR"), "another answer")
    with report.check("http: an unknown argument is 400 VALIDATION_ERROR"):
        status, body = door.post("/api/status", {"no_such_argument": 1})
        same((status, code(body)), (400, "VALIDATION_ERROR"), "another answer")
    with report.check("http: a path outside the repository is OUTSIDE_REPOSITORY"):
        status, body = door.post("/api/context", {"targets": ["../outside.ts"]})
        same((status, code(body)), (403, "OUTSIDE_REPOSITORY"), "another answer")
    with report.check("http: an operation for the command line alone is refused"):
        status, body = door.post("/api/init", {})
        same((status, code(body)), (403, "INVALID_OPERATION"), "another answer")
    with report.check("http: GET of an operation is 405"):
        same(door.post("/api/status", {}, method="GET")[0], 405, "another status")


def limits(report, door):
    huge = json.dumps({"query": "x" * HUGE}).encode()
    for path in ("/api/search", "/mcp"):
        with report.check(f"http {path}: a body of 50 MB is 413"):
            same(door.post(path, huge)[0], 413, "another status")
    with report.check("http: a deep body is 400"):
        deep = b'{"query": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
        same(door.post("/api/search", deep)[0], 400, "another status")
    with report.check("http: it still answers"):
        same(door.post("/api/status", {})[0], 200, "another status")


def binding(report, options):
    with report.check("http: no address but loopback without a token"):
        command = checks.stdio_command(options.cairn, options.repo, "--http", "0.0.0.0:0")
        with checks.running(command, checks.environment()) as process:
            try:
                said, _ = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                raise AssertionError("it serves") from None
            expect(process.returncode == 2, f"exit {process.returncode}: {checks.short(said)}")


def code(body):
    """The problem's code in an answer of the API."""
    return json.loads(body)["error"]["code"]


if __name__ == "__main__":
    main()
