"""Servers that already run on this machine: Ollama, LM Studio and their like, at their usual ports.

Asks each port for its list of models, all at once and briefly. Above: ``builtin``, ``envelope``, ``net/transport``.
Below: the program offers what is found. Guarantee: no key is sent, and whatever stands at a port without being a
model's server is left out silently.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rillet.core.errors import LlmError
from rillet.core.providers import envelope
from rillet.core.providers.builtin import builtin_providers
from rillet.core.wire.codecs import codec_for

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rillet.core.providers.provider import Provider

PATIENCE: Final = 2.0
"""Seconds. A server on this machine answers in milliseconds, unless the machine is busy."""
LIST_LIMIT: Final = 4 * 1024 * 1024


async def detect_local(candidates: Iterable[Provider] | None = None, *, patience: float = PATIENCE) -> list[Provider]:
    """Those of ``candidates`` that answer now, in their order; None: the local servers that Rillet knows."""
    if candidates is None:
        candidates = [known.provider() for known in builtin_providers() if known.local]
    wanted = list(candidates)
    answers = await asyncio.gather(*(_answers(provider, patience) for provider in wanted))
    return [provider for provider, answered in zip(wanted, answers, strict=True) if answered]


async def _answers(provider: Provider, patience: float) -> bool:
    from rillet.core.net.transport import Transport  # brings httpx: only who asks pays for it

    codec = codec_for(provider.style)
    transport = Transport(replace(provider.network, connect_timeout=patience))
    try:
        async with asyncio.timeout(patience):
            url = envelope.models_url(provider, codec, provider.base_url)
            headers = envelope.headers(provider, codec, None)
            async with await transport.open("GET", url, headers) as answer:
                if answer.status != 200:
                    return False
                codec.decode_models(await answer.read_all(LIST_LIMIT))
                return True
    except (LlmError, TimeoutError):
        return False
    finally:
        await transport.aclose()
