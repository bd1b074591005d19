"""Public names that resolve on first use (PEP 562), so that importing a package loads only the package.

Knows nothing of Rillet. Below: the ``__init__`` of ``rillet``, ``rillet.qt`` and ``rillet.widgets``. Each of them says
where its names live twice: for the type checker as imports under TYPE_CHECKING, and at run time as a mapping; a test
holds the two together.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def exports(package: str, homes: Mapping[str, Sequence[str]]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The module functions ``__getattr__`` and ``__dir__`` of ``package``; ``homes`` maps modules to names."""
    home_of = {name: home for home, names in homes.items() for name in names}
    namespace = vars(sys.modules[package])

    def resolve(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = namespace[name] = getattr(import_module(home_of[name]), name)
        return value

    def names() -> list[str]:
        return sorted({*namespace, *home_of})

    return resolve, names
