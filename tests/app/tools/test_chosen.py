"""Which tools a chat is offered, switched one by one and together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.app.tools.chosen import Chosen
from rillet.app.tools.words import BUILTIN, NEED_FOLDER, SKILL, of_builtin
from rillet.core.tools.builtin import builtin_tools
from rillet.core.tools.sandbox import find_sandbox
from rillet.core.tools.workspace import Workspace
from support.apart import run_apart

NAMES = st.frozensets(st.sampled_from("abcdef"))


@pytest.mark.parametrize("value", [None, "all", ["a", "b"]])
def test_a_chat_keeps_what_was_chosen(value: object) -> None:
    assert Chosen.of(value).value == value


@given(now=NAMES, names=NAMES.filter(bool), known=NAMES)
def test_a_switch_changes_what_it_is_about_and_nothing_else(
    now: frozenset[str], names: frozenset[str], known: frozenset[str]
) -> None:
    on, off = Chosen(now).switched(names, known, on=True), Chosen(now).switched(names, known, on=False)
    assert on.share(names) == "all"
    assert off.share(names) == "none"
    assert on.names is not None
    assert off.names is not None
    assert on.names - names == off.names - names == now - names


@given(names=NAMES.filter(bool))
def test_switching_one_off_of_all_leaves_the_others_that_are_known(names: frozenset[str]) -> None:
    left = Chosen(None).switched(names, "abcdef", on=False)
    assert left.names == frozenset("abcdef") - names


async def _tool_names(folder: Workspace | None) -> set[str]:
    sandbox = None if folder is None else await find_sandbox(folder.root, ())
    return {tool.name for tool in builtin_tools(folder, sandbox)}


def test_every_built_in_tool_has_words_and_those_that_need_a_folder_are_known(tmp_path: object) -> None:

    everything = run_apart(_tool_names(Workspace(str(tmp_path))))
    without = run_apart(_tool_names(None))
    assert set(BUILTIN) == everything
    assert everything - without == NEED_FOLDER
    assert all(of_builtin(name) for name in (*BUILTIN, SKILL))
