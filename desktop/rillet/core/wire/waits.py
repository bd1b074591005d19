"""How long a provider asks to wait: headers, error details and wordings → seconds.

Pure but for one thing: a date is compared to the ``Date`` header, and to the clock when there is none. Knows nothing of
error kinds and decides no retry. Below: ``failures``. Guarantee: a positive number of seconds or None, never an error,
whatever a header holds.
"""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NUMBER = r"\d+(?:\.\d+)?"
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9}
_GO_STEP = rf"({_NUMBER})(h|ms|m|µs|μs|us|ns|s)"
_GO = rf"(?:{_GO_STEP})+"
_WORDS = rf"({_NUMBER})\s*(hour|minute|second|millisecond)"
_WORD_UNITS = {"hour": 3600.0, "minute": 60.0, "second": 1.0, "millisecond": 1e-3}
_ASKED = re.compile(
    r"\b(?:(?:try again|retry)\s+(?:in|after)|please wait)\s+"
    rf"(?:(?P<go>{_GO})(?![a-z])|(?P<words>{_WORDS}))",
    re.IGNORECASE,
)
"""OpenAI "try again in 7m12.5s", Gemini "retry in 48.9s", Azure "retry after 6 seconds", GitHub Models "please wait 9
seconds"."""
_RESET = re.compile(r"(x-ratelimit-)reset-(.+)|(anthropic-ratelimit-.+-)reset")


def seconds_to_wait(
    headers: Mapping[str, str], *, status: int | None = None, asked: float | None = None, message: str = ""
) -> float | None:
    """The first of these that gives a positive number.

    1. ``retry-after-ms`` (Azure sends "0" beside a true ``retry-after``)
    2. ``retry-after``, as seconds or as a date
    3. ``asked``: what the error object says
    4. the words of ``message``
    5. with status 429, the reset headers of OpenAI and Groq (Go durations) and of Anthropic (RFC 3339 dates): of the
       limits that are used up the last to reset; if none is said to be, the first

    Args:
        headers: Names in lower case.
        status: The HTTP status.
        asked: Seconds that the error object names.
        message: What the provider said.
    """
    return next((seconds for seconds in _candidates(headers, status, asked, message) if seconds > 0), None)


def parse_go_duration(text: str) -> float | None:
    """Seconds of a duration as Go prints it ("1h2m", "7m12.5s", "350ms"), or None.

    See https://pkg.go.dev/time#ParseDuration.
    """
    if not re.fullmatch(_GO, text):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in re.findall(_GO_STEP, text))


def _candidates(headers: Mapping[str, str], status: int | None, asked: float | None, message: str) -> Iterator[float]:
    milliseconds = headers.get("retry-after-ms", "").strip()
    if re.fullmatch(_NUMBER, milliseconds):
        yield float(milliseconds) / 1000
    after = headers.get("retry-after", "").strip()
    if re.fullmatch(_NUMBER, after):
        yield float(after)
    elif after:
        yield _until(_http_date(after), headers)
    if asked is not None:
        yield asked
    yield _in_words(message)
    if status == 429:
        yield _until_reset(headers)


def _in_words(message: str) -> float:
    match = _ASKED.search(message)
    if match is None:
        return 0.0
    if match["go"]:
        return parse_go_duration(match["go"].lower()) or 0.0
    return sum(
        float(number) * _WORD_UNITS[unit.lower()] for number, unit in re.findall(_WORDS, match["words"], re.IGNORECASE)
    )


def _until_reset(headers: Mapping[str, str]) -> float:
    waits: list[float] = []
    used_up: list[float] = []
    for name, value in headers.items():
        match = _RESET.fullmatch(name)
        if match is None:
            continue
        seconds = parse_go_duration(value.strip().lower())
        if seconds is None:
            seconds = _until(_rfc3339(value.strip()), headers)
        if seconds > 0:
            remaining = f"{match[1]}remaining-{match[2]}" if match[1] else f"{match[3]}remaining"
            (used_up if headers.get(remaining, "").strip() == "0" else waits).append(seconds)
    return max(used_up) if used_up else min(waits, default=0.0)


def _until(moment: datetime | None, headers: Mapping[str, str]) -> float:
    if moment is None:
        return 0.0
    sent = _http_date(headers.get("date", ""))
    return moment.timestamp() - (sent.timestamp() if sent else time.time())


def _http_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _rfc3339(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
