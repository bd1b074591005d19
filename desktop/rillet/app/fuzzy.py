"""How well a name fits what somebody types in a hurry: words in any order, parts of words, or their letters in order.

Pure. Below: ``palette_window``.
"""

from __future__ import annotations

_START, _WORD, _INSIDE, _LETTERS = 8.0, 6.0, 4.0, 1.0


def fitness(query: str, text: str) -> float | None:
    """The larger, the better ``text`` fits; None: it does not. Both are case-folded already."""
    total = 0.0
    for word in query.split():
        found = _fitness_of_word(word, text)
        if found is None:
            return None
        total += found
    return total


def _fitness_of_word(word: str, text: str) -> float | None:
    at = text.find(word)
    if at == 0:
        return _START
    if at > 0:
        return _WORD if f" {word}" in text else _INSIDE
    return _fitness_of_letters(word, text)


def _fitness_of_letters(word: str, text: str) -> float | None:
    """For letters that follow each other with gaps: "nch" for "new chat". The first begins a word."""
    if len(word) < 2:
        return None
    first = 0 if text.startswith(word[0]) else text.find(f" {word[0]}") + 1
    if first == 0 and not text.startswith(word[0]):
        return None
    at = first
    for letter in word[1:]:
        at = text.find(letter, at + 1)
        if at < 0:
            return None
    return _LETTERS * len(word) / (at - first + 1)
