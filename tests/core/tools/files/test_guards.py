from __future__ import annotations

from pathlib import Path

import pytest

from rillet.core.config.paths import HOME_VARIABLE, paths
from rillet.core.tools.files.guards import OWN_PLACES, Guards, own_places, secret_places


def guards(*private: str, root: str = "/home/me/ws", writes_guarded: bool = False) -> Guards:
    return Guards(Path(root), [Path(place) for place in private], writes_guarded=writes_guarded)


@pytest.mark.parametrize(
    ("names", "is_secret"),
    [
        ((), False),
        (("x",), False),
        ((".ssh",), True),
        (("a", ".SSH", "b"), True),
        (("data",), True),
        (("data", "x", "y"), True),
        (("Data", "x"), True),
        (("data2",), False),
        (("a", "data"), False),
        (("deep", "er"), True),
        (("deep",), False),
        (("deep", "x"), False),
    ],
)
def test_a_secret_is_known_by_its_name_or_its_place(names: tuple[str, ...], is_secret: bool) -> None:
    assert guards("/home/me/ws/data", "/home/me/ws/deep/er", "/elsewhere").is_secret(names) == is_secret


@pytest.mark.parametrize("root", ["/home/me", "/home/me/ws", "/home/me/ws/x", "/HOME/me", "/a/.ssh", "/a/.gnupg/x"])
def test_in_a_place_for_secrets_everything_is_one(root: str) -> None:
    assert guards("/home/me", root=root).is_secret(())
    assert guards("/home/me", root=root).is_secret(("x",))


@pytest.mark.parametrize("names", [(".git",), ("a", ".git", "hooks"), (".GIT", "x"), (".mcp.json",), (".rillet", "x")])
def test_what_makes_programs_run_something_is_guarded_unless_it_was_allowed(names: tuple[str, ...]) -> None:
    assert guards().is_guarded(names)
    assert not guards(writes_guarded=True).is_guarded(names)
    assert not guards().is_secret(names)


@pytest.mark.parametrize("names", [(), ("git",), (".gitignore",), (".github", "x"), ("mcp.json",), ("x.git", "config")])
def test_everything_else_is_not(names: tuple[str, ...]) -> None:
    assert not guards().is_guarded(names)


def test_our_own_data_is_among_the_secrets_wherever_it_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert HOME_VARIABLE in OWN_PLACES
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in (None, *OWN_PLACES):
        for name in OWN_PLACES:
            monkeypatch.delenv(name, raising=False)
        if variable is not None:
            monkeypatch.setenv(variable, str(tmp_path / "there"))
        ours = {paths().config, paths().data}
        assert ours <= {*secret_places(), *own_places()}, variable


def test_without_a_home_there_are_no_places_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert secret_places() == ()
