"""Who speaks which style, and where: the providers that need no more than a key, or an address.

Facts only; nothing is contacted. Above: ``provider``, ``address``. Below: the program's model picker and the factories
of ``qt/client``. Each fact is from the provider's own documentation (``source``, as of November 2026). A default model
is given only where the provider keeps an alias for "the current one"; everywhere else one is chosen from the live list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from rillet.core.providers.address import parse_address
from rillet.core.providers.provider import Provider

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltinProvider:
    """One provider that Rillet knows by name."""

    id: str
    name: str
    base_url: str
    style: str = "openai"
    key_variables: tuple[str, ...] = ()
    """Environment variables that hold a key, the usual one first."""
    key_page: str | None = None
    """Where a key is made; None: no key is needed."""
    default_model: str | None = None
    url_variable: str | None = None
    """Environment variable that moves the address: a key that stands beside it belongs to that address only."""
    local: bool = False
    """A server on this machine; such servers often leave ``<think>`` tags in the text."""
    source: str

    def provider(self, api_key: str | None = None, *, base_url: str | None = None) -> Provider:
        """This entry as a provider to talk to."""
        return Provider(
            self.id,
            self.style,
            base_url or self.base_url,
            api_key=api_key,
            default_model=self.default_model,
            think_tags=self.local,
            name=self.name,
        )


BUILTIN: Final[tuple[BuiltinProvider, ...]] = (
    BuiltinProvider(
        id="openai",
        name="OpenAI",
        base_url="https://api.openai.com/v1",
        key_variables=("OPENAI_API_KEY",),
        key_page="https://platform.openai.com/api-keys",
        url_variable="OPENAI_BASE_URL",
        source="https://platform.openai.com/docs/api-reference",
    ),
    BuiltinProvider(
        id="anthropic",
        name="Anthropic",
        base_url="https://api.anthropic.com/v1",
        style="anthropic",
        key_variables=("ANTHROPIC_API_KEY",),
        key_page="https://console.anthropic.com/settings/keys",
        url_variable="ANTHROPIC_BASE_URL",
        source="https://platform.claude.com/docs/en/api/overview",
    ),
    BuiltinProvider(
        id="gemini",
        name="Google Gemini",
        base_url="https://generativelanguage.googleapis.com/v1beta",
        style="gemini",
        key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        key_page="https://aistudio.google.com/apikey",
        default_model="gemini-flash-latest",
        url_variable="GOOGLE_GEMINI_BASE_URL",
        source="https://ai.google.dev/gemini-api/docs/api-key",
    ),
    BuiltinProvider(
        id="openrouter",
        name="OpenRouter",
        base_url="https://openrouter.ai/api/v1",
        key_variables=("OPENROUTER_API_KEY",),
        key_page="https://openrouter.ai/settings/keys",
        default_model="openrouter/auto",
        source="https://openrouter.ai/docs/quickstart",
    ),
    BuiltinProvider(
        id="deepseek",
        name="DeepSeek",
        base_url="https://api.deepseek.com",
        key_variables=("DEEPSEEK_API_KEY",),
        key_page="https://platform.deepseek.com/api_keys",
        default_model="deepseek-flash",
        source="https://api-docs.deepseek.com/",
    ),
    BuiltinProvider(
        id="mistral",
        name="Mistral",
        base_url="https://api.mistral.ai/v1",
        key_variables=("MISTRAL_API_KEY",),
        key_page="https://console.mistral.ai/api-keys",
        default_model="mistral-medium-latest",
        source="https://docs.mistral.ai/api/",
    ),
    BuiltinProvider(
        id="groq",
        name="Groq",
        base_url="https://api.groq.com/openai/v1",
        key_variables=("GROQ_API_KEY",),
        key_page="https://console.groq.com/keys",
        source="https://console.groq.com/docs/openai",
    ),
    BuiltinProvider(
        id="xai",
        name="xAI",
        base_url="https://api.x.ai/v1",
        key_variables=("XAI_API_KEY",),
        key_page="https://console.x.ai/",
        source="https://docs.x.ai/docs/api-reference",
    ),
    BuiltinProvider(
        id="together",
        name="Together AI",
        base_url="https://api.together.xyz/v1",
        key_variables=("TOGETHER_API_KEY",),
        key_page="https://api.together.ai/settings/api-keys",
        source="https://docs.together.ai/docs/openai-api-compatibility",
    ),
    BuiltinProvider(
        id="fireworks",
        name="Fireworks AI",
        base_url="https://api.fireworks.ai/inference/v1",
        key_variables=("FIREWORKS_API_KEY",),
        key_page="https://app.fireworks.ai/settings/users/api-keys",
        source="https://docs.fireworks.ai/tools-sdks/openai-compatibility",
    ),
    BuiltinProvider(
        id="cerebras",
        name="Cerebras",
        base_url="https://api.cerebras.ai/v1",
        key_variables=("CEREBRAS_API_KEY",),
        key_page="https://cloud.cerebras.ai/",
        source="https://inference-docs.cerebras.ai/resources/openai",
    ),
    BuiltinProvider(
        id="perplexity",
        name="Perplexity",
        base_url="https://api.perplexity.ai",
        key_variables=("PERPLEXITY_API_KEY",),
        key_page="https://www.perplexity.ai/settings/api",
        default_model="sonar",
        source="https://docs.perplexity.ai/docs/sonar/openai-compatibility",
    ),
    BuiltinProvider(
        id="moonshot",
        name="Moonshot AI",
        base_url="https://api.moonshot.ai/v1",
        key_variables=("MOONSHOT_API_KEY",),
        key_page="https://platform.moonshot.ai/console/api-keys",
        source="https://platform.kimi.ai/docs/api/overview",
    ),
    BuiltinProvider(
        id="zai",
        name="Z.ai",
        base_url="https://api.z.ai/api/paas/v4",
        key_variables=("ZAI_API_KEY",),
        key_page="https://z.ai/manage-apikey/apikey-list",
        source="https://docs.z.ai/guides/develop/openai/python",
    ),
    BuiltinProvider(
        id="ollama",
        name="Ollama",
        base_url="http://127.0.0.1:11434/v1",
        local=True,
        source="https://docs.ollama.com/openai",
    ),
    BuiltinProvider(
        id="lmstudio",
        name="LM Studio",
        base_url="http://127.0.0.1:1234/v1",
        local=True,
        source="https://lmstudio.ai/docs/app/api/endpoints/openai",
    ),
    BuiltinProvider(
        id="llamacpp",
        name="llama.cpp",
        base_url="http://127.0.0.1:8080/v1",
        local=True,
        source="https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
    ),
    BuiltinProvider(
        id="vllm",
        name="vLLM",
        base_url="http://127.0.0.1:8000/v1",
        local=True,
        source="https://docs.vllm.ai/en/latest/serving/openai_compatible_server/",
    ),
)
_BY_ID: Final = {entry.id: entry for entry in BUILTIN}


def entry(id: str) -> BuiltinProvider:
    """The entry called ``id``; ``KeyError`` when there is none."""
    return _BY_ID[id]


def from_environment(env: Mapping[str, str]) -> list[Provider]:
    """The providers that ``env`` holds a key for, in the order of the list."""
    providers = []
    for known in BUILTIN:
        key = next((key for name in known.key_variables if (key := env.get(name, "").strip())), None)
        if key is not None:
            moved = env.get(known.url_variable, "").strip() if known.url_variable else ""
            providers.append(known.provider(key, base_url=moved or None))
    return providers


def compatible(url: str, api_key: str | None = None, model: str | None = None) -> Provider:
    """An OpenAI-compatible endpoint by its address, as people type and paste it (see ``address``).

    Without any path the address gets the one that a provider of the list has there, else ``/v1``, as nearly all
    servers do.

    Raises:
        InvalidRequestError: this is no address, or it holds a password.
    """
    address = parse_address(url)
    usual = {urlsplit(known.base_url).netloc: urlsplit(known.base_url).path for known in BUILTIN}
    where = f"{address.authority}{address.path or usual.get(address.authority, '/v1')}{address.query}"
    return Provider(
        where,
        "openai",
        f"{address.scheme}://{where}",
        api_key=api_key or None,
        default_model=model or None,
        think_tags=address.is_local,
        name=address.authority,
    )
