"""Every form in which a provider asks for patience, and which of them counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.wire.waits import parse_go_duration, seconds_to_wait

DATE = "Fri, 31 Dec 1999 23:59:59 GMT"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("34.4s", 34.4),
        ("7m12.5s", 432.5),
        ("1h2m", 3720.0),
        ("2m59.56s", 179.56),
        ("350ms", 0.35),
        ("1.984999999s", 1.984999999),
        ("250µs", 0.00025),
        ("0s", 0.0),
        ("", None),
        ("s", None),
        ("12", None),
        ("1d", None),
        ("-5s", None),
        ("5s later", None),
    ],
)
def test_go_durations_are_read(text: str, seconds: float | None) -> None:
    assert parse_go_duration(text) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "1999", "retry-after": "2"}, 1.999),
        ({"retry-after-ms": "0", "retry-after": "1"}, 1.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": " 12 "}, 12.0),
        ({"retry-after": "Sat, 01 Jan 2000 00:00:09 GMT", "date": DATE}, 10.0),
        ({"retry-after": "Fri, 31 Dec 1999 23:00:00 GMT", "date": DATE}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_the_headers_say_how_long(headers: dict[str, str], seconds: float | None) -> None:
    assert seconds_to_wait(headers) == seconds


def test_a_date_without_a_date_header_is_compared_to_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 946684799.0)
    assert seconds_to_wait({"retry-after": "Sat, 01 Jan 2000 00:00:09 GMT"}) == 10.0


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("Rate limit reached. Please try again in 7m12.5s. See our docs.", 432.5),
        ("Please retry in 48.939935699s.", 48.939935699),
        ("Please retry after 6 seconds.", 6.0),
        ("Try again in 2 minutes", 120.0),
        ("try again in 350ms", 0.35),
        ("Rate limit of 10 per 60s exceeded. Please wait 49 seconds before retrying.", 49.0),
        ("try again in 5sec", None),
        ("try again later", None),
    ],
)
def test_the_words_of_the_message_say_how_long(message: str, seconds: float | None) -> None:
    assert seconds_to_wait({}, message=message) == (None if seconds is None else pytest.approx(seconds))


def test_what_is_said_more_directly_counts() -> None:
    words = "try again in 5s"
    resets = {"x-ratelimit-reset-tokens": "6s"}
    assert seconds_to_wait({"retry-after": "3"} | resets, status=429, asked=4.0, message=words) == 3.0
    assert seconds_to_wait(resets, status=429, asked=4.0, message=words) == 4.0
    assert seconds_to_wait(resets, status=429, message=words) == 5.0
    assert seconds_to_wait(resets, status=429) == 6.0
    assert seconds_to_wait({"retry-after": "0"}, asked=0.0, message=words) == 5.0


def test_reset_headers_count_only_when_the_rate_was_exceeded() -> None:
    assert seconds_to_wait({"x-ratelimit-reset-tokens": "6s"}, status=503) is None


@pytest.mark.parametrize(
    ("remaining", "seconds"),
    [(("0", "5"), 2.0), (("5", "0"), 179.56), (("0", "0"), 179.56), (("5", "5"), 2.0), ((None, None), 2.0)],
)
def test_of_several_limits_the_one_that_is_used_up_counts(
    remaining: tuple[str | None, str | None], seconds: float
) -> None:
    headers = {"x-ratelimit-reset-requests": "2s", "x-ratelimit-reset-tokens": "2m59.56s"}
    for name, value in zip(("requests", "tokens"), remaining, strict=True):
        if value is not None:
            headers[f"x-ratelimit-remaining-{name}"] = value
    assert seconds_to_wait(headers, status=429) == pytest.approx(seconds)


def test_anthropics_resets_are_dates() -> None:
    headers = {
        "date": DATE,
        "anthropic-ratelimit-requests-reset": "2000-01-01T00:00:04Z",
        "anthropic-ratelimit-requests-remaining": "7",
        "anthropic-ratelimit-input-tokens-reset": "2000-01-01T00:00:29Z",
        "anthropic-ratelimit-input-tokens-remaining": "0",
        "anthropic-ratelimit-output-tokens-reset": "whenever",
    }
    assert seconds_to_wait(headers, status=429) == 30.0


names = st.sampled_from(
    ["retry-after-ms", "retry-after", "date", "x-ratelimit-reset-tokens", "anthropic-ratelimit-tokens-reset"]
)
values = st.text(max_size=40) | st.from_regex(
    r"\d{1,400}(\.\d+)?(s|ms|h)?|\w{3}, \d+ \w{3} \d+ \d+:\d+:\d+ (GMT|\+9999)"
)


@given(st.dictionaries(names, values), st.text())
def test_no_header_breaks_anything(headers: dict[str, str], message: str) -> None:
    seconds = seconds_to_wait(headers, status=429, message=message)
    assert seconds is None or 0 < seconds < float("inf")
