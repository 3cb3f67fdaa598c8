"""The MCP Inspector's command line: the list, strictly read, and one call of every method."""

import json
import pathlib
import subprocess
import tempfile

import checks
from checks import TOKEN, Checks, expect, same
from node import node
from surface import surface

SECONDS = checks.PATIENCE
LAUNCHER = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"


def main():
    options = checks.arguments(__doc__)
    known = surface(options.repo)
    report = Checks()
    with tempfile.TemporaryDirectory() as home:
        inspector = Inspector(options.tools, home)
        server = checks.stdio_command(options.cairn, options.repo)
        config = pathlib.Path(home, "modern.json")
        entry = {"command": server[0], "args": server[1:], "protocolEra": "modern"}
        config.write_text(json.dumps({"mcpServers": {"cairn": entry}}))
        with checks.http_server(options.cairn, options.repo) as address:
            header = ["--header", f"Authorization: Bearer {TOKEN}"]
            http = ["--transport", "http", "--server-url", f"{address}/mcp", *header]
            ways = {
                "stdio legacy": ["--protocol-era", "legacy", "--", *server],
                "stdio modern": ["--config", str(config), "--server", "cairn"],
                "http legacy": ["--protocol-era", "legacy", *http],
                "http modern": ["--protocol-era", "modern", *http],
            }
            lists(report, inspector, ways, known)
            methods(report, inspector, ways, known)
        everything(report, inspector, server)
    report.finish()


class Inspector:
    def __init__(self, tools, home):
        self.tools, self.home = tools, home

    def __call__(self, way, method, *arguments):
        """One request through the way in, as the inspector's JSON. Anything it minds raises."""
        split = way.index("--") if "--" in way else len(way)
        command = [node(self.tools), str(self.tools / "node" / LAUNCHER), "--cli", "--quiet"]
        command += [*way[:split], "--method", method, *arguments, *way[split:]]
        env = checks.environment(HOME=self.home, MCP_INSPECTOR_SECRET_STORE="memory")
        done = subprocess.run(
            command, env=env, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        expect(done.returncode == 0, f"exit {done.returncode}: {done.stderr or done.stdout}")
        return json.loads(done.stdout)


def lists(report, inspector, ways, known):
    first = None
    for way, flags in ways.items():
        with report.check(f"inspector {way}: tools/list --strict"):
            tools = inspector(flags, "tools/list", "--strict")["tools"]
            names = [tool["name"] for tool in tools]
            missing = [name for name in known["listed"] if name not in names]
            expect(not missing, f"{missing} are not listed; {names} are")
            first = first or tools
            same(tools, first, "not the list of the first client")


def methods(report, inspector, ways, known):
    for way, flags in ways.items():
        with report.check(f"inspector {way}: tools/call"):
            result = inspector(flags, "tools/call", "--tool-name", "verify")
            expect(not result.get("isError"), f"verify failed: {result}")
            expect(result["content"][0]["text"], "verify said nothing")
        with report.check(f"inspector {way}: resources/list"):
            expect(isinstance(inspector(flags, "resources/list")["resources"], list), "no list")
        with report.check(f"inspector {way}: resources/templates/list"):
            listed = inspector(flags, "resources/templates/list")["resourceTemplates"]
            expect(known["template"] in [t["uriTemplate"] for t in listed], f"only {listed}")
        with report.check(f"inspector {way}: resources/read"):
            contents = inspector(flags, "resources/read", "--uri", known["uri"])["contents"]
            same(contents[0]["uri"], known["uri"], "another resource")
            expect(contents[0]["text"], "no text")
        with report.check(f"inspector {way}: prompts/list"):
            listed = inspector(flags, "prompts/list")["prompts"]
            expect(known["prompt"] in [p["name"] for p in listed], f"only {listed}")
        with report.check(f"inspector {way}: prompts/get"):
            given = [f"{name}={value}" for name, value in known["prompt_arguments"].items()]
            flag = ["--prompt-name", known["prompt"], "--prompt-args", *given]
            messages = inspector(flags, "prompts/get", *flag)["messages"]
            expect(known["path"] in messages[0]["content"]["text"], f"no path in {messages}")


def everything(report, inspector, server):
    flags = ["--toolsets", "all", "--structured"]
    with report.check("inspector stdio, all tools, structured: tools/list --strict"):
        tools = inspector(["--", *server, *flags], "tools/list", "--strict")["tools"]
        without = [tool["name"] for tool in tools if "outputSchema" not in tool]
        doors = {"ask", "run"}  # they answer with whatever they called
        expect(set(without) <= doors, f"no output schema on {without}")
    with report.check("inspector stdio, read only: tools/list --strict"):
        tools = inspector(["--", *server, "--read-only"], "tools/list", "--strict")["tools"]
        writing = [t["name"] for t in tools if not t["annotations"].get("readOnlyHint")]
        expect(not writing, f"{writing} are listed")


if __name__ == "__main__":
    main()
