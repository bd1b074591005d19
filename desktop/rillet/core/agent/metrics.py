"""What runs cost and how they ended, in records and as figures for Prometheus.

Above: ``types``. Below: the loop writes one record per model call, tool call and run. Knows nothing of their content.
Guarantee: labels are bounded: a name beyond the first ``MOST_NAMES`` is counted as "other", so that a model that
invents names of tools cannot grow the page without end.
"""

from __future__ import annotations

import bisect
import logging
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from rillet.core.types import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.core import Metric as Family

log = logging.getLogger("rillet.agent")

MOST_NAMES: Final = 100
OTHER: Final = "other"
BUCKETS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
"""Upper bounds in seconds: from a tool that looks something up to an answer that took minutes."""

Kind: TypeAlias = Literal["llm", "tool", "run"]


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """One model call, tool call or run that has ended."""

    kind: Kind
    name: str
    """The model, or the tool."""
    status: str
    """Of a model call and a run "ok" or what ended it (the kind of an error, "cancelled", "pending", "max_turns"); of a
    tool call "ok", "error", "denied", "pending" or "cancelled"."""
    ms: float
    first_token_ms: float | None = None
    """Of a model call: until the first piece of the answer. None: none came."""
    usage: Usage | None = None
    turns: int = 0
    """Of a run: how often the model was called. Of the others: in which turn they happened."""
    error: str | None = None
    """What was raised, or what the tool said about its failure; for people."""


OnMetric: TypeAlias = Callable[[Metric], object]


@dataclass(slots=True)
class _Durations:
    """A histogram."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    total: float = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect.bisect_left(BUCKETS, seconds)] += 1
        self.total += seconds

    def buckets(self) -> list[tuple[str, float]]:
        """Upper bound → how many took no longer, as Prometheus counts them."""
        bounds = [*map(str, BUCKETS), "+Inf"]
        return list(zip(bounds, map(float, accumulate(self.counts)), strict=True))


class Metrics:
    """Counts records of one agent, and hands each to ``on_metric``, which is the host's."""

    def __init__(self, on_metric: OnMetric | None = None) -> None:
        self._on_metric = on_metric
        self._names: defaultdict[Kind, set[str]] = defaultdict(set)
        self._ended: Counter[tuple[Kind, str, str]] = Counter()
        self._durations: defaultdict[tuple[Kind, str], _Durations] = defaultdict(_Durations)
        self._first_tokens: defaultdict[str, _Durations] = defaultdict(_Durations)
        self._tokens: Counter[tuple[str, str]] = Counter()

    def add(self, metric: Metric) -> None:
        """Count a record and pass it on."""
        name = self._bounded(metric.kind, metric.name)
        self._ended[metric.kind, name, metric.status] += 1
        self._durations[metric.kind, name].add(metric.ms / 1000)
        if metric.first_token_ms is not None:
            self._first_tokens[name].add(metric.first_token_ms / 1000)
        if metric.kind == "llm" and metric.usage is not None:
            self._tokens[name, "prompt"] += metric.usage.prompt_tokens or 0
            self._tokens[name, "completion"] += metric.usage.completion_tokens or 0
        if self._on_metric is not None:
            try:
                self._on_metric(metric)
            except Exception:  # a boundary: code of the host
                log.exception("on_metric raised; the run goes on")

    def text(self) -> str:
        """Everything so far, in the text format that Prometheus reads."""
        from prometheus_client import CollectorRegistry, generate_latest  # only who asks for figures pays for it

        registry = CollectorRegistry()
        registry.register(self)
        return generate_latest(registry).decode()

    def collect(self) -> Iterator[Family]:
        """What prometheus-client asks of a collector."""
        from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily

        ended = CounterMetricFamily("rillet_ended", "What has ended, and how", labels=("kind", "name", "status"))
        for (kind, name, status), count in self._ended.items():
            ended.add_metric((kind, name, status), count)
        yield ended
        tokens = CounterMetricFamily(
            "rillet_tokens", "Tokens, as the provider counts them", labels=("name", "direction")
        )
        for labels, count in self._tokens.items():
            tokens.add_metric(labels, count)
        yield tokens
        seconds = HistogramMetricFamily("rillet_seconds", "How long it took", labels=("kind", "name"))
        for key, durations in self._durations.items():
            seconds.add_metric(key, durations.buckets(), durations.total)
        yield seconds
        first = HistogramMetricFamily("rillet_first_token_seconds", "Until an answer began", labels=("name",))
        for name, durations in self._first_tokens.items():
            first.add_metric((name,), durations.buckets(), durations.total)
        yield first

    def _bounded(self, kind: Kind, name: str) -> str:
        names = self._names[kind]
        if name not in names:
            if len(names) >= MOST_NAMES:
                return OTHER
            names.add(name)
        return name
