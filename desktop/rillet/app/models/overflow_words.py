"""What can be done when a chat outgrows the window of its model, in words.

Pure. Above: ``core/chat/plan``. Below: ``overflow_form`` and the settings let one choose it, ``personas`` tells it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from rillet.core.chat.plan import Rule

translate = QCoreApplication.translate


def rules() -> tuple[tuple[Rule, str], ...]:
    """Every rule, and the words for it."""
    return (
        ("trim", translate("Overflow", "Leave out the oldest")),
        ("summarize", translate("Overflow", "Summarize the oldest")),
        ("keep", translate("Overflow", "Send everything, and warn me")),
    )


def in_short(rule: Rule) -> str:
    """What a rule does, where there is little room."""
    told: dict[Rule, str] = {
        "trim": translate("Overflow", "leave out"),
        "summarize": translate("Overflow", "summarize"),
        "keep": translate("Overflow", "warn me"),
    }
    return told[rule]


def in_a_list(rule: str) -> str:
    """What a rule does, as one among the other things that a persona does."""
    told = {
        "trim": translate("Overflow", "leaves out the oldest when the window is full"),
        "summarize": translate("Overflow", "summarizes the oldest when the window is full"),
        "keep": translate("Overflow", "sends everything when the window is full"),
    }
    return told.get(rule, rule)
