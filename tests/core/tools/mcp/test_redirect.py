"""The address to which a browser comes back."""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode, urlsplit

import pytest

from rillet.core.tools.mcp.redirect import Redirect

SOON = 30.0


async def visit(address: str, request: bytes) -> bytes:
    """Send raw bytes and read what comes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(address).port)
    writer.write(request)
    await writer.drain()
    data = await reader.read()
    writer.close()
    return data


def get(path: str, **fields: str) -> bytes:
    return f"GET {path}?{urlencode(fields)} HTTP/1.1\r\nHost: x\r\n\r\n".encode()


async def test_it_listens_on_this_machine_at_a_port_of_its_own() -> None:
    async with Redirect() as one, Redirect() as other:
        assert one.address.startswith("http://127.0.0.1:")
        assert one.address != other.address
        assert one.state != other.state


async def test_the_answer_with_the_right_state_is_taken() -> None:
    async with Redirect() as redirect, asyncio.timeout(SOON):
        page = await visit(redirect.address, get("/callback", code="c", state=redirect.state, iss="i"))
        assert page.startswith(b"HTTP/1.1 200 OK")
        assert await redirect.answer() == {"code": "c", "state": redirect.state, "iss": "i"}


@pytest.mark.parametrize(
    "request_",
    [
        get("/callback", code="evil", state="guessed"),
        get("/callback", code="evil"),
        get("/", code="evil"),
        get("/callback/../callback", code="evil"),
        b"POST /callback HTTP/1.1\r\n\r\n",
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x00\r\n\r\n",
        b"GET /callback?state=%ff%00 HTTP/1.1\r\n\r\n",
        b"GET /callback?" + b"x" * 100_000 + b" HTTP/1.1\r\n\r\n",
    ],
)
async def test_anything_else_changes_nothing(request_: bytes) -> None:
    async with Redirect() as redirect, asyncio.timeout(SOON):
        try:
            page = await visit(redirect.address, request_)
        except ConnectionError:
            page = b""
        assert not page.startswith(b"HTTP/1.1 200")
        assert b"evil" not in page
        await visit(redirect.address, get("/callback", code="good", state=redirect.state))
        assert (await redirect.answer())["code"] == "good"


async def test_the_first_answer_counts() -> None:
    async with Redirect() as redirect, asyncio.timeout(SOON):
        for code in ("first", "second"):
            await visit(redirect.address, get("/callback", code=code, state=redirect.state))
        assert (await redirect.answer())["code"] == "first"


async def test_nobody_listens_afterwards() -> None:
    async with Redirect() as redirect:
        address = redirect.address
    with pytest.raises(OSError):
        await visit(address, b"")
