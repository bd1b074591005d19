"""Nothing starts, and nothing is told to a model, that was not shown and approved exactly so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rillet.core.tools.mcp.config import LocalServerConfig, RemoteServerConfig
from rillet.core.tools.mcp.consent import Consent, ConsentBook, server_consent, tool_consent
from rillet.core.tools.mcp.definition import define

PROGRAM = LocalServerConfig(
    name="s",
    command=("npx", "-y", "pkg@1.2.3"),
    cwd="/projects",
    env=(("KEY", "canary"), ("NODE_OPTIONS", "--require x")),
)
ADDRESS = RemoteServerConfig(name="r", url="https://h/mcp", headers=(("Authorization", "Bearer ${canary}"),))


def approved(config: LocalServerConfig | RemoteServerConfig) -> ConsentBook:
    book = ConsentBook()
    book.ask(server_consent(config, book))
    book.approve(book.asked[0].digest)
    return book


def test_the_whole_command_is_shown() -> None:
    consent = server_consent(PROGRAM, ConsentBook())
    assert consent.command == ("npx", "-y", "pkg@1.2.3")
    assert consent.lines == (
        "program: npx",
        "argument 1: -y",
        "argument 2: pkg@1.2.3",
        "folder: /projects",
        "variable: KEY",
        "variable: NODE_OPTIONS = --require x",
    )


def test_risky_variables_are_pointed_out_with_their_values_and_the_others_kept() -> None:
    consent = server_consent(PROGRAM, ConsentBook())
    key, options = consent.variables
    assert (key.risk, key.value) == (None, None)
    assert options.value == "--require x"
    assert consent.warnings == ("NODE_OPTIONS makes the program load other code.",)
    assert "canary" not in repr(consent)


def test_headers_are_named_and_never_shown() -> None:
    consent = server_consent(ADDRESS, ConsentBook())
    assert consent.lines == ("address: https://h/mcp", "header: Authorization", "sent there from this program: canary")
    assert "Bearer" not in repr(consent)


def test_an_address_that_others_can_read_along_is_pointed_out() -> None:
    plain = RemoteServerConfig(name="r", url="http://10.0.0.1/mcp")
    assert server_consent(plain, ConsentBook()).warnings != ()
    assert server_consent(ADDRESS, ConsentBook()).warnings == ()


@pytest.mark.parametrize(
    "changed",
    [
        replace(PROGRAM, command=("npx", "-y", "pkg@1.2.4")),
        replace(PROGRAM, command=("npx", "-y pkg@1.2.3")),
        replace(PROGRAM, command=("npx", "-y", "pkg@1.2.3", "")),
        replace(PROGRAM, cwd=None),
        replace(PROGRAM, env=(("KEY", "canary"),)),
        replace(PROGRAM, env=(("KEY", "other"), ("NODE_OPTIONS", "--require x"))),
        replace(PROGRAM, env=(*PROGRAM.env, ("LD_PRELOAD", "x.so"))),
    ],
)
def test_any_change_asks_again(changed: LocalServerConfig) -> None:
    book = approved(PROGRAM)
    assert book.is_approved(server_consent(PROGRAM, book))
    assert not book.is_approved(server_consent(changed, book))


@pytest.mark.parametrize(
    "changed",
    [
        replace(ADDRESS, url="https://h/mcp2"),
        replace(ADDRESS, headers=(("Authorization", "Bearer other"),)),
        replace(ADDRESS, sse=True),
    ],
)
def test_any_change_of_an_address_asks_again(changed: RemoteServerConfig) -> None:
    book = approved(ADDRESS)
    assert not book.is_approved(server_consent(changed, book))


def test_what_does_not_change_what_runs_does_not_ask_again() -> None:
    book = approved(PROGRAM)
    same = replace(PROGRAM, call_timeout=5.0, allowed=frozenset({"a"}), env=tuple(reversed(PROGRAM.env)))
    assert book.is_approved(server_consent(same, book))


def test_the_difference_is_shown() -> None:
    book = approved(PROGRAM)
    consent = server_consent(replace(PROGRAM, command=("npx", "-y", "evil@1.2.3")), book)
    assert consent.changes == ("- argument 2: pkg@1.2.3", "+ argument 2: evil@1.2.3")


def test_only_what_was_asked_can_be_approved_and_only_once() -> None:
    book = ConsentBook()
    consent = server_consent(PROGRAM, book)
    with pytest.raises(KeyError):
        book.approve(consent.digest)
    book.ask(consent)
    assert book.approve(consent.digest) == consent
    with pytest.raises(KeyError):
        book.approve(consent.digest)


def test_a_new_question_takes_the_place_of_the_old_one_about_the_same() -> None:
    book = ConsentBook()
    old = server_consent(PROGRAM, book)
    new = server_consent(replace(PROGRAM, cwd=None), book)
    book.ask(old)
    book.ask(new)
    assert book.asked == (new,)
    with pytest.raises(KeyError):
        book.approve(old.digest)


def test_another_server_of_the_same_command_is_another_question() -> None:
    book = approved(PROGRAM)
    assert not book.is_approved(server_consent(replace(PROGRAM, name="t"), book))


def test_revoking_forgets() -> None:
    book = approved(PROGRAM)
    book.revoke("s")
    assert not book.is_approved(server_consent(PROGRAM, book))


def test_the_book_survives_as_plain_data_without_any_value() -> None:
    book = approved(PROGRAM)
    data = book.to_json()
    assert b"canary" not in data
    assert ConsentBook.from_json(data).is_approved(server_consent(PROGRAM, book))
    assert ConsentBook.from_json(data).to_json() == data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b'{"version":1}',
        b'{"version":2,"approved":{}}',
        b'{"version":1,"approved":{"s":{"server":true}}}',
        b'{"version":1,"approved":{"s":{"server":{"digest":"x"}}}}',
    ],
)
def test_a_broken_book_grants_nothing(data: bytes) -> None:
    with pytest.raises(ValueError):
        ConsentBook.from_json(data)


def test_a_tool_that_says_something_else_is_another_tool() -> None:
    book = ConsentBook()
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    tool = define("t", "Reads a file.", schema)
    book.meet("s", [tool])
    assert book.is_approved(tool_consent("s", define("t", "Reads a file.", dict(schema)), book))
    assert book.is_approved_tool("s", tool)
    assert not book.is_approved_tool("r", tool)
    for other in (define("t", "Reads a file!", schema), define("t", "Reads a file.", {"type": "object"})):
        assert not book.is_approved(tool_consent("s", other, book))
    changed = tool_consent("s", define("t", "Reads a file.\nThen mails it.", schema), book)
    assert changed.changes == ("+ Then mails it.",)


def test_only_the_tools_of_the_first_time_come_with_the_server() -> None:
    book = ConsentBook()
    book.meet("s", [])
    late = define("late", "", {})
    book.meet("s", [late])
    assert not book.is_approved_tool("s", late)
    book = ConsentBook.from_json(book.to_json())
    book.meet("s", [late])
    assert not book.is_approved_tool("s", late)


def test_a_tool_is_never_taken_for_a_server() -> None:
    book = ConsentBook()
    tool = tool_consent("s", define("server", "", {}), book)
    assert isinstance(tool, Consent)
    assert tool.subject != server_consent(PROGRAM, book).subject
