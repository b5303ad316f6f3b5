#!/usr/bin/env python3
"""Drives `sinew mcp` with the client of the Model Context Protocol's own SDK.

usage: tests/mcp-client.py PROGRAM

Needs the package `mcp` from PyPI. The client checks every message against the protocol's schema and every structured answer
against the schema that the tool declares. Ends with exit code 1 at the first thing that does not hold.
"""
import asyncio
import json
import pathlib
import sys
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

SOURCE = "param name string\noutput text string = 'hello ${name}'\n"
TEMPLATE = {
    "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
    "contentVersion": "1.0.0.0",
    "resources": [{"type": "My.Rp/sites", "apiVersion": "2020-01-01", "name": "site"}],
    "outputs": {"sum": {"type": "int", "value": "[add(1, 2)]"}},
}


def holds(condition, what):
    if not condition:
        sys.exit(f"mcp-client: {what}")


def is_error(answer):
    return bool(getattr(answer, "is_error", getattr(answer, "isError", False)))


def structured(answer):
    return getattr(answer, "structured_content", getattr(answer, "structuredContent", None))


async def all_tools(session):
    tools, cursor, pages = {}, None, 0
    while True:
        page = await (session.list_tools() if cursor is None else next_page(session, cursor))
        pages += 1
        for tool in page.tools:
            holds(tool.name not in tools, f"{tool.name} is listed twice")
            holds(tool.description, f"{tool.name} has no description")
            tools[tool.name] = tool
        cursor = getattr(page, "next_cursor", getattr(page, "nextCursor", None))
        if not cursor:
            holds(pages == 2, f"{pages} pages of tools, not 2")
            return tools


async def next_page(session, cursor):
    try:
        return await session.list_tools(cursor=cursor)
    except TypeError:
        from mcp.types import PaginatedRequestParams
        return await session.list_tools(params=PaginatedRequestParams(cursor=cursor))


async def drive(session, folder):
    hello = await session.initialize()
    server = getattr(hello, "server_info", getattr(hello, "serverInfo", None))
    holds(server.name, "the server has no name")
    tools = await all_tools(session)
    for name in ("build_bicep", "decompile_arm_template_file", "get_bicep_best_practices", "check_files", "what_if"):
        holds(name in tools, f"{name} is missing")

    source, template = folder / "main.bicep", folder / "old.json"
    source.write_text(SOURCE)
    template.write_text(json.dumps(TEMPLATE))

    built = await session.call_tool("build_files", {"filePath": str(source)})
    holds(not is_error(built) and structured(built)["success"], f"build_files: {built}")
    holds(structured(built)["result"]["outputs"]["text"]["type"] == "string", f"build_files: {built}")

    compiled = await session.call_tool("build_bicep", {"filePath": str(source)})
    holds(not is_error(compiled) and structured(compiled)["success"], f"build_bicep: {compiled}")

    back = await session.call_tool("decompile_template", {"filePath": str(template)})
    holds("resource site 'My.Rp/sites@2020-01-01'" in str(structured(back)["result"]), f"decompile_template: {back}")

    value = await session.call_tool("evaluate_expression", {"expression": "length([1, 2])"})
    holds(structured(value)["result"] == 2, f"evaluate_expression: {value}")

    source.write_text(SOURCE + "output bad int = 'x'\n")
    linted = await session.call_tool("lint_files", {"paths": [str(source)]})
    holds(not structured(linted)["success"] and "BCP033" in json.dumps(structured(linted)), f"lint_files: {linted}")

    wrong = await session.call_tool("build_bicep", {"filePath": "main.bicep"})
    holds(is_error(wrong) and "absolute" in wrong.content[0].text, f"a relative path: {wrong}")

    many = [session.call_tool("evaluate_expression", {"expression": f"{n} + {n}"}) for n in range(50)]
    answers = await asyncio.gather(*many)
    holds([structured(it)["result"] for it in answers] == [2 * n for n in range(50)], "calls at once are mixed up")
    return len(tools)


async def main(program):
    with tempfile.TemporaryDirectory() as folder:
        server = StdioServerParameters(command=program, args=["mcp"], env={"SINEW_TYPES_MIRROR": "none", "HOME": folder})
        async with stdio_client(server) as (read, write):
            async with ClientSession(read, write) as session:
                count = await drive(session, pathlib.Path(folder).resolve())
    print(f"mcp-client: {count} tools, all calls answered")


asyncio.run(main(sys.argv[1]))
