"""Every behaviour in every style: what a server may do to us, and what must hold all the same."""

from __future__ import annotations

from collections import Counter

import pytest

from chaos import compression, connections, cuts, endings, events, framing, heads, pace, redirects, statuses
from chaos.behaviour import BEHAVIOURS, Behaviour, body
from chaos.run import run
from support.answers import STYLES

KINDS = (compression, connections, cuts, endings, events, framing, heads, pace, redirects, statuses)
RUNS = [
    pytest.param(behaviour, style, id=f"{behaviour.kind}: {behaviour.name}, {style}")
    for behaviour in BEHAVIOURS
    for style in behaviour.styles
]


@pytest.fixture(autouse=True)
def short_formalities(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a server gets after it has said what matters."""
    monkeypatch.setattr("rillet.core.client.AFTER_FINISH", 0.2)
    monkeypatch.setattr("rillet.core.client.ERROR_BODY_PATIENCE", 0.2)
    monkeypatch.setattr("rillet.core.client.DRAIN", 0.05)


@pytest.mark.parametrize(("behaviour", "style"), RUNS)
async def test_nothing_is_lost_and_nothing_is_made_up(behaviour: Behaviour, style: str) -> None:
    good = body(style)
    await run(behaviour.plan(good), good)


def test_there_are_enough_behaviours_of_enough_kinds_each_with_its_source() -> None:
    for_all = Counter(behaviour.kind for behaviour in BEHAVIOURS if set(behaviour.styles) == set(STYLES))
    assert for_all.total() >= 60
    assert len(for_all) == len(KINDS)
    assert len({behaviour.name for behaviour in BEHAVIOURS}) == len(BEHAVIOURS)
    assert all(behaviour.source for behaviour in BEHAVIOURS)
