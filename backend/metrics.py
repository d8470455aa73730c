"""What the service counts, for Prometheus. No name of a program, a client or an address is among it."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

_TIMES = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """Of one service. Gauges are asked when somebody looks."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        registry = self.registry
        self.requests = Counter(
            "gradflow_requests", "Answers by route and status.", ["route", "status"], registry=registry
        )
        self.seconds = Histogram(
            "gradflow_request_seconds",
            "From the request to the end of the answer.",
            ["route"],
            buckets=_TIMES,
            registry=registry,
        )
        self.runs = Counter(
            "gradflow_runs", "Programs that were run, by what came of it.", ["outcome"], registry=registry
        )
        self.stages = Histogram(
            "gradflow_stage_seconds", "Time by stage: run, draw.", ["stage"], buckets=_TIMES, registry=registry
        )
        self.cpu = Counter("gradflow_run_cpu_seconds", "Processor time of the processes of runs.", registry=registry)

    def watch(self, name: str, meaning: str, value: Callable[[], float]) -> None:
        """A number that is asked for each time."""
        Gauge(name, meaning, registry=self.registry).set_function(value)

    def text(self) -> bytes:
        """As Prometheus reads it."""
        return generate_latest(self.registry)
