"""One small stream per rule of the wire, written by us: whole, and cut at every boundary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.core.wire.fold import fold
from rillet.core.wire.openai_chat import ChatDecoder
from support.cassettes import cassettes, each_of, read, rules_of
from support.replay import replay

if TYPE_CHECKING:
    from pathlib import Path

PATHS = cassettes("chat")
SEVERAL = [path for path in PATHS if "alternatives" in read(path)[1]]
TestCassettes = rules_of(ChatDecoder, PATHS)


def test_every_rule_has_its_cassette() -> None:
    assert len(PATHS) >= 59
    assert SEVERAL


@each_of(SEVERAL)
def test_further_choices_are_kept_beside_the_answer(path: Path) -> None:
    body, expect = read(path)
    decoder = ChatDecoder()
    replay(decoder, [body])
    others = {str(index): fold(deltas).text for index, deltas in decoder.alternatives().items()}
    assert others == expect["alternatives"]
