"""Why there is no summary, for people.

Pure. Above: ``core/chat/summarizing``. Below: ``answers``, ``horizon``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from rillet.widgets import words

if TYPE_CHECKING:
    from rillet.core.chat.summarizing import SummaryFailed

translate = QCoreApplication.translate


def failed(failure: SummaryFailed) -> str:
    """One that was asked for by hand."""
    return translate("Summary", "The oldest questions could not be summarized. {why}").format(why=_why(failure))


def not_sent(failure: SummaryFailed) -> str:
    """One without which a question was not sent."""
    said = translate("Summary", "The oldest questions could not be summarized, so this one was not sent. {why}")
    return said.format(why=_why(failure))


def _why(failure: SummaryFailed) -> str:
    if failure.reason is None:
        return translate("Summary", "The model wrote nothing.")
    return words.sentence(failure.reason)
