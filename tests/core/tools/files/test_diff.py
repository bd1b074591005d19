from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.tools.files import diff
from rillet.core.tools.files.diff import unified_diff

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
        patched.setattr(diff, "MAX_CHANGES", -1)
        patch = unified_diff(old, new, "x", "x")
    assert (applied(old, patch) if patch else old) == new
    assert patch.count("\n@@ -") <= 1 + old.count("@@ ") + new.count("@@ ")


@given(TEXTS.map("".join), TEXTS.map("".join))
def test_no_diff_is_shorter(old: str, new: str) -> None:
    patch = unified_diff(old, new, "x", "x").split("\n")[2:-1]
    source, target = lines_of(old), lines_of(new)
    common = [[0] * (len(target) + 1) for _ in range(len(source) + 1)]
    for row, line in enumerate(source):
        for column, other in enumerate(target):
            common[row + 1][column + 1] = (
                common[row][column] + 1 if line == other else max(common[row][column + 1], common[row + 1][column])
            )
    assert sum(line[0] in "+-" for line in patch) == len(source) + len(target) - 2 * common[-1][-1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x\n" * 1500, "x\ny\n" * 750),
        ("".join(f"{number}\n\n" for number in range(9000)), "".join(f"z{number}\n\n" for number in range(9000))),
        ("x\n" * 90_000 + "a\n", "b\n" + "x\n" * 90_000),
        ("x\ny\n" * 40_000, "y\ny\nx\n" * 30_000),
    ],
    ids=["one line again and again", "every other line blank", "moved by one", "out of step"],
)
def test_texts_that_are_hard_to_compare_are_compared_in_bounded_steps(old: str, new: str) -> None:
    steps = 0

    class Counted(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal steps
            steps += 1
            return str.__eq__(self, other)

    way = diff._shortest_way([Counted(line) for line in lines_of(old)], lines_of(new))
    assert steps < 2 * diff.MAX_STEPS + 2 * diff.MAX_CHANGES**2
    assert way is None or way[-1] == (len(lines_of(old)), len(lines_of(new)))


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
