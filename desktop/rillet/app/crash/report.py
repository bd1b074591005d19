"""What is told of a run that ended badly.

Above: ``log``, ``scrub``. Below: ``main`` asks, ``report_dialog`` shows it. Pure but for reading the file. Guarantee:
it is what stands in the log, without folders of this machine and without keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rillet.app.crash.log import HEAD
from rillet.app.crash.scrub import dumped
from rillet.core.wire.redact import redact

if TYPE_CHECKING:
    from pathlib import Path

LONGEST: Final = 60_000
"""Bytes that are shown, the last ones."""


def last_run(path: Path, end: int) -> str:
    """The paragraph that ends at this place of the log; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, end - LONGEST))
            text = file.read(end - file.tell()).decode(errors="replace")
    except OSError:
        return ""
    begins = text.rfind(HEAD)
    return redact(dumped(text[max(0, begins) :])).strip()
