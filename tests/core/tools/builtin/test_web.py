"""The tool ``webfetch``: what a model gets of a page, and what it never gets."""

from __future__ import annotations

import functools
import gzip
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.net.fetch import fetch
from rillet.core.tools.builtin import web
from rillet.core.tools.builtin.web import MOST, webfetch_tool
from rillet.core.tools.tool import Effect, ToolContext, ToolResult
from support.fake_server import FakeServer, redirect, respond, stream
from support.internet import Internet
from support.processes import living, word

if TYPE_CHECKING:
    from support.fake_server import Script

HTML = {"Content-Type": "text/html; charset=utf-8"}
PLAIN = {"Content-Type": "text/plain"}


async def call(script: Script, *further: Script, url: str = "http://example.com/page", **args: Any) -> ToolResult:
    with FakeServer(script, *further) as server:
        internet = Internet(server.port)
        tool = webfetch_tool(
            internet.profile, functools.partial(fetch, guard=internet.guard, transport=internet.routes())
        )
        assert tool.complaint({"url": url, **args}) is None
        return await tool.run({"url": url, **args}, ToolContext())


async def test_a_page_comes_as_markdown_under_its_address() -> None:
    result = await call(respond(200, '<title>T</title><p>one <a href="/x">two</a></p>', HTML))
    assert result.output == "http://example.com/page\n\n# T\n\none [two](http://example.com/x)"
    assert not result.is_error
    assert result.metadata == {
        "url": "http://example.com/page",
        "status": 200,
        "content_type": "text/html",
        "format": "markdown",
    }


async def test_the_format_is_what_was_asked_for() -> None:
    html = '<p>one <a href="/x">two</a></p>'
    assert (await call(respond(200, html, HTML), format="text")).output.endswith("\n\none two")
    assert (await call(respond(200, html, HTML), format="html")).output.endswith(f"\n\n{html}")


@pytest.mark.parametrize("content_type", ["text/plain", "application/json", "text/markdown", "text/csv"])
async def test_other_text_comes_as_it_is(content_type: str) -> None:
    result = await call(respond(200, '{"a": "<b>"}', {"Content-Type": content_type}))
    assert result.output == 'http://example.com/page\n\n{"a": "<b>"}'


async def test_a_redirect_is_told() -> None:
    result = await call(redirect("http://www.example.com/end"), respond(200, "x", PLAIN))
    assert result.output == "http://www.example.com/end\n(redirected from http://example.com/page)\n\nx"
    assert result.metadata["url"] == "http://www.example.com/end"


async def test_a_redirect_to_another_host_needs_a_call_of_its_own_that_is_judged() -> None:
    result = await call(redirect("http://bücher.example/?stolen=1"), respond(200, "x", PLAIN))
    assert result.output.splitlines() == [
        "http://example.com/page",
        "(HTTP status 307)",
        "It redirects to another host: http://xn--bcher-kva.example/?stolen=1 (bücher.example)",
        "To read that, fetch it.",
    ]
    assert not result.is_error


async def test_a_host_in_another_script_is_shown_in_both() -> None:
    result = await call(respond(200, "x", PLAIN), url="http://аррӏе.com/")
    assert result.output.startswith("http://xn--80ak6aa92e.com/ (аррӏе.com)\n")


async def test_a_status_that_is_none_of_success_is_an_error_with_its_page() -> None:
    result = await call(respond(404, "<p>gone</p>", HTML))
    assert (result.output, result.is_error) == ("http://example.com/page\n(HTTP status 404)\n\ngone", True)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "http://metadata/", "http://[::ffff:10.0.0.1]/", "http://rebind.example.com/"]
)
async def test_what_is_inside_is_an_error_that_says_so(url: str) -> None:
    result = await call(respond(200, "secret", PLAIN), url=url)
    assert result.is_error
    assert "not public" in result.output
    assert "secret" not in result.output


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://example.com", "example.com", "http://u:p@example.com/", "http://0x7f.1"]
)
async def test_what_is_no_address_is_an_error_that_says_so(url: str) -> None:
    result = await call(respond(200, "secret", PLAIN), url=url)
    assert result.is_error
    assert result.output.startswith("the page was not read: ")


@pytest.mark.parametrize("content_type", ["application/pdf", "image/png", "application/octet-stream"])
async def test_what_is_no_text_is_refused_with_a_sentence(content_type: str) -> None:
    result = await call(respond(200, b"\0\1\2", {"Content-Type": content_type}))
    assert result.is_error
    assert f"It is {content_type}, and only text is read." in result.output


async def test_what_only_says_that_it_is_text_is_refused_too() -> None:
    assert (await call(respond(200, b"PK\0\0\0", PLAIN))).is_error


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        ("grüß".encode(), {"Content-Type": "text/plain; charset=utf-8"}),
        ("grüß".encode("latin-1"), {"Content-Type": "text/plain; charset=ISO-8859-1"}),
        ("grüß".encode("latin-1"), PLAIN),
        ("grüß".encode(), PLAIN),
        (b"\xff\xfe" + "grüß".encode("utf-16-le"), PLAIN),
        (b"\xef\xbb\xbf" + "grüß".encode(), {"Content-Type": "text/plain; charset=latin-1"}),
        ("grüß".encode(), {"Content-Type": "text/plain; charset=rot13"}),
        ("grüß".encode(), {"Content-Type": "text/plain; charset=unicode_escape"}),
        ("grüß".encode(), {"Content-Type": "text/plain; charset=no-such-thing"}),
        ('<meta charset="koi8-r"><p>слово'.encode("koi8-r"), {"Content-Type": "text/html"}),
        (
            "<meta http-equiv=x content='text/html; charset=shift_jis'>日本".encode("shift_jis"),
            {"Content-Type": "text/html"},
        ),
    ],
)
async def test_characters_are_read_as_they_were_meant(body: bytes, headers: dict[str, str]) -> None:
    output = (await call(respond(200, body, headers))).output
    assert output.rpartition("\n")[2] in ("grüß", "слово", "日本")


async def test_a_long_text_is_cut_and_that_is_told() -> None:
    result = await call(respond(200, "x" * (MOST + 1234), PLAIN))
    assert len(result.output) < MOST + 200
    assert result.output.endswith("[… 1,234 characters left out …]")


async def test_a_page_beyond_the_limit_is_cut_and_that_is_told() -> None:
    bomb = gzip.compress(b"<!-- x -->" * 500_000 + b"<p>word</p>" * 100_000)
    result = await call(respond(200, bomb, HTML | {"Content-Encoding": "gzip"}))
    assert len(result.output) < MOST + 300
    assert result.output.endswith("[the page was longer than what is read of it]")


async def test_nothing_to_read_is_told() -> None:
    assert (await call(respond(200, "<script>x</script>", HTML))).output.endswith("\n\n(nothing to read)")


async def test_what_a_terminal_would_obey_is_gone() -> None:
    assert (await call(respond(200, "a\x1b[31mb\x1b]0;t\x07c\x08d", PLAIN))).output.endswith("\n\nabd")


async def test_a_page_that_takes_too_long_to_read_is_ended_and_html_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = word()
    monkeypatch.setattr(web, "CONVERTING", 0.3)
    monkeypatch.setattr(web, "_program", lambda: ["sh", "-c", f"sleep {mark} & sleep {mark}"])
    result = await call(respond(200, "<p>x" * 100_000, HTML))
    assert result.is_error
    assert "ask for it with format html" in result.output
    assert living(mark) == []


@pytest.mark.parametrize("program", ["exit 1", "cat >/dev/null; yes", "kill -9 $$", "exec no-such-program"])
async def test_a_converter_that_fails_is_an_error_and_not_a_page(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "_program", lambda: ["sh", "-c", program])
    monkeypatch.setattr(web, "LARGEST", 1_000_000)
    result = await call(respond(200, "<p>x" * 100_000, HTML))
    assert result.is_error
    assert "ask for it with format html" in result.output


async def test_a_server_that_does_not_answer_is_an_error_in_time() -> None:
    result = await call(stream(b"x", lambda exchange: exchange.hold()), timeout=1)
    assert (result.output, result.is_error) == ("the page was not read: the page was not there after 1 seconds", True)


def test_it_talks_to_the_network_and_what_it_returns_is_not_trusted() -> None:
    tool = webfetch_tool()
    assert tool.effects == {Effect.NETWORK}
    assert not tool.trusted_output
    assert tool.complaint({"url": "x", "method": "POST"})
    assert tool.complaint({"url": "x", "timeout": 31})
    assert tool.complaint({"url": "x", "format": "pdf"})
