"""Servers that others wrote: the SDK's own half, and those of the registries as far as they are installed."""

from __future__ import annotations

import asyncio
import shutil
import socket
import sys
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.tools.mcp.config import LocalServerConfig
from rillet.core.tools.mcp.server import State
from rillet.core.tools.mcp.surroundings import Surroundings
from rillet.core.tools.processes import Process
from rillet.core.tools.tool import ToolContext
from rillet.core.types import ChatMessage
from rillet.core.types.suspension import Answer, Request
from support.mcp.running import SOON, call, running
from support.mcp.web import remote

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from rillet.core.tools.mcp.servers import McpServers

SDK = str(Path(__file__).parents[3] / "support" / "mcp" / "sdk_server.py")


async def blue(request: Request) -> Answer:
    return Answer(id=request.id, ok=True, data={"colour": "blue"})


async def check(servers: McpServers, name: str) -> None:
    """Everything that the SDK's server offers."""
    server = servers.servers[name]
    assert (server.state, server.reason) == (State.READY, "")
    assert [tool.name for tool in servers.tools] == [f"{name}_add", f"{name}_paint"]
    assert (await call(servers, f"{name}_add", {"a": 1, "b": 2})).output == "3"
    told: list[tuple[float, float | None, str]] = []
    ctx = ToolContext(ask=blue, progress=lambda done, total, said: told.append((done, total, said)))
    assert (await call(servers, f"{name}_paint", ctx=ctx)).output == "blue"
    assert told == [(1.0, 2.0, "asking")]
    assert [resource.uri for resource in await server.resources()] == ["note://one"]
    assert (await server.read("note://one")).output == "[note://one]\na note"
    (prompt,) = await server.prompts()
    assert prompt.arguments == (("code", "", True),)
    assert await server.prompt("review", {"code": "x"}) == (ChatMessage.user("Review x"),)
    wrong = await call(servers, f"{name}_add", {"a": "one", "b": 2})
    assert wrong.is_error


async def test_the_sdks_own_server_over_standard_input_and_output() -> None:
    config = LocalServerConfig(name="sdk", command=(sys.executable, SDK, "stdio"), start_timeout=SOON)
    async with running(config) as servers, asyncio.timeout(SOON):
        await check(servers, "sdk")


@asynccontextmanager
async def web_server(kind: str) -> AsyncIterator[str]:
    """The SDK's server at a free port; its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = {"PATH": "/usr/bin:/bin", "HOME": str(Path.home())}
    async with await Process.start([sys.executable, SDK, kind, str(port)], env=env, merge_stderr=True) as process:
        said = b""
        while b"running on http" not in said:
            data = await process.stdout.read(4096)
            assert data, said
            said += data
        yield f"http://127.0.0.1:{port}"


@pytest.mark.parametrize(("kind", "path"), [("streamable-http", "/mcp"), ("sse", "/sse")])
async def test_the_sdks_own_server_over_http(kind: str, path: str) -> None:
    async with (
        asyncio.timeout(SOON),
        web_server(kind) as url,
        running(replace(remote(url, name="sdk"), url=f"{url}{path}")) as servers,
    ):
        await check(servers, "sdk")


def reference(program: str, *args: str, **settings: Any) -> LocalServerConfig:
    """A server of a registry, beside this Python or on the path."""
    found = shutil.which(program, path=str(Path(sys.executable).parent)) or shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed, so nobody knows whether it still works with us")
    return LocalServerConfig(name="s", command=(found, *args), start_timeout=SOON, **settings)


async def test_the_reference_server_for_time() -> None:
    async with running(reference("mcp-server-time")) as servers, asyncio.timeout(SOON):
        result = await call(servers, "s_get_current_time", {"timezone": "Europe/Vienna"})
        assert "Europe/Vienna" in result.output
        wrong = await call(servers, "s_get_current_time", {"timezone": "Middle/Earth"})
        assert wrong.is_error


async def test_the_reference_server_for_git(tmp_path: Path) -> None:
    async with running(reference("mcp-server-git")) as servers, asyncio.timeout(SOON):
        assert "s_git_status" in {tool.name for tool in servers.tools}
        assert (await call(servers, "s_git_status", {"repo_path": str(tmp_path)})).is_error


async def test_the_reference_server_for_fetching() -> None:
    async with running(reference("mcp-server-fetch")) as servers:
        assert [tool.name for tool in servers.tools] == ["s_fetch"]


async def test_the_reference_server_for_everything(tmp_path: Path) -> None:
    around = Surroundings(workspace=tmp_path)
    async with running(reference("mcp-server-everything"), surroundings=around) as servers, asyncio.timeout(SOON):
        assert len(servers.tools) >= 10
        assert (await call(servers, "s_echo", {"message": "hello"})).output == "Echo: hello"
        assert len((await call(servers, "s_get-tiny-image")).images) == 1
        assert len(await servers.servers["s"].resources()) > 0
        assert len(await servers.servers["s"].prompts()) > 0


async def test_the_reference_server_for_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    config = reference("mcp-server-filesystem", str(tmp_path))
    async with running(config) as servers, asyncio.timeout(SOON):
        result = await call(servers, "s_read_text_file", {"path": str(tmp_path / "a.txt")})
        assert result.output == "hello"
        assert (await call(servers, "s_read_text_file", {"path": "/etc/passwd"})).is_error


async def test_the_reference_server_for_memory(tmp_path: Path) -> None:
    config = reference("mcp-server-memory", env=(("MEMORY_FILE_PATH", str(tmp_path / "memory.json")),))
    async with running(config) as servers, asyncio.timeout(SOON):
        entity = {"name": "brook", "entityType": "water", "observations": ["small"]}
        await call(servers, "s_create_entities", {"entities": [entity]})
        assert "brook" in (await call(servers, "s_read_graph")).output
