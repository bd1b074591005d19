"""The network settings of one provider, as a value."""

from __future__ import annotations

from rillet.core.net.profile import NetworkProfile


def test_a_profile_is_a_value_whatever_its_lists_were_made_of() -> None:
    one = NetworkProfile(headers={"X-A": "1"}, no_proxy=["a.example"])
    two = NetworkProfile(headers=[("X-A", "1")], no_proxy=("a.example",))
    assert one == two
    assert len({one, two}) == 1


def test_the_repr_tells_nothing_that_may_be_secret() -> None:
    profile = NetworkProfile(
        proxy="http://user:canary@proxy:1", headers={"X-Key": "canary"}, client_key_password="canary"
    )
    assert "canary" not in repr(profile)
