"""Host code that raises, and hooks that raise over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.qt.reporter import Reporter

if TYPE_CHECKING:
    import pytest


def test_an_excepthook_that_raises_itself_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def hook(*_: object) -> None:
        raise LookupError("the hook")

    monkeypatch.setattr("sys.excepthook", hook)
    reporter = Reporter()
    reporter.call("onUsage", lambda: 1 / 0)
    reporter.call("onUsage", lambda: 1 / 0)
    assert reporter.counts["onUsage"] == 2
    assert "sys.excepthook failed with ZeroDivisionError" in caplog.text
    assert "the hook" in caplog.text
