from __future__ import annotations

import pytest

from rillet.core.tools.files.matching import explain_absence, find_lines

FILE = ["def a():", "    return 1", "", "def b():", "    return 1", ""]


@pytest.mark.parametrize(
    ("wanted", "start", "places"),
    [
        (["    return 1"], 0, [1, 4]),
        (["    return 1"], 2, [4]),
        (["def b():", "    return 1"], 0, [3]),
        (["", "def b():"], 0, [2]),
        (FILE, 0, [0]),
        ([*FILE, ""], 0, []),
        ([], 0, []),
        (["return 1"], 0, []),
    ],
)
def test_lines_are_found_wherever_they_stand(wanted: list[str], start: int, places: list[int]) -> None:
    assert find_lines(FILE, wanted, start) == places


def test_lines_are_compared_by_a_key() -> None:
    assert find_lines(FILE, ["return 1 "], key=str.strip) == [1, 4]


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (["def b():", "  return 1"], "it differs only in white space: line 5 is '    return 1'"),
        (
            ["def b():", "    return 2"],
            "it begins at line 4, but where it has '    return 2', line 5 is '    return 1'",
        ),
        (
            ["def b():", "    return 1", "", "x"],
            "it begins at line 4, but where it has 'x', line 7 is the end of the file",
        ),
        (["def bb():"], "the nearest to its first line is line 4: 'def b():'"),
        (["something else entirely"], "nothing in the file resembles its first line"),
        (["", "nothing"], "nothing in the file resembles its first line"),
    ],
)
def test_what_is_absent_is_explained_by_what_comes_nearest(wanted: list[str], reason: str) -> None:
    assert explain_absence(FILE, wanted) == reason


def test_a_very_long_line_is_not_quoted_whole() -> None:
    assert len(explain_absence(["a " + "x" * 9999], ["a  " + "x" * 9999])) < 400


def test_an_empty_file_resembles_nothing() -> None:
    assert explain_absence([], ["x"]) == "nothing in the file resembles its first line"
