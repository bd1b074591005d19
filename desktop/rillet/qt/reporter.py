"""Calls of host code that must not be able to stop a stream.

Above: nothing. Below: ``resource`` and ``client`` call listeners and callbacks through it. Guarantee: an Exception that
the host raises goes to ``sys.excepthook`` once per method and reporter; the rest are counted and logged, because a
listener that fails fails on every delta. KeyboardInterrupt and SystemExit pass.
"""

from __future__ import annotations

import logging
import sys
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger("rillet.qt")


class Reporter:
    """Counts what the host raised, by method.

    Attributes:
        counts: How often each method raised.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def call(self, method: str, function: Callable[..., object], *args: object) -> None:
        """Call ``function(*args)`` and report what it raises under the name ``method``."""
        try:
            function(*args)
        except Exception as error:  # noqa: BLE001 (a boundary: code of the host)
            self.report(method, error)

    def report(self, method: str, error: Exception) -> None:
        """Report an exception that host code raised."""
        self.counts[method] += 1
        if self.counts[method] == 1:
            try:
                sys.excepthook(type(error), error, error.__traceback__)
            except Exception:  # a boundary too: the hook is the host's
                log.exception("sys.excepthook failed with %r", error)
        else:
            log.warning("%s raised again (%d times so far): %r", method, self.counts[method], error)
