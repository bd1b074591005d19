"""Names that cannot be mixed up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.tools.mcp.names import collisions, skeleton, tool_name
from rillet.core.tools.tool import NAME


@pytest.mark.parametrize(
    ("server", "tool", "expected"),
    [
        ("files", "read", "files_read"),
        ("my files", "read.all", "my_files_read_all"),
        ("git-hub", "create_issue", "git-hub_create_issue"),
    ],
)
def test_a_plain_name_is_server_and_tool(server: str, tool: str, expected: str) -> None:
    assert tool_name(server, tool) == expected


@given(st.text(min_size=1), st.text(min_size=1))
def test_every_name_is_legal_and_always_the_same(server: str, tool: str) -> None:
    name = tool_name(server, tool)
    assert NAME.fullmatch(name)
    assert name == tool_name(server, tool)


def test_long_names_and_lost_letters_stay_apart() -> None:
    tools = ["a" * 100, "a" * 101, "天気", "気温", "naïve", "naive", "rеad", "read"]
    names = {tool_name("server", tool) for tool in tools}
    assert len(names) == len(tools)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("read-file", "read_file"),
        ("readFile", "read_file"),
        ("read.file", "read_file"),
        ("READ", "read"),
        ("rеad", "read"),  # Cyrillic
        ("ｒｅａｄ", "read"),
        ("réad", "read"),
        ("he11o", "hello"),
        ("list0", "listo"),
        ("ﬁle", "file"),
    ],
)
def test_names_that_look_alike_have_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


def test_of_two_that_look_alike_neither_is_offered_and_both_are_named() -> None:
    refused = collisions([("s", "read-file"), ("s", "read_file"), ("s", "write")])
    assert refused == {
        ("s", "read-file"): "read-file of s could be taken for read_file of s",
        ("s", "read_file"): "read_file of s could be taken for read-file of s",
    }


def test_a_tool_of_one_server_cannot_pass_for_that_of_another() -> None:
    refused = collisions([("a", "b_c"), ("a_b", "c")])
    assert refused.keys() == {("a", "b_c"), ("a_b", "c")}


def test_a_name_of_ours_is_taken() -> None:
    assert collisions([("web", "fetch"), ("web", "search")], taken=["webfetch", "bash"]) == {
        ("web", "fetch"): "fetch of web could be taken for webfetch, a tool of this program"
    }
