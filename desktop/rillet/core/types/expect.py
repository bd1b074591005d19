"""What a host gave in the wrong place, said where it was given and with what belongs there.

Type checkers say it earlier; not everybody asks one, and an ``AttributeError`` from deep inside, perhaps on another
thread, names neither the mistake nor its cure. Pure, and above everything.
"""

from __future__ import annotations


def expect(value: object, kind: type | tuple[type, ...], place: str, cure: str) -> None:
    """Raise TypeError if ``value``, given at ``place``, is of another kind; ``cure`` says what to write instead."""
    if not isinstance(value, kind):
        raise TypeError(f"{place} cannot be {named(value)}: {cure}")


def expect_callable(value: object, place: str) -> None:
    """Raise TypeError if ``value``, given at ``place``, cannot be called."""
    if not callable(value):
        raise TypeError(f"{place} cannot be {named(value)}: give it a function")


def named(value: object) -> str:
    """What a value is, for the one who gave it."""
    if value is None:
        return "None"
    if isinstance(value, type):
        return f"the class {value.__name__} itself"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
