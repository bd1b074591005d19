"""What is known about a model, in a few words for people. What is unknown is not mentioned.

Pure. Above: ``core/types``. Below: ``offers``, ``picker``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from rillet.core.types import Model, Prices

translate = QCoreApplication.translate


def describe(model: Model) -> str:
    """Name, window, abilities and prices, one below the other; empty when nothing is known."""
    lines = [model.name if model.name != model.id else None, _size(model), _abilities(model), _prices(model.prices)]
    return "\n".join(line for line in lines if line)


def brief(model: Model) -> str:
    """Abilities, window and prices in one line: "images · tools · 128K · $2.5 / $10"; empty when nothing is known."""
    known = (
        (model.vision, translate("ModelWords", "images")),
        (model.tools, translate("ModelWords", "tools")),
        (model.reasoning, translate("ModelWords", "thinking")),
    )
    window = None if model.context_window is None else tokens(model.context_window)
    parts = [*(words for has_it, words in known if has_it), window, _brief_prices(model.prices)]
    return " · ".join(part for part in parts if part)


def tokens(count: int) -> str:
    """A number of tokens as people say it: "8K", "200K", "1M", "1.05M"."""
    if count >= 1_000_000:
        return f"{count / 1_000_000:.3g}M"
    return f"{count / 1000:.3g}K" if count >= 1000 else str(count)


def _size(model: Model) -> str | None:
    if model.context_window is None:
        return None
    window = translate("ModelWords", "{count} tokens of context").format(count=tokens(model.context_window))
    if model.output_limit is None:
        return window
    both = translate("ModelWords", "{window}, answers up to {count}")
    return both.format(window=window, count=tokens(model.output_limit))


def _abilities(model: Model) -> str | None:
    known = (
        (model.vision, translate("ModelWords", "sees images")),
        (model.tools, translate("ModelWords", "uses tools")),
        (model.reasoning, translate("ModelWords", "thinks")),
    )
    return ", ".join(words for has_it, words in known if has_it) or None


def _brief_prices(prices: Prices | None) -> str | None:
    if prices is None or prices.input is None or prices.output is None:
        return None
    if prices.input == prices.output == 0:
        return translate("ModelWords", "free of charge")
    return f"${prices.input:.4g} / ${prices.output:.4g}"


def _prices(prices: Prices | None) -> str | None:
    if prices is None or prices.input is None or prices.output is None:
        return None
    if prices.input == prices.output == 0:
        return translate("ModelWords", "free of charge")
    words = translate("ModelWords", "${input:.4g} in, ${output:.4g} out per million tokens")
    return words.format(input=prices.input, output=prices.output)
