"""The book of grants: what holds where and until when, and that a damaged one grants nothing."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from rillet.core.tools.policy.grants import Grant, GrantBook
from rillet.core.tools.policy.rules import CallRule, CommandRule, HostRule, PathRule, ToolRule

if TYPE_CHECKING:
    from collections.abc import Callable

LOG = CommandRule(("git", "log"))
GRANTS = (
    Grant(rule=LOG),
    Grant(rule=ToolRule("t", "mcp", "abc"), decision="deny", chat="chat-1", made_at=5.0),
    Grant(rule=PathRule("write", "docs/**"), folder="/work", expires_at=7.5),
    Grant(rule=HostRule("*.example.com"), expires_at=9.0),
    Grant(rule=CallRule("bash", "d1", "ls"), chat="chat-1", given_in="chat-1"),
)


@pytest.mark.parametrize(
    ("grant", "scope"), [(GRANTS[0], "always"), (GRANTS[1], "chat"), (GRANTS[2], "folder"), (GRANTS[4], "chat")]
)
def test_a_grant_says_how_far_it_goes(grant: Grant, scope: str) -> None:
    assert grant.scope == scope


def test_a_grant_holds_where_and_as_long_as_it_says() -> None:
    assert Grant(rule=LOG).holds(None, None, 1e12)
    assert Grant(rule=LOG, chat="a").holds("a", "/x", 0)
    assert not Grant(rule=LOG, chat="a").holds("b", None, 0)
    assert not Grant(rule=LOG, chat="a").holds(None, None, 0)
    assert not Grant(rule=LOG, folder="/x").holds("a", "/x/y", 0)
    assert not Grant(rule=LOG, folder="/x").holds("a", None, 0)
    assert Grant(rule=LOG, expires_at=10).holds(None, None, 9.9)
    assert not Grant(rule=LOG, expires_at=10).holds(None, None, 10)


def test_what_is_entered_twice_stands_there_once() -> None:
    book = GrantBook()
    first = book.add(Grant(rule=LOG, made_at=1.0))
    assert book.add(Grant(rule=LOG, made_at=2.0)) is first
    book.add(Grant(rule=LOG, chat="a"))
    assert len(book.grants()) == 2


def test_what_is_struck_out_is_gone() -> None:
    book = GrantBook(GRANTS)
    assert book.revoke(GRANTS[1].id)
    assert not book.revoke(GRANTS[1].id)
    assert not book.revoke("nothing")
    assert book.grants() == (GRANTS[0], *GRANTS[2:])


def test_a_conversation_that_ends_takes_its_grants_along() -> None:
    book = GrantBook(GRANTS)
    assert book.forget_chat("chat-1")
    assert not book.forget_chat("chat-1")
    assert book.grants() == (GRANTS[0], GRANTS[2], GRANTS[3])


def test_what_has_expired_can_be_struck_out() -> None:
    book = GrantBook(GRANTS)
    assert book.forget_expired(8.0)
    assert not book.forget_expired(8.0)
    assert GRANTS[2] not in book.grants()
    assert GRANTS[3] in book.grants()


def test_every_change_is_told_and_nothing_else() -> None:
    told: list[int] = []
    book = GrantBook(GRANTS, changed=lambda: told.append(len(book.grants())))
    added = book.add(Grant(rule=LOG, chat="b"))
    book.add(Grant(rule=LOG, chat="b"))
    book.revoke(added.id)
    book.revoke(added.id)
    book.forget_chat("nobody")
    assert told == [6, 5]


def test_what_was_agreed_to_in_a_conversation_goes_along_with_it() -> None:
    told: list[int] = []
    book = GrantBook(GRANTS, lambda: told.append(len(book.grants())))
    assert book.move_chat("chat-1", "chat-2")
    assert not book.move_chat("chat-1", "chat-2")
    assert [(grant.chat, grant.given_in) for grant in book.grants()] == [
        (None, None),
        ("chat-2", None),
        (None, None),
        (None, None),
        ("chat-2", "chat-2"),
    ]
    assert [grant.id for grant in book.grants()] == [grant.id for grant in GRANTS]
    assert told == [len(GRANTS)]


def test_threads_that_change_a_book_together_lose_nothing() -> None:
    book = GrantBook(GRANTS)

    def enter(thread: int) -> None:
        for at in range(50):
            book.add(Grant(rule=LOG, chat=f"{thread}-{at}"))
            book.revoke(GRANTS[at % len(GRANTS)].id)

    threads = [threading.Thread(target=enter, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {grant.chat for grant in book.grants()} == {f"{thread}-{at}" for thread in range(8) for at in range(50)}


def test_ids_differ() -> None:
    assert len({Grant(rule=LOG).id for _ in range(100)}) == 100


def test_a_book_can_be_written_down_and_read() -> None:
    book = GrantBook.from_json(GrantBook(GRANTS).to_json())
    assert book.grants() == GRANTS
    assert book.to_json() == GrantBook(GRANTS).to_json()


def damaged(change: Callable[[dict[str, Any]], object]) -> bytes:
    content = json.loads(GrantBook(GRANTS).to_json())
    change(content)
    return json.dumps(content).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        GrantBook(GRANTS).to_json()[:-1],
        GrantBook(GRANTS).to_json() + b"}",
        damaged(lambda content: content.update(version=2)),
        damaged(lambda content: content.update(version="1")),
        damaged(lambda content: content.pop("version")),
        damaged(lambda content: content.update(more=1)),
        damaged(lambda content: content["grants"].append({})),
        damaged(lambda content: content["grants"].append(None)),
        damaged(lambda content: content["grants"][0].update(decision="Allow")),
        damaged(lambda content: content["grants"][0].update(wildcard=True)),
        damaged(lambda content: content["grants"][0].update(expires_at="never")),
        damaged(lambda content: content["grants"][0].update(chat=5)),
        damaged(lambda content: content["grants"][0].pop("rule")),
        damaged(lambda content: content["grants"][0]["rule"].update(kind="anything")),
        damaged(lambda content: content["grants"][0]["rule"].pop("kind")),
        damaged(lambda content: content["grants"][0]["rule"].update(words="git log")),
        damaged(lambda content: content["grants"][0]["rule"].update(words=[])),
        damaged(lambda content: content["grants"][0]["rule"].update(more="x")),
        damaged(lambda content: content["grants"][2]["rule"].update(pattern="../*")),
        damaged(lambda content: content["grants"][3]["rule"].update(host="*")),
    ],
)
def test_a_damaged_book_grants_nothing_and_says_so(data: bytes) -> None:
    with pytest.raises(ValueError, match="nothing is allowed"):
        GrantBook.from_json(data)


def test_a_book_of_a_newer_program_says_that() -> None:
    with pytest.raises(ValueError, match="version 2"):
        GrantBook.from_json(damaged(lambda content: content.update(version=2, grants="another shape")))


def test_grants_cannot_be_changed_in_place() -> None:
    with pytest.raises(AttributeError):
        GRANTS[0].decision = "deny"  # type: ignore[misc]
    assert msgspec.structs.asdict(GRANTS[0])["decision"] == "allow"
