"""Who answers: one endpoint, the style it speaks, and how to reach it.

A value. Above: ``net/profile``. Below: ``client`` joins it with a codec and a transport. Decoding and error
classification depend on the style, never on the id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from urllib.parse import unquote

from rillet.core.net.profile import NetworkProfile
from rillet.core.providers.address import SECRET_PARAMETER
from rillet.core.providers.local_server import LocalServer
from rillet.core.wire.redact import hide


@dataclass(frozen=True, slots=True)
class Provider:
    """One endpoint. The key is never part of the repr.

    Args:
        id: What the host calls it; nothing depends on it.
        style: "openai" (Chat Completions, and every server that speaks it), "openai-responses", "anthropic", "gemini"
            or "ollama". Another one is a ValueError of the client.
        base_url: What the paths of the style are put behind, as "https://api.openai.com/v1".
        api_key: None: none is sent.
        default_model: What answers when a request names no model.
        headers: Sent with every request; values may hold secrets, so they are not in the repr either.
        network: Proxy, certificates and time limits.
        think_tags: Split a leading ``<think>…</think>`` of the answer into reasoning: for local servers that do not.
        name: For people; the id when None.
        key_header: The header that carries the key where it is not the style's own (Azure: "api-key").
        models_url: Where the list of models is, when it is not beside the other addresses.
        listed_models: The models of a provider that has no list to ask for.
        facts: Whose models these are: the name under which ``facts`` knows them; None: the id.
        server: A child process that serves this provider: it is started by the first request and knows the URL and the
            key.
    """

    id: str
    style: str
    base_url: str
    api_key: str | None = field(default=None, repr=False)
    default_model: str | None = None
    headers: Sequence[tuple[str, str]] | Mapping[str, str] = field(default=(), repr=False)
    network: NetworkProfile = field(default_factory=NetworkProfile)
    think_tags: bool = False
    name: str | None = None
    key_header: str | None = None
    models_url: str | None = None
    listed_models: Sequence[str] = ()
    facts: str | None = None
    server: LocalServer | None = None

    def __post_init__(self) -> None:
        pairs = self.headers.items() if isinstance(self.headers, Mapping) else self.headers
        object.__setattr__(self, "listed_models", tuple(self.listed_models))
        object.__setattr__(self, "headers", tuple((str(name), str(value)) for name, value in pairs))

    @property
    def label(self) -> str:
        """The name for people."""
        return self.name or self.id

    @property
    def secrets(self) -> frozenset[str]:
        """Everything that no message and no log may hold, as it may be quoted by others: encoded or not."""
        values = [value for _, value in (*self.headers, *self.network.headers)]
        values += [value.partition(" ")[2] for value in values]  # "Bearer …"
        values += [self.api_key or "", (self.api_key or "").strip(), self.network.client_key_password or ""]
        for url in (self.base_url, self.models_url or ""):
            values += [match["value"] for match in SECRET_PARAMETER.finditer(url)]
        login = (self.network.proxy or "").rpartition("@")[0].partition("://")[2]
        values += [login, login.partition(":")[2]]
        return frozenset(spelling for value in values for spelling in (value, unquote(value)) if spelling)

    def __repr__(self) -> str:
        shown = {each.name: getattr(self, each.name) for each in fields(self) if each.repr}
        text = ", ".join(f"{name}={value!r}" for name, value in shown.items())
        return hide(f"Provider({text})", self.secrets)
