"""The official Python client in every mode, over stdio and HTTP."""

import functools
import logging
import os
import tempfile

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import PromptReference, ResourceTemplateReference

import checks
import surface
from checks import TOKEN, Checks, expect, same

MODES = ("auto", "legacy", "2026-07-28")
SECONDS = checks.PATIENCE  # for one check


def main():
    logging.disable(logging.WARNING)  # that a tool is not listed is what an alias is about
    options = checks.arguments(__doc__)
    report = Checks()
    anyio.run(functools.partial(all_ways, report, options))
    report.finish()


async def all_ways(report, options):
    known = surface.surface(options.repo)
    stdio = functools.partial(stdio_target, options.cairn)
    with checks.http_server(options.cairn, options.repo) as address:
        for mode in MODES:
            await everyday(report, f"python {mode} stdio", stdio(options.repo), mode, known)
            await everyday(report, f"python {mode} http", http_target(address), mode, known)
    for mode in ("legacy", "2026-07-28"):
        target = stdio(options.repo, "--toolsets", "all", "--structured")
        await structured(report, f"python {mode} structured", target, mode, known)
    with tempfile.TemporaryDirectory() as folder:
        surface.large_repository(folder)
        with checks.http_server(options.cairn, folder) as address:
            for mode in ("legacy", "2026-07-28"):
                await long(report, f"python {mode} stdio", stdio(folder), mode, known)
                http = http_target(address)
                await long(report, f"python {mode} http", http, mode, known, address.pid)


def stdio_target(binary, repo, *flags):
    """Makes a connection to a server of its own each time it is called."""
    command, *arguments = checks.stdio_command(binary, repo, *flags)
    server = StdioServerParameters(command=command, args=arguments)
    # What the server says on stderr is no part of this report.
    return lambda: stdio_client(server, errlog=open(os.devnull, "w"))


def http_target(address):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    client = lambda: httpx2.AsyncClient(headers=headers, timeout=SECONDS)
    return lambda: streamable_http_client(f"{address}/mcp", http_client=client())


async def everyday(report, way, target, mode, known):
    with report.check(f"{way}: connect"), anyio.fail_after(20 * SECONDS):
        async with Client(target(), mode=mode) as client:
            modern = client.protocol_version >= "2026-07-28"
            expect(modern != (mode == "legacy"), f"spoke {client.protocol_version}")
            before = await tools(client)
            await lists(report, way, before, known)
            await calls(report, way, client, known)
            await resources(report, way, client, known)
            await prompts(report, way, client, known)
            with report.check(f"{way}: the list is the same after the calls"):
                same(await tools(client), before, "the list changed")


async def tools(client):
    listed = await client.list_tools(cache_mode="bypass")
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]


async def lists(report, way, before, known):
    with report.check(f"{way}: tools/list"):
        names = [tool["name"] for tool in before]
        missing = [name for name in known["listed"] if name not in names]
        expect(not missing, f"{missing} are not listed; {names} are")
        same(len(names), len(set(names)), "a name is listed twice")


async def calls(report, way, client, known):
    for tool, arguments, part in known["calls"]:
        with report.check(f"{way}: {label(tool, arguments)}"), anyio.fail_after(SECONDS):
            result = await client.call_tool(tool, arguments)
            expect(not result.is_error, text(result))
            expect(part in text(result), f"no {part!r} in {text(result)!r}")
    for tool, arguments, code in known["refusals"]:
        with report.check(f"{way}: {label(tool, arguments)} is {code}"), anyio.fail_after(SECONDS):
            result = await client.call_tool(tool, arguments)
            expect(result.is_error, f"not refused: {text(result)}")
            expect(code in text(result), f"no {code} in {text(result)!r}")


async def resources(report, way, client, known):
    with report.check(f"{way}: resources/list"):
        await client.list_resources()
    with report.check(f"{way}: resources/templates/list"):
        listed = (await client.list_resource_templates()).resource_templates
        found = [template.uri_template for template in listed]
        expect(known["template"] in found, f"only {found}")
    with report.check(f"{way}: resources/read"):
        contents = (await client.read_resource(known["uri"])).contents
        expect(contents and contents[0].text, "nothing in it")
    with report.check(f"{way}: resources/read of what is not there"):
        await refused(client.read_resource, known["missing_uri"])
    with report.check(f"{way}: resources/read outside the repository"):
        await refused(client.read_resource, known["template"].replace("{+path}", "../outside.ts"))
    with report.check(f"{way}: completion of a path"):
        template = ResourceTemplateReference(type="ref/resource", uri=known["template"])
        begun = {"name": "path", "value": known["path"][:-3]}
        values = (await client.complete(template, begun)).completion.values
        expect(known["path"] in values, f"only {values}")


async def refused(ask, *arguments):
    try:
        answer = await ask(*arguments)
    except Exception as error:
        expect(hasattr(error, "error") or hasattr(error, "code"), f"not an error of MCP: {error!r}")
    else:
        raise AssertionError(f"answered {answer!r}")


async def prompts(report, way, client, known):
    with report.check(f"{way}: prompts/list"):
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        expect(known["prompt"] in names, f"only {names}")
    with report.check(f"{way}: prompts/get"):
        got = await client.get_prompt(known["prompt"], known["prompt_arguments"])
        expect(known["path"] in got.messages[0].content.text, "the path is not in it")
    with report.check(f"{way}: prompts/get of what is not there"):
        await refused(client.get_prompt, "no_such_prompt", {})
    with report.check(f"{way}: completion of a prompt's path"):
        prompt = PromptReference(type="ref/prompt", name=known["prompt"])
        begun = {"name": "paths", "value": known["path"][:-3]}
        values = (await client.complete(prompt, begun)).completion.values
        expect(known["path"] in values, f"only {values}")


async def structured(report, way, target, mode, known):
    with report.check(f"{way}: connect"), anyio.fail_after(10 * SECONDS):
        async with Client(target(), mode=mode) as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            for tool, arguments, _ in known["calls"]:
                with report.check(f"{way}: {label(tool, arguments)} fits its schema"):
                    # The client itself checks the answer against the listed schema.
                    result = await client.call_tool(tool, arguments)
                    expect(not result.is_error, text(result))
                    expect(result.structured_content, "no structured content")
                    declared = tool not in listed or tool in ("ask", "run")
                    expect(declared or listed[tool].output_schema, "no output schema")
            for tool, arguments, code in known["refusals"]:
                with report.check(f"{way}: {label(tool, arguments)} is {code}"):
                    result = await client.call_tool(tool, arguments)
                    same(result.structured_content["error"]["code"], code, "another code")


async def long(report, way, target, mode, known, pid=None):
    tool, arguments = known["long_call"]
    with report.check(f"{way}: connect to a large repository"), anyio.fail_after(4 * SECONDS):
        async with Client(target(), mode=mode) as client:
            with report.check(f"{way}: progress arrives"), anyio.fail_after(2 * SECONDS):
                heard = []

                async def hear(done, total, message):
                    heard.append(done)

                result = await client.call_tool(tool, arguments, progress_callback=hear)
                expect(not result.is_error, text(result))
                expect(heard, "none did")
                same(heard, sorted(heard), "progress went back")
            with report.check(f"{way}: a call that is given up stops"):
                await give_up(client, tool, arguments)
                if pid:
                    checks.settled(pid)


async def give_up(client, tool, arguments):
    begun = anyio.Event()

    async def hear(done, total, message):
        begun.set()

    async def call(scope):
        with scope:
            await client.call_tool(tool, arguments, progress_callback=hear)

    async with anyio.create_task_group() as tasks:
        scope = anyio.CancelScope()
        tasks.start_soon(call, scope)
        with anyio.fail_after(SECONDS):
            await begun.wait()
        scope.cancel()
    with anyio.fail_after(SECONDS):
        result = await client.call_tool("verify", {})
    expect(not result.is_error, text(result))


def label(tool, arguments):
    return f"{tool} {arguments['operation']}" if "operation" in arguments else tool


def text(result):
    return "\n".join(getattr(block, "text", "") for block in result.content)


if __name__ == "__main__":
    main()
