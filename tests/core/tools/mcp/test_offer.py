"""Which tools a model is offered, and why not the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rillet.core.tools.mcp.consent import ConsentBook
from rillet.core.tools.mcp.definition import Definition, define
from rillet.core.tools.mcp.offer import Offered, Standing, offer
from rillet.core.tools.tool import ToolContext, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterable


async def call(tool: str, args: dict[str, Any], ctx: ToolContext) -> ToolResult:
    return ToolResult(tool)


def server(*tools: Definition, name: str = "s", allowed: Iterable[str] | None = None) -> Offered:
    allow = None if allowed is None else frozenset(allowed)
    return Offered(name, {tool.name: tool for tool in tools}, {}, allow, call, "somewhere")


def standings(book: ConsentBook, *servers: Offered, off: Iterable[tuple[str, str]] = ()) -> dict[str, Standing]:
    tools, inventory = offer(servers, book, frozenset(off), ())
    found = {entry.tool: entry.standing for entry in inventory}
    assert [tool.name for tool in tools] == [e.name for e in inventory if e.standing is Standing.OFFERED]
    return found


def test_the_order_is_that_of_servers_and_lists() -> None:
    servers = [server(define("b", "", {}), define("a", "", {}), name="two"), server(define("c", "", {}), name="one")]
    tools, _ = offer(servers, ConsentBook(), (), ())
    assert [tool.name for tool in tools] == ["two_b", "two_a", "one_c"]


async def test_a_tool_is_called_by_its_servers_name_for_it() -> None:
    (tool,), _ = offer([server(define("the.tool", "", {}))], ConsentBook(), (), ())
    assert tool.name == "s_the_tool"
    assert (await tool.run({}, ToolContext())).output == "the.tool"


def test_a_changed_tool_is_held_and_one_that_changes_back_is_not_asked_about() -> None:
    book = ConsentBook()
    before, after = define("t", "before", {}), define("t", "after", {})
    assert standings(book, server(before)) == {"t": Standing.OFFERED}
    assert standings(book, server(after)) == {"t": Standing.HELD}
    assert [consent.changes for consent in book.asked] == [("- before", "+ after")]
    assert standings(book, server(before)) == {"t": Standing.OFFERED}
    assert book.asked == ()


def test_a_held_tool_is_offered_once_it_was_approved() -> None:
    book = ConsentBook()
    standings(book, server(define("t", "before", {})))
    standings(book, server(define("t", "after", {})))
    book.approve(book.asked[0].digest)
    assert standings(book, server(define("t", "after", {}))) == {"t": Standing.OFFERED}


def test_what_is_switched_off_was_met_all_the_same() -> None:
    book = ConsentBook()
    tool = define("t", "", {})
    assert standings(book, server(tool), off=[("s", "t")]) == {"t": Standing.OFF}
    assert standings(book, server(tool)) == {"t": Standing.OFFERED}
    assert standings(book, server(tool, allowed=["other"])) == {"t": Standing.OFF}


def test_nobody_is_asked_about_a_tool_that_would_not_be_offered_anyway() -> None:
    book = ConsentBook()
    standings(book, server())
    standings(book, server(define("t", "", {})), off=[("s", "t")])
    assert book.asked == ()


def test_a_new_tool_that_looks_like_an_old_one_takes_it_along() -> None:
    book = ConsentBook()
    old = define("read_file", "", {})
    assert standings(book, server(old)) == {"read_file": Standing.OFFERED}
    both = standings(book, server(old), server(define("file", "", {}), name="s_read"))
    assert both == {"read_file": Standing.REFUSED, "file": Standing.REFUSED}
