"""``rillet --doctor``: the examination of ``core/providers/doctor`` as lines in the terminal. Needs no Qt.

Exit codes: 0 everything works, 1 something does not, 2 this is no address, 130 interrupted.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

from rillet.core.errors import LlmError
from rillet.core.providers import local_model
from rillet.core.providers.address import parse_address
from rillet.core.providers.builtin import builtin_providers, from_environment
from rillet.core.providers.compatible import compatible, known_at
from rillet.core.providers.doctor import examine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rillet.core.providers.doctor import Step
    from rillet.core.providers.provider import Provider

WORKS, FAILS, UNUSABLE, INTERRUPTED = 0, 1, 2, 130
KEY_VARIABLE: Final = "RILLET_API_KEY"
"""Holds the key for an address that belongs to no known provider."""
TITLES: Final = {
    "lookup": "name lookup",
    "connect": "connection",
    "proxy": "proxy",
    "tls": "encryption",
    "http": "HTTP",
    "endpoint": "model server",
    "key": "key",
    "model": "model",
}


def diagnose(target: str, model: str | None = None) -> int:
    """Examine an address or a provider by its id, print what is found, and return the exit code."""
    try:
        provider = patient(target, os.environ)
    except LlmError as error:
        sys.stderr.write(f"{error.user_message}\n")
        return UNUSABLE
    title = (provider.label, provider.style, _shown(provider.base_url))
    sys.stdout.write(f"{' · '.join(filter(None, title))}\n")
    try:
        return asyncio.run(_print(provider, model))
    except KeyboardInterrupt:
        return INTERRUPTED


def patient(target: str, environment: Mapping[str, str]) -> Provider:
    """Who is meant by an address or an id, with the key that the environment holds for him.

    Raises:
        InvalidRequestError: this is neither.
    """
    if target == local_model.ID:
        return local_model.local_provider()
    keyed = {provider.id: provider for provider in from_environment(environment)}
    if target in keyed:
        return keyed[target]
    for known in builtin_providers():
        if known.id == target and known.base_url:
            return known.provider()
    known_there = known_at(parse_address(target))
    variables = known_there.key_variables if known_there is not None else (KEY_VARIABLE,)
    key = next((value for name in variables if (value := environment.get(name, "").strip())), None)
    return compatible(target, key)


async def _print(provider: Provider, model: str | None) -> int:
    worst = WORKS
    async with aclosing(examine(provider, model)) as steps:
        async for step in steps:
            sys.stdout.write(f"{_line(step)}\n")
            sys.stdout.flush()
            if step.outcome == "failed":
                worst = FAILS
    return worst


def _line(step: Step) -> str:
    return f"{step.outcome:<8}{TITLES[step.name]:<14}{step.sentence}"


def _shown(url: str) -> str:
    """An address without its query, which may hold a key."""
    return url.partition("?")[0]
