"""Everything that can go wrong between a request and its answer, as one tree.

    LlmError
     ├─ AuthError             the key is missing, refused, or not allowed to do this
     ├─ RateLimitError        too many requests, or no credit left (then not retryable)
     ├─ ContextLengthError    the conversation is longer than the model accepts
     ├─ InvalidRequestError   the provider refuses the request as it stands, or the address is no such API
     ├─ ModelNotFoundError    no such model at this provider
     ├─ OverloadedError       the provider has no capacity right now, or is still loading the model
     ├─ ServerError           the provider failed
     ├─ NetworkError          no connection, or the answer broke off before its protocol's end
     ├─ TimedOutError         nothing arrived for longer than allowed
     ├─ ContentFilterError    the request was refused for its content
     └─ Cancelled             stopped by the caller

One class per error kind of the wire vocabulary. Knows nothing of status codes or providers' wordings: ``wire/failures``
chooses the class. Every leaf answers two questions: what can the user do (``user_message``), and does trying again make
sense (``retryable``). Bugs in a program are not in this tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from rillet.core.types import ChatResponse


class LlmError(Exception):
    """A request failed.

    Attributes:
        message: What the provider or the network said, in its words, never with a secret in it.
        provider: Name of the provider for people ("OpenAI"), or None when not yet known.
        status: HTTP status, or None when there was no answer or the error came inside a 200 stream.
        code: The provider's own error code, as text.
        type: The provider's own error type.
        request_id: What to quote to the provider's support.
        retry_after: Seconds that the provider asked to wait, or None.
        retryable: Whether the same request may succeed later.
        told_to_retry: Whether the provider said expressly that it may be sent again (``x-should-retry: true``).
        partial: What had arrived before the failure, or None when nothing had.
    """

    kind: ClassVar[str] = "unknown"
    advice: ClassVar[str] = "Try again."
    summary: ClassVar[str] = "{provider} could not answer"
    retryable_by_default: ClassVar[bool] = False

    def __init__(
        self,
        message: str = "",
        *,
        provider: str | None = None,
        status: int | None = None,
        code: str | None = None,
        type: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        retryable: bool | None = None,
        told_to_retry: bool = False,
        advice: str | None = None,
        partial: ChatResponse | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.provider = provider
        self.status = status
        self.code = code
        self.type = type
        self.request_id = request_id
        self.retry_after = retry_after
        self.retryable = self.retryable_by_default if retryable is None else retryable
        self.told_to_retry = told_to_retry
        self.partial = partial
        self._advice = advice

    @property
    def user_message(self) -> str:
        """One or two sentences for the person at the screen: what happened, and what to do, or when to try again."""
        return self.told()

    def told(self, translate: Callable[[str], str] = str) -> str:
        """``user_message``, every fixed sentence of it by way of ``translate``, which leaves ``{places}`` alone."""
        sentence = translate(self.summary).format(provider=self.provider or translate("The provider"))
        detail = self.message.strip().rstrip(".")
        if detail:
            sentence = f"{sentence}: {detail}"
        return f"{sentence}. {self._what_to_do(translate)}"

    def _what_to_do(self, translate: Callable[[str], str]) -> str:
        if self.retryable and self.retry_after is not None:
            return translate("Try again in {time}.").format(time=_duration(self.retry_after, translate))
        return translate(self._advice or self.advice)

    def __str__(self) -> str:
        return self.message or self.summary.format(provider=self.provider or "the provider")


class AuthError(LlmError):
    """The key is missing, refused, or not allowed to do this."""

    kind = "auth"
    summary = "{provider} refused the key"
    advice = "Check the key and what it is allowed to do."


class RateLimitError(LlmError):
    """Too many requests in a short time, or no quota or credit left (then ``retryable`` is False)."""

    kind = "rate_limit"
    summary = "{provider} has had enough requests for now"
    advice_without_retry: ClassVar[str] = "Waiting will not help: check the quota and billing of the account."
    retryable_by_default = True

    def _what_to_do(self, translate: Callable[[str], str]) -> str:
        if not self.retryable:
            return translate(self._advice or self.advice_without_retry)
        return super()._what_to_do(translate)


class ContextLengthError(LlmError):
    """The conversation is longer than the model accepts."""

    kind = "context_length"
    summary = "The conversation is too long for this model"
    advice = "Start a new chat, remove long messages, or choose a model with a larger context."


class InvalidRequestError(LlmError):
    """The provider refuses the request as it stands, or the address is not the API it should be."""

    kind = "invalid_request"
    summary = "{provider} did not accept the request"
    advice = "Change the message or the settings of this chat; sending it again unchanged will not help."


class ModelNotFoundError(LlmError):
    """No such model at this provider, or not for this key."""

    kind = "model_not_found"
    summary = "{provider} does not offer this model"
    advice = "Choose another model."


class OverloadedError(LlmError):
    """The provider has no capacity right now, or is still loading the model."""

    kind = "overloaded"
    summary = "{provider} is overloaded"
    advice = "Try again in a moment, or choose another model."
    retryable_by_default = True


class ServerError(LlmError):
    """The provider failed."""

    kind = "server"
    summary = "{provider} had an internal error"
    retryable_by_default = True


class NetworkError(LlmError):
    """No connection, or the answer broke off before its protocol's end."""

    kind = "network"
    summary = "The connection to {provider} failed"
    advice = "Check the network and the address of the provider, then try again."
    retryable_by_default = True


class TimedOutError(LlmError):
    """Nothing arrived for longer than the network profile allows."""

    kind = "timeout"
    summary = "{provider} took too long"
    advice = "Try again, or allow more time in the provider's settings."
    retryable_by_default = True


class ContentFilterError(LlmError):
    """The request was refused for its content. (A filter that ends an answer is a finish reason, not an error.)"""

    kind = "content_filter"
    summary = "{provider} refused the content of the request"
    advice = "Rephrase the message."


class Cancelled(LlmError):
    """Stopped by the caller; ``partial`` holds what had arrived. A server's own 499 carries ``status``."""

    kind = "cancelled"
    summary = "Stopped"
    advice = "Send the message again to start over."


def forget_frames(error: BaseException) -> None:
    """Drop the tracebacks of an error, and of those behind it, that is told to somebody as a value.

    Their frames hold sockets, headers with keys and whatever the work was given, and the error would carry them to
    wherever it is kept.
    """
    seen: set[int] = set()
    chain: BaseException | None = error
    while chain is not None and id(chain) not in seen:
        seen.add(id(chain))
        chain.__traceback__ = None
        chain = chain.__cause__ or chain.__context__


def _duration(seconds: float, translate: Callable[[str], str]) -> str:
    """Seconds as people say them: "8 seconds", "7 minutes", "3 hours"."""
    size, one, many = next((unit for unit in _UNITS if seconds >= unit[0]), _UNITS[-1])
    count = max(1, round(seconds / size))
    return translate(one if count == 1 else many).format(count=count)


_UNITS: Final = (
    (3600, "{count} hour", "{count} hours"),
    (60, "{count} minute", "{count} minutes"),
    (1, "{count} second", "{count} seconds"),
)
