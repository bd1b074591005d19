"""Coroutines of a test in a thread that has no event loop: that of the GUI stays where qasync put it."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """Run it to its end, in a loop of its own, on a thread of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
