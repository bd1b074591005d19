"""Configurations as they are found in READMEs, and what is wrong with others."""

from __future__ import annotations

from typing import Any

import pytest

from rillet.core.tools.mcp.config import (
    LocalServerConfig,
    RemoteServerConfig,
    expand,
    is_encrypted,
    read_config,
    variables,
)


def local(**entry: Any) -> LocalServerConfig:
    read = read_config({"mcpServers": {"s": entry}})
    assert read.problems == ()
    (server,) = read.servers
    assert isinstance(server, LocalServerConfig)
    return server


def remote(**entry: Any) -> RemoteServerConfig:
    read = read_config({"mcpServers": {"s": entry}})
    assert read.problems == ()
    (server,) = read.servers
    assert isinstance(server, RemoteServerConfig)
    return server


def problem(entry: Any) -> str:
    read = read_config({"mcpServers": {"s": entry, "good": {"command": "x"}}})
    assert [server.name for server in read.servers] == ["good"]
    (found,) = read.problems
    assert found.entry == "s"
    return str(found)


@pytest.mark.parametrize(
    "data",
    [
        {"mcpServers": {"a": {"command": "x"}}},
        {"servers": {"a": {"command": "x"}}},
        {"mcp": {"a": {"command": "x"}}},
        {"mcp": {"servers": {"a": {"command": "x"}}}},
    ],
)
def test_every_programs_name_for_the_group_is_known(data: object) -> None:
    read = read_config(data)
    assert [server.name for server in read.servers] == ["a"]
    assert read.problems == ()


def test_groups_are_read_together_and_a_name_counts_once() -> None:
    read = read_config(
        {"mcpServers": {"a": {"command": "x"}}, "servers": {"a": {"command": "y"}, "b": {"url": "https://h"}}}
    )
    assert [server.name for server in read.servers] == ["a", "b"]
    assert [str(each) for each in read.problems] == ["a: the name occurs twice"]


@pytest.mark.parametrize("data", [None, [], "text", {}, {"other": {}}, {"mcpServers": []}])
def test_what_is_no_configuration_is_a_problem(data: object) -> None:
    read = read_config(data)
    assert read.servers == ()
    assert len(read.problems) == 1


def test_a_command_is_a_word_with_arguments_or_a_list() -> None:
    assert local(command="npx", args=["-y", "pkg"]).command == ("npx", "-y", "pkg")
    assert local(command=["npx", "-y", "pkg"]).command == ("npx", "-y", "pkg")
    assert local(command=["npx"], args=["-y"]).command == ("npx", "-y")
    assert local(command="C:\\Program Files\\x.exe").command == ("C:\\Program Files\\x.exe",)


def test_env_is_kept_as_it_stands_under_either_name() -> None:
    assert local(command="x", env={"A": "1", "B": "${B}"}).env == (("A", "1"), ("B", "${B}"))
    assert local(command="x", environment={"A": "1"}).env == (("A", "1"),)


def test_a_url_is_streamable_http_unless_it_is_said_to_be_sse() -> None:
    assert not remote(url="https://h/mcp").sse
    assert remote(url="https://h/sse", type="sse").sse
    assert remote(url="https://h/mcp", headers={"X-Key": "${K}"}).headers == (("X-Key", "${K}"),)


def test_limits_are_thirty_seconds_a_phase_and_sixty_a_call_unless_set() -> None:
    assert (local(command="x").start_timeout, local(command="x").list_timeout) == (30.0, 30.0)
    assert local(command="x").call_timeout == 60.0
    assert local(command="x", timeout=5).call_timeout == 5.0


def test_servers_and_tools_can_be_switched_off() -> None:
    assert local(command="x").enabled
    assert not local(command="x", enabled=False).enabled
    assert not local(command="x", disabled=True).enabled
    assert local(command="x", tools=["a", "b"]).allowed == frozenset(("a", "b"))
    assert local(command="x", tools=["*"]).allowed is None


def test_nothing_an_entry_says_of_itself_is_consent() -> None:
    plain = local(command="x")
    assert local(command="x", autoApprove=["*"], alwaysAllow=["a"], trust=True, enabled=True) == plain


def test_oauth_settings_are_read() -> None:
    server = remote(
        url="https://h", oauth={"clientId": "i", "clientSecret": "s", "scope": "a b", "issuer": "https://a"}
    )
    assert (server.client_id, server.client_secret, server.scope) == ("i", "s", "a b")
    assert server.issuer == "https://a"


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (5, "not an object"),
        ({}, "needs either command or url"),
        ({"command": "x", "url": "https://h"}, "both command and url"),
        ({"command": ""}, "command is empty"),
        ({"command": []}, "neither a string nor a list"),
        ({"command": ["x", 5]}, "neither a string nor a list"),
        ({"command": "x", "args": "-y"}, "args is not a list"),
        ({"command": "x", "args": ["a\0b"]}, "NUL"),
        ({"command": "x", "args": ["a" * 30_000]}, "more than 30,000 characters"),
        ({"command": "x", "args": ["a"] * 30_000}, "more than 30,000 characters"),
        ({"command": "x", "cwd": "a\0b"}, "cwd is no path"),
        ({"command": "x", "args": ["\ud800"]}, "half a character"),
        ({"command": "x", "env": {"A": "\udc00"}}, "half a character"),
        ({"url": "https://x", "headers": {"\ud800": "a"}}, "half a character"),
        ({"command": "x", "args": ["--key=${API_KEY}"]}, "no shell fills in ${API_KEY}"),
        ({"command": "x", "cwd": 5}, "cwd is no path"),
        ({"command": "x", "env": {"A=B": "1"}}, "no name for a variable"),
        ({"command": "x", "env": {"A": 5}}, "env: A is not a string"),
        ({"command": "x", "env": {"A": "a\0b"}}, "NUL"),
        ({"command": "x", "env": ["A"]}, "env is not an object"),
        ({"command": "x", "timeout": 30_000}, "not of milliseconds"),
        ({"command": "x", "timeout": True}, "number of seconds"),
        ({"command": "x", "timeout": 0}, "number of seconds"),
        ({"command": "x", "timeout": float("nan")}, "number of seconds"),
        ({"command": "x", "enabled": "yes"}, "neither true nor false"),
        ({"command": "x", "tools": "a"}, "tools is not a list"),
        ({"command": "x", "type": "http"}, "does not fit command"),
        ({"url": "https://h", "type": "stdio"}, "does not fit url"),
        ({"url": "https://h", "type": "carrier-pigeon"}, "is unknown"),
        ({"url": 5}, "no address"),
        ({"url": "ftp://h"}, "must begin with https"),
        ({"url": "file:///etc/passwd"}, "must begin with https"),
        ({"url": "https://"}, "must begin with https"),
        ({"url": "https://h:port/"}, "no address"),
        ({"url": "https://u:p@h/"}, "holds a user or a password"),
        ({"url": "https://h/#f"}, "fragment"),
        ({"url": "https://h/ x"}, "no address"),
        ({"url": "https://h", "headers": {"X Y": "1"}}, "no name for a header"),
        ({"url": "https://h", "headers": {"X": "a\r\nY: b"}}, "cannot be sent"),
        ({"url": "https://h", "oauth": {"clientId": ""}}, "oauth.clientId"),
        ({"url": "https://h", "oauth": 5}, "oauth is not an object"),
    ],
)
def test_an_entry_that_cannot_be_used_says_why_and_concerns_no_other(entry: Any, why: str) -> None:
    assert why in problem(entry)


def test_a_name_must_be_one() -> None:
    read = read_config({"mcpServers": {" ": {"command": "x"}, "a" * 101: {"command": "x"}}})
    assert read.servers == ()
    assert len(read.problems) == 2


def test_variables_are_filled_in_from_the_environment() -> None:
    values = (("A", "${ONE}"), ("B", "x ${env:ONE} y"), ("C", "${NONE:-else}"), ("D", "$ONE $(ONE)"))
    filled = expand(values, {"ONE": "1"})
    assert filled == {"A": "1", "B": "x 1 y", "C": "else", "D": "$ONE $(ONE)"}
    assert variables(values) == ("NONE", "ONE")


def test_a_variable_that_is_not_set_is_named_without_any_value() -> None:
    with pytest.raises(ValueError, match=r"^the environment variable MISSING is not set$"):
        expand((("A", "secret ${MISSING}"),), {})


def test_what_may_be_secret_is_not_in_the_repr() -> None:
    shown = repr((local(command="x", env={"A": "canary"}), remote(url="https://h", headers={"X": "canary"})))
    assert "canary" not in shown


@pytest.mark.parametrize(
    ("url", "expected"),
    [("https://h", True), ("http://localhost:1/", True), ("http://127.0.0.1", True), ("http://10.0.0.1", False)],
)
def test_http_counts_as_private_on_this_machine_only(url: str, expected: bool) -> None:
    assert is_encrypted(url) is expected
