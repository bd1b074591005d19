"""What is set about the network, as requests take it."""

from __future__ import annotations

import pytest

from rillet.core.config.network import LONGEST, SHORTEST, profile_of
from rillet.core.config.settings import NetworkSettings


@pytest.mark.parametrize(
    ("written", "used"),
    [(15.0, 15.0), (0.0, SHORTEST), (-5.0, SHORTEST), (float("inf"), LONGEST), (float("nan"), SHORTEST)],
)
def test_patience_that_somebody_wrote_into_the_file_is_kept_within_reason(written: float, used: float) -> None:
    profile = profile_of(NetworkSettings(connect_timeout=written, idle_timeout=written))
    assert (profile.connect_timeout, profile.idle_timeout, profile.first_event_timeout) == (used, used, used)
