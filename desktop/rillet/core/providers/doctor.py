"""The connection doctor: walks the way to a provider hop by hop and says, in sentences, where it ends and what to do.

Sends two or three small requests over the very transport that the program uses; none of them asks a model for anything,
so that none is paid for. Above: ``net/probe`` (the hops), ``envelope``, the codecs (what an answer means). Below: the
program (``rillet --doctor``, the settings page). Guarantee: every step is told exactly once, in the order of ``STEPS``,
whatever goes wrong; no sentence holds a key.
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from difflib import get_close_matches
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from rillet.core.errors import AuthError, InvalidRequestError, LlmError, ModelNotFoundError, RateLimitError
from rillet.core.providers import envelope
from rillet.core.wire.codecs import codec_for

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from rillet.core.net.probe import Route, Trip
    from rillet.core.providers.provider import Provider
    from rillet.core.types import Model
    from rillet.core.wire.codec import Codec

StepName: TypeAlias = Literal["lookup", "connect", "proxy", "tls", "http", "endpoint", "key", "model"]
Outcome: TypeAlias = Literal["ok", "failed", "skipped"]

STEPS: Final[tuple[StepName, ...]] = get_args(StepName)
NO_LIST: Final = (404, 405, 501)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the examination."""

    name: StepName
    outcome: Outcome
    sentence: str
    """What was found; after a failure also what to do."""


async def examine(provider: Provider, model: str | None = None) -> AsyncGenerator[Step, None]:
    """Every step, each as soon as it is known; those behind a failure are skipped."""
    told: list[Step] = []
    async with aclosing(_Examination(provider, model or provider.default_model).steps()) as steps:
        async for step in steps:
            told.append(step)
            yield step
            if step.outcome == "failed":
                break
    for name in STEPS[len(told) :]:
        yield Step(name, "skipped", "Not reached.")


class _Examination:
    """One provider under examination."""

    def __init__(self, provider: Provider, model: str | None) -> None:
        self._provider = provider
        self._model = model
        self._codec: Codec = codec_for(provider.style)
        self._base_url, self._key = provider.base_url, provider.api_key
        self._bad_key: AuthError | None = None

    async def steps(self) -> AsyncGenerator[Step, None]:
        """The steps up to the first that failed."""
        from rillet.core.net.probe import look_up, route  # brings httpx

        try:
            await self._settle()
            url = envelope.models_url(self._provider, self._codec, self._base_url)
        except LlmError as error:
            yield self._failed("lookup", error)
            return
        try:
            way = route(self._provider.network, url)
        except LlmError as error:
            yield Step("lookup", "skipped", "Nothing was looked up.")
            yield Step("connect", "skipped", "Nothing was sent.")
            yield self._failed("proxy", error)
            return
        if _is_address(way.host):
            yield Step("lookup", "skipped", f"{way.host} is an address, not a name.")
        else:
            try:
                yield Step("lookup", "ok", _found(way.host, await look_up(way.host, way.port)))
            except LlmError as error:
                yield self._failed("lookup", error)
                return
        trip = await self._ask("GET", url)
        for step in self._hops(way, trip):
            yield step
            if step.outcome == "failed":
                return
        async with aclosing(self._answer(trip, url)) as steps:
            async for step in steps:
                yield step

    async def _settle(self) -> None:
        """Find out where a local server answers, and whether the key can be sent at all."""
        if self._provider.server is not None:
            endpoint = await self._provider.server.endpoint()
            self._base_url, self._key = endpoint.base_url, endpoint.api_key
        try:
            envelope.headers(self._provider, self._codec, self._key)
        except AuthError as error:
            self._bad_key, self._key = error, None

    def _hops(self, way: Route, trip: Trip) -> Iterator[Step]:
        host = urlsplit(self._base_url).hostname or ""
        if "connect" not in trip.reached:
            yield self._broken("connect", trip)
            return
        yield Step("connect", "ok", f"{way.proxy or f'{way.host}:{way.port}'} accepts connections.")
        if way.proxy is None:
            yield Step("proxy", "skipped", "No proxy is used.")
        elif "proxy" in trip.reached or (not way.secure and trip.status not in (None, 407)):
            yield Step("proxy", "ok", f"The proxy {way.proxy} leads to {host}.")
        else:
            yield self._broken("proxy", trip)
            return
        if not way.secure:
            yield Step("tls", "skipped", "The address begins with http://, so nothing is encrypted.")
        elif "tls" in trip.reached:
            by = f", signed by {trip.signer}" if trip.signer else ""
            yield Step("tls", "ok", f"The certificate of {host} is valid{by} ({trip.tls_version}).")
        else:
            yield self._broken("tls", trip, f" Its certificate was signed by {trip.signer}." if trip.signer else "")
            return
        if trip.status is None or trip.error is not None or trip.status >= 500:
            yield self._broken("http", trip)
        else:
            yield Step("http", "ok", f"{host} answers (HTTP {trip.status}).")

    async def _answer(self, trip: Trip, url: str) -> AsyncGenerator[Step, None]:
        """What the answer to the question for the list of models means."""
        models: list[Model] = []
        said = self._failure(trip)
        if said is None:
            try:
                models = self._codec.decode_models(trip.body)
            except LlmError as error:
                yield self._failed("endpoint", error)
                return
            yield Step("endpoint", "ok", f"It lists {_count(len(models), 'model')}.")
            yield await self._key_opens(url)
        else:
            found = "It answers as a model's server does."
            if trip.status in NO_LIST:
                no_list, trip = said, await self._ask("POST", self._chat_url())
                found = "It has no list of models, but answers as a model's server does."
                said = self._failure(trip)
            else:
                no_list = said
            if not _is_of_an_api(said, trip):
                yield self._failed("endpoint", no_list)
                return
            yield Step("endpoint", "ok", found)
            yield self._key_in(said)
        yield self._model_in(models)

    async def _key_opens(self, url: str) -> Step:
        """Whether the key is worth anything, where the list of models was given out."""
        if self._bad_key is not None:
            return self._failed("key", self._bad_key)
        if not self._key:
            return Step("key", "ok", "No key is needed to list the models.")
        if isinstance(self._failure(await self._ask("GET", url, with_key=False)), AuthError):
            return Step("key", "ok", "The key was accepted.")
        refused = self._failure(await self._ask("POST", self._chat_url()))
        if isinstance(refused, AuthError):
            return self._failed("key", refused)
        return Step("key", "ok", "Everybody may see the list of models; an empty request with the key was not refused.")

    def _key_in(self, said: LlmError | None) -> Step:
        """What an answer that is no list tells about the key."""
        if self._bad_key is not None:
            return self._failed("key", self._bad_key)
        if isinstance(said, AuthError):
            if self._key:
                return self._failed("key", said)
            advice = "Enter one, or set it in the environment."
            return Step("key", "failed", f"{self._provider.label} wants a key. {advice}")
        if isinstance(said, RateLimitError):
            return self._failed("key", said)
        return Step("key", "ok", "The key was not refused." if self._key else "No key was asked for.")

    def _model_in(self, models: list[Model]) -> Step:
        if self._model is None:
            return Step("model", "skipped", "No model is chosen.")
        if not models:
            return Step("model", "skipped", f"Whether there is a {self._model} shows only when it is asked.")
        ids = [model.id for model in models]
        if self._model in ids:
            return Step("model", "ok", f"{self._model} is in the list.")
        close = get_close_matches(self._model, ids, n=3) or ids[:3]
        return Step(
            "model", "failed", f"{self._model} is not in the list. Choose another model, perhaps {_either(close)}."
        )

    async def _ask(self, method: str, url: str, *, with_key: bool = True) -> Trip:
        from rillet.core.net.probe import travel

        body = b"{}" if method == "POST" else None
        key = self._key if with_key else None
        headers = envelope.headers(self._provider, self._codec, key, has_body=body is not None)
        return await travel(self._provider.network, method, url, headers, body)

    def _chat_url(self) -> str:
        return self._codec.chat_url(self._base_url, self._model or "none", stream=False)

    def _failure(self, trip: Trip) -> LlmError | None:
        """What went wrong; None when the answer is a success."""
        if trip.error is not None or trip.status is None:
            return trip.error
        if 200 <= trip.status < 300:
            return None
        return self._codec.decode_failure(trip.status, trip.headers or {}, trip.body)

    def _broken(self, name: StepName, trip: Trip, more: str = "") -> Step:
        error = self._failure(trip)
        assert error is not None, "a hop is broken by something"
        return Step(name, "failed", self._failed(name, error).sentence + more)

    def _failed(self, name: StepName, error: LlmError) -> Step:
        error.provider = error.provider or self._provider.label
        envelope.conceal(error, {*self._provider.secrets, self._key or ""})
        return Step(name, "failed", error.user_message)


def _is_of_an_api(said: LlmError | None, trip: Trip) -> bool:
    """Whether this is an answer that a model's server would send, and no web page or wrong path."""
    if trip.error is not None or trip.status in NO_LIST or trip.body.lstrip()[:1] == b"<":
        return isinstance(said, ModelNotFoundError)
    return said is None or isinstance(said, AuthError | RateLimitError | ModelNotFoundError | InvalidRequestError)


def _is_address(host: str) -> bool:
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _found(host: str, addresses: list[str]) -> str:
    others = f" and {_count(len(addresses) - 1, 'other')}" if len(addresses) > 1 else ""
    return f"{host} is {addresses[0]}{others}."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _either(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
