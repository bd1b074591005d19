"""Records of what ran, and the figures made of them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from rillet.core.agent.agent import Agent
from rillet.core.agent.hooks import Hooks
from rillet.core.agent.metrics import MOST_NAMES, OTHER, Metric, Metrics
from rillet.core.errors import OverloadedError
from rillet.core.tools.tool import ToolResult
from rillet.core.types import RetryNotice, Usage
from rillet.core.types.suspension import APPROVAL, Answer, Request
from support.scripted import ScriptedModel, calls, says, shelf, tool, until

USAGE = Usage(prompt_tokens=3, completion_tokens=2, total_tokens=5)
CALL = ("c1", "weather", "{}")


def statuses(metrics: list[Metric]) -> list[tuple[str, str, str]]:
    return [(metric.kind, metric.name, metric.status) for metric in metrics]


async def test_there_is_one_record_per_model_call_tool_call_and_run() -> None:
    seen: list[Metric] = []
    model = ScriptedModel(calls(CALL, usage=USAGE), says("ok", usage=USAGE))
    await Agent(model, on_metric=seen.append).run("?", shelf(tool("weather")))
    assert statuses(seen) == [
        ("llm", "scripted", "ok"),
        ("tool", "weather", "ok"),
        ("llm", "scripted", "ok"),
        ("run", "scripted", "ok"),
    ]
    assert [metric.turns for metric in seen] == [1, 1, 2, 2]
    assert [metric.usage for metric in seen] == [
        USAGE,
        None,
        USAGE,
        Usage(prompt_tokens=6, completion_tokens=4, total_tokens=10),
    ]
    assert all(metric.ms > 0 for metric in seen)
    first = seen[0].first_token_ms
    assert first is not None
    assert 0 < first <= seen[0].ms
    assert all(metric.error is None for metric in seen)


async def test_a_retry_is_no_first_token() -> None:
    seen: list[Metric] = []
    model = ScriptedModel([RetryNotice(2, 0.0, OverloadedError("busy")), OverloadedError("still busy")])
    with pytest.raises(OverloadedError):
        await Agent(model, on_metric=seen.append).run("?")
    assert seen[0].first_token_ms is None


def suspends(*_: object) -> ToolResult:
    return ToolResult.suspended(Request(id="q", kind=APPROVAL, prompt="may I?"))


@pytest.mark.parametrize(
    ("options", "tools", "expected"),
    [
        ({}, [tool("weather", lambda *_: ToolResult("bad", is_error=True))], ("error", "ok")),
        ({}, [], ("error", "ok")),
        ({}, [tool("weather", suspends)], ("pending", "pending")),
        ({"wait_for": lambda asked: Answer(id=asked.id, ok=False)}, [tool("weather", suspends)], ("denied", "ok")),
        ({"max_turns": 1}, [tool("weather")], ("ok", "max_turns")),
    ],
)
async def test_how_calls_and_runs_end_is_told(
    options: dict[str, Any], tools: list[Any], expected: tuple[str, str]
) -> None:
    seen: list[Metric] = []
    await Agent(ScriptedModel(calls(CALL), "ok"), on_metric=seen.append, **options).run("?", shelf(*tools))
    by_kind = {metric.kind: metric.status for metric in seen}
    assert (by_kind["tool"], by_kind["run"]) == expected


async def test_errors_are_named_by_their_kind() -> None:
    seen: list[Metric] = []
    with pytest.raises(OverloadedError):
        await Agent(ScriptedModel([OverloadedError("busy")]), on_metric=seen.append).run("?")
    assert statuses(seen) == [("llm", "scripted", "overloaded"), ("run", "scripted", "overloaded")]
    assert [metric.error for metric in seen] == ["busy", "busy"]


async def test_a_run_that_is_stopped_is_told_as_cancelled() -> None:
    seen: list[Metric] = []
    model = ScriptedModel([asyncio.Event()])
    task = asyncio.create_task(Agent(model, on_metric=seen.append).run("?"))
    await until(lambda: model.open == 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert statuses(seen) == [("llm", "scripted", "cancelled"), ("run", "scripted", "cancelled")]


async def test_a_hook_that_raises_is_told_by_its_class() -> None:
    def veto(*_: object) -> None:
        raise PermissionError("no")

    seen: list[Metric] = []
    with pytest.raises(PermissionError):
        await Agent(ScriptedModel(calls(CALL)), hooks=Hooks(before_llm=veto), on_metric=seen.append).run("?")
    assert statuses(seen) == [("run", "scripted", "PermissionError")]


async def test_whoever_takes_records_cannot_stop_a_run(caplog: pytest.LogCaptureFixture) -> None:
    def raises(_: Metric) -> None:
        raise RuntimeError("full")

    result = await Agent(ScriptedModel("ok"), on_metric=raises).run("?")
    assert result.status == "done"
    assert "on_metric raised" in caplog.text


def samples(text: str) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *[f"{name}={value}" for name, value in sorted(sample.labels.items())]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_the_figures_are_what_prometheus_reads() -> None:
    agent = Agent(ScriptedModel(calls(CALL, usage=USAGE), says("ok", usage=USAGE)))
    await agent.run("?", shelf(tool("weather")))
    found = samples(agent.metrics())
    assert found["rillet_ended_total", "kind=llm", "name=scripted", "status=ok"] == 2
    assert found["rillet_ended_total", "kind=tool", "name=weather", "status=ok"] == 1
    assert found["rillet_tokens_total", "direction=prompt", "name=scripted"] == 6
    assert found["rillet_tokens_total", "direction=completion", "name=scripted"] == 4
    assert found["rillet_seconds_count", "kind=llm", "name=scripted"] == 2
    assert found["rillet_first_token_seconds_count", "name=scripted"] == 2
    assert found["rillet_seconds_bucket", "kind=run", "le=+Inf", "name=scripted"] == 1


def test_before_anything_ran_there_are_no_samples() -> None:
    assert samples(Agent(ScriptedModel()).metrics()) == {}


def test_durations_are_counted_below_their_bounds() -> None:
    metrics = Metrics()
    for ms in (50, 51, 5_000, 1_000_000):
        metrics.add(Metric(kind="tool", name="t", status="ok", ms=ms))
    found = samples(metrics.text())
    buckets = {key[2]: value for key, value in found.items() if key[0] == "rillet_seconds_bucket"}
    assert buckets["le=0.05"] == 1
    assert buckets["le=0.1"] == 2
    assert buckets["le=5.0"] == 3
    assert buckets["le=300.0"] == 3
    assert buckets["le=+Inf"] == 4
    assert found["rillet_seconds_sum", "kind=tool", "name=t"] == pytest.approx(1005.101)


def test_names_that_a_model_invents_do_not_grow_the_figures() -> None:
    metrics = Metrics()
    for n in range(5 * MOST_NAMES):
        metrics.add(Metric(kind="tool", name=f'invented {n}\n"', status="error", ms=1.0))
    found = samples(metrics.text())
    names = {label for key in found for label in key if label.startswith("name=")}
    assert len(names) == MOST_NAMES + 1
    assert found["rillet_ended_total", "kind=tool", f"name={OTHER}", "status=error"] == 4 * MOST_NAMES
