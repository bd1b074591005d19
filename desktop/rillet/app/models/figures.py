"""What answers took, out of what the store knows: a line for a message, a sentence for a chat.

Pure. Above: ``store/messages``, ``store/ledger``, ``widgets/figures``. Below: ``line``, ``context_card``. Guarantee:
what a provider did not tell is not counted as nothing.
"""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication

from rillet.widgets.figures import Figures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rillet.core.store.ledger import Spending

translate = QCoreApplication.translate


def money(dollars: float) -> str:
    """US dollars: "$0.0021", "$1.20", "free"."""
    if dollars == 0:
        return translate("Figures", "free")
    if dollars >= 1:
        return f"${dollars:.2f}"
    places = max(0, 1 - floor(log10(dollars)))
    return f"${dollars:.{places}f}".rstrip("0")


def figures_of(details: Sequence[Mapping[str, Any]]) -> Figures:
    """The figures of an answer that consists of messages with these details: several, when it called tools."""
    usages = [each["usage"] for each in details if isinstance(each.get("usage"), dict)]
    costs = [each.get("cost") for each in details if "usage" in each]
    known = [cost for cost in costs if isinstance(cost, int | float)]
    return Figures(
        prompt_tokens=_sum(usages, "prompt_tokens"),
        cached_tokens=_sum(usages, "cached_tokens"),
        tokens=_sum(usages, "completion_tokens"),
        first=next((each["first_token"] for each in details if "first_token" in each), None),
        seconds=sum(each.get("seconds", 0) for each in details) or None,
        cost=money(sum(known)) if known and len(known) == len(costs) else None,
    )


def spent(spending: Spending) -> str:
    """What a chat took so far."""
    if not spending.answers:
        return translate("Figures", "What this chat took is not known: the provider did not tell.")
    words = translate("Figures", "Spent in this chat: {sent:,} tokens sent, {written:,} written")
    said = [words.format(sent=spending.prompt_tokens, written=spending.completion_tokens)]
    if spending.cached_tokens:
        said.append(translate("Figures", "{count:,} from the cache").format(count=spending.cached_tokens))
    if spending.cost is None:
        said.append(translate("Figures", "cost not known"))
    else:
        said.append(money(spending.cost))
        if spending.unpriced:
            said.append(translate("Figures", "{count} answers without a known price").format(count=spending.unpriced))
    return ", ".join(said) + "."


def _sum(usages: Sequence[Mapping[str, Any]], name: str) -> int | None:
    known = [count for usage in usages if isinstance(count := usage.get(name), int)]
    return sum(known) if known else None
