from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.tools.files.patch import AddFile, DeleteFile, Hunk, PatchError, UpdateFile, parse_patch, place_hunks
from rillet.core.tools.files.text import TextFile


def patch(body: str) -> str:
    return f"*** Begin Patch\n{body}\n*** End Patch\n"


def updated(text: str, body: str) -> str:
    (file,) = parse_patch(patch(f"*** Update File: x\n{body}"))
    assert isinstance(file, UpdateFile)
    return TextFile(text).spliced(place_hunks(TextFile(text).text, file.hunks)).raw


def hunk(lines: str, *headings: str, at_end: bool = False, number: int = 3) -> Hunk:
    return Hunk(headings, tuple((line[0], line[1:]) for line in lines.split("\n")), at_end, number)


@pytest.mark.parametrize(
    ("body", "files"),
    [
        ("*** Add File: a b/ü.md\n+# x\n+\n+y", [AddFile("a b/ü.md", "# x\n\ny\n")]),
        ("*** Add File: empty", [AddFile("empty", "")]),
        ("*** Add File: x\n+a\n\n+b\n\n", [AddFile("x", "a\n\nb\n")]),
        ("*** Delete File: x\n\n*** Delete File: y", [DeleteFile("x"), DeleteFile("y")]),
        ("*** Update File: x\n@@\n-a\n+b", [UpdateFile("x", None, (hunk("-a\n+b", number=4),))]),
        ("*** Update File: x\n-a\n+b", [UpdateFile("x", None, (hunk("-a\n+b"),))]),
        ("*** Update File: x\n*** Move to: y", [UpdateFile("x", "y", ())]),
        ("*** Update File: x\n*** Move to: y\n-a", [UpdateFile("x", "y", (hunk("-a", number=4),))]),
        (
            "*** Update File: x\n@@ class A\n@@  def b\n c\n-d",
            [UpdateFile("x", None, (hunk(" c\n-d", "class A", " def b", number=5),))],
        ),
        ("*** Update File: x\n-a\n*** End of File", [UpdateFile("x", None, (hunk("-a", at_end=True),))]),
        ("*** Update File: x\n-a\n@@\n-b", [UpdateFile("x", None, (hunk("-a"), hunk("-b", number=5)))]),
        ("*** Update File: x\n a\n\n-b", [UpdateFile("x", None, (hunk(" a\n \n-b"),))]),
        ("*** Update File: x\n@@ -1,3 +1,4 @@ def f\n-b", [UpdateFile("x", None, (hunk("-b", number=4),))]),
        (
            "*** Update File: x\n-*** Delete File: y\n+*** End Patch",
            [UpdateFile("x", None, (hunk("-*** Delete File: y\n+*** End Patch"),))],
        ),
        ("*** Add File: x\n+*** End Patch", [AddFile("x", "*** End Patch\n")]),
    ],
)
def test_every_kind_of_line_is_read(body: str, files: list[object]) -> None:
    assert list(parse_patch(patch(body))) == files


@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "\n\n{}\n\n",
        "```\n{}```",
        "apply_patch <<'EOF'\n{}EOF\n",
        "Here it is:\n{}That is all.",
    ],
)
def test_what_stands_around_a_patch_is_passed_over(frame: str) -> None:
    assert parse_patch(frame.format(patch("*** Delete File: x"))) == (DeleteFile("x"),)


def test_windows_line_ends_are_read_as_line_ends() -> None:
    assert parse_patch(patch("*** Add File: x\n+a\n+b").replace("\n", "\r\n")) == (AddFile("x", "a\nb\n"),)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a patch begins with"),
        ("*** Update File: x\n-a\n+b", "a patch begins with"),
        ("*** Begin Patch\n*** Add File: x\n+a", "it was cut off"),
        ("*** Begin Patch\n*** Add File: x\n+*** End Patch", "it was cut off"),
        ("*** End Patch\n*** Begin Patch\n*** Delete File: x", "it was cut off"),
        (patch(""), "names no file"),
        (patch("hello"), "line 2 of the patch should name a file"),
        (patch("*** Rename File: x"), "line 2 of the patch should name a file"),
        (patch("*** Add File:"), "line 2 of the patch should name a file"),
        (patch("*** Add File: x\n+a\nb"), "line 4 of the patch should begin with +"),
        (patch("*** Add File: x\n-a"), "line 3 of the patch should begin with +"),
        (patch("*** Delete File: x\n-a"), "no lines can follow"),
        (patch("*** Update File: x"), "says nothing of what changes"),
        (patch("*** Update File: x\n@@ a"), "says nothing of what changes"),
        (patch("*** Update File: x\n-a\n~b"), "line 4 of the patch should begin with a space"),
    ],
)
def test_what_is_no_patch_says_where_and_why(text: str, reason: str) -> None:
    with pytest.raises(PatchError) as caught:
        parse_patch(text)
    assert reason in str(caught.value)


TWICE = "def a():\n    return 1\n\ndef b():\n    return 1\n"


@pytest.mark.parametrize(
    ("text", "body", "expected"),
    [
        ("a\nb\nc\n", " a\n-b\n+x\n c", "a\nx\nc\n"),
        ("a\nb\nc\n", "-a\n-b\n-c", ""),
        ("a\nb\nc\n", " b\n+x", "a\nb\nx\nc\n"),
        ("a\nb\nc\n", "+x\n a", "x\na\nb\nc\n"),
        ("a\nb\nc\n", "+x", "a\nb\nc\nx\n"),
        ("", "+x\n+y", "x\ny\n"),
        ("a\nb\nc\n", "@@ a\n+x", "a\nx\nb\nc\n"),
        ("a\nb", "-b\n+x", "a\nx"),
        ("a\nb", "-b", "a"),
        ("a", "-a", ""),
        ("a\nb", " b\n+x", "a\nb\nx"),
        ("a\nb", "+x", "a\nb\nx"),
        (TWICE, "@@ def b():\n-    return 1\n+    return 2", TWICE[:-2] + "2\n"),
        (TWICE, "@@ def b():\n def b():\n-    return 1\n+    return 2", TWICE[:-2] + "2\n"),
        (TWICE, "-    return 1\n+    return 2\n*** End of File", TWICE[:-2] + "2\n"),
        (
            TWICE,
            " def a():\n-    return 1\n+    return 2\n@@\n-    return 1\n+    return 3",
            TWICE.replace("1", "2", 1).replace("1", "3"),
        ),
        ("x\na\ny\na\n", "@@ x\n@@ y\n-a\n+b", "x\na\ny\nb\n"),
        ("a  \nb\n", " a\n-b\n+c", "a  \nc\n"),
        ("a\nb\n", " a  \n-b\t\n+c", "a\nc\n"),
        ("  indented\nb\n", "@@ indented\n-b\n+c", "  indented\nc\n"),
        ("a\r\nb\r\nc", " a\n-b\n+x\n+y", "a\r\nx\r\ny\r\nc"),
        ("a\r\nb\nc\r\n", " a\n-b\n+x\n c", "a\r\nx\nc\r\n"),
        ("a\r\nb\nc\r\n", " a\n b\n c\n+x", "a\r\nb\nc\r\nx\r\n"),
        ("a\nb\nc\n", " a\n-b\n+x\n\n@@\n-c\n+y\n\n", "a\nx\ny\n"),
        ("a\n\n\nb\n", " a\n\n\n-b\n+c", "a\n\n\nc\n"),
    ],
)
def test_a_hunk_changes_what_it_names_and_nothing_else(text: str, body: str, expected: str) -> None:
    assert updated(text, body) == expected


@pytest.mark.parametrize(
    ("text", "body", "reason"),
    [
        (
            TWICE,
            "-    return 1\n+    return 2",
            "the hunk in line 3 of the patch fits at lines 2, 5: give more context",
        ),
        (TWICE, "-  return 1", "does not fit: it differs only in white space: line 2 is '    return 1'"),
        (
            TWICE,
            " def a():\n-    return 2",
            "it begins at line 1, but where it has '    return 2', line 2 is '    return 1'",
        ),
        (TWICE, "@@ def c():\n-    return 1", "no line is 'def c():', as the patch says (@@)"),
        (TWICE, " def b():\n-    return 1\n@@\n def a():\n-    return 1", "fits only above the one before it"),
        ("", "-a", "nothing in the file resembles its first line"),
    ],
)
def test_a_hunk_that_does_not_fit_says_what_is_there_instead(text: str, body: str, reason: str) -> None:
    with pytest.raises(PatchError) as caught:
        updated(text, body)
    assert reason in str(caught.value)


LINES = st.lists(st.sampled_from(["", "a", "b", " c", "+d", "-e", "@@", "*** f"]), max_size=12)


@given(LINES, LINES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_patch_of_all_lines_turns_any_file_into_any_other(
    old: list[str], new: list[str], end: str, ends: bool
) -> None:
    if not old or not new or old == [""] or (not ends and "" in (old[-1], new[-1])):
        return  # an empty last line is none
    text = end.join(old) + end * ends
    body = "\n".join([*(f"-{line}" for line in old), *(f"+{line}" for line in new)])
    style = end if end in text else "\n"
    assert updated(text, body) == style.join(new) + end * ends
