"""The FastMCP client, which many agents are built with, over stdio and HTTP."""

import asyncio
import logging
import os

os.environ.setdefault("FASTMCP_CHECK_FOR_UPDATES", "off")  # before the import, which reads it

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

import checks
import surface
from checks import TOKEN, Checks, expect

SECONDS = checks.PATIENCE


def main():
    logging.disable(logging.WARNING)  # that a tool is not listed is what an alias is about
    options = checks.arguments(__doc__)
    report = Checks()
    asyncio.run(all_ways(report, options))
    report.finish()


async def all_ways(report, options):
    known = surface.surface(options.repo)
    command, *arguments = checks.stdio_command(options.cairn, options.repo)
    with checks.http_server(options.cairn, options.repo) as address:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        ways = {
            "fastmcp stdio": StdioTransport(command, arguments, keep_alive=False),
            "fastmcp http": StreamableHttpTransport(f"{address}/mcp", headers=headers),
        }
        for way, transport in ways.items():
            with report.check(f"{way}: connect"):
                async with asyncio.timeout(SECONDS), Client(transport) as client:
                    await everyday(report, way, client, known)


async def everyday(report, way, client, known):
    with report.check(f"{way}: tools/list"):
        names = [tool.name for tool in await client.list_tools()]
        missing = [name for name in known["listed"] if name not in names]
        expect(not missing, f"{missing} are not listed; {names} are")
    for tool, arguments, part in known["calls"]:
        with report.check(f"{way}: {tool}"):
            result = await client.call_tool(tool, arguments, raise_on_error=False)
            expect(not result.is_error, text(result))
            expect(part in text(result), f"no {part!r} in {text(result)!r}")
    for tool, arguments, code in known["refusals"]:
        with report.check(f"{way}: {tool} is {code}"):
            result = await client.call_tool(tool, arguments, raise_on_error=False)
            expect(result.is_error and code in text(result), f"no {code} in {text(result)!r}")
    with report.check(f"{way}: resources/read"):
        expect((await client.read_resource(known["uri"]))[0].text, "nothing in it")
    with report.check(f"{way}: prompts/get"):
        got = await client.get_prompt(known["prompt"], known["prompt_arguments"])
        expect(known["path"] in got.messages[0].content.text, "the path is not in it")


def text(result):
    return "\n".join(getattr(block, "text", "") for block in result.content)


if __name__ == "__main__":
    main()
