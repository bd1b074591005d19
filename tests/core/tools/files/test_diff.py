from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.tools.files import diff
from rillet.core.tools.files.diff import count_changes, unified_diff

TEXTS = st.lists(
    st.sampled_from(["a\n", "b\n", "\n", "--- c\n", "+++ d\n", "@@ e\n", "f\r\n", "\x0c\n", "end"]), max_size=25
)


def lines_of(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def applied(old: str, patch: str) -> str:
    """The new text, from the old one and a diff; every line of the diff is checked against the old text."""
    source, result, position = lines_of(old), [], 0
    body = patch.split("\n")[2:-1]
    index = 0
    while index < len(body):
        head = re.fullmatch(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", body[index])
        assert head is not None
        index += 1
        olds, news = int(head[2] or 1), int(head[4] or 1)
        start = int(head[1]) - (olds > 0)
        result += source[position:start]
        position = start
        assert len(result) == int(head[3]) - (news > 0)
        while olds or news or (index < len(body) and body[index].startswith("\\")):
            sign, line = body[index][0], body[index][1:] + "\n"
            index += 1
            if index < len(body) and body[index].startswith("\\"):
                line = line[:-1]
                index += 1
            if sign in " -":
                assert source[position] == line
                position, olds = position + 1, olds - 1
            if sign in " +":
                result.append(line)
                news -= 1
    return "".join(result + source[position:])


@given(TEXTS.map("".join), TEXTS.map("".join))
def test_the_diff_applied_to_the_old_text_gives_the_new_one(old: str, new: str) -> None:
    patch = unified_diff(old, new, "x", "x")
    assert (applied(old, patch) if patch else old) == new


@given(TEXTS.map("".join), TEXTS.map("".join))
def test_a_large_change_is_one_block_and_still_right(old: str, new: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(diff, "MAX_COMPARED", 0)
        patch = unified_diff(old, new, "x", "x")
    assert (applied(old, patch) if patch else old) == new
    assert patch.count("\n@@ -") <= 1 + old.count("@@ ") + new.count("@@ ")


def test_it_looks_as_everybody_knows_it() -> None:
    old, new = "1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"
    assert unified_diff(old, new, "src/a", "src/a") == (
        "--- a/src/a\n+++ b/src/a\n@@ -2,8 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n-9\n"
        "\\ No newline at end of file\n+9\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (None, "a\n", "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"),
        ("a\n", None, "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"),
        (None, "", "--- /dev/null\n+++ b/x\n"),
        ("a", "a", ""),
        (None, None, ""),
    ],
)
def test_files_that_come_and_go(old: str | None, new: str | None, expected: str) -> None:
    assert unified_diff(old, new, "x", "x") == expected


def test_a_file_that_only_moves_has_a_head_and_no_body() -> None:
    assert unified_diff("a\n", "a\n", "x", "y") == "--- a/x\n+++ b/y\n"


def test_lines_that_look_like_a_head_are_counted_as_what_they_are() -> None:
    assert count_changes(unified_diff("-- a\nb\n", "++ a\nb\nc\n", "x", "x")) == (2, 1)
