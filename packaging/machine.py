"""What a machine must bring along before anything of ours can run: an interpreter, and libraries of the system.

For ``dev.py``. Standard library only, and read by interpreters as old as 3.7, so that an old one can say what is wrong.
Nothing here changes the machine but ``install_packages``, which asks apt and only as root.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Version = tuple[int, int]
    Libraries = Mapping[str, Sequence[str]]

OLDEST = (3, 11)

# Soname → Debian package; a name that Debian 13 and Ubuntu 24.04 changed for 64-bit time stands last.
OFFSCREEN = {
    "libglib-2.0.so.0": ("libglib2.0-0", "libglib2.0-0t64"),
    "libGL.so.1": ("libgl1",),
    "libEGL.so.1": ("libegl1",),
    "libfontconfig.so.1": ("libfontconfig1",),
    "libdbus-1.so.3": ("libdbus-1-3",),
    "libxkbcommon.so.0": ("libxkbcommon0",),
    # The engine of the built-in model.
    "libstdc++.so.6": ("libstdc++6",),
    "libgomp.so.1": ("libgomp1",),
}
X11 = {
    "libxcb-cursor.so.0": ("libxcb-cursor0",),
    "libxcb-icccm.so.4": ("libxcb-icccm4",),
    "libxcb-image.so.0": ("libxcb-image0",),
    "libxcb-keysyms.so.1": ("libxcb-keysyms1",),
    "libxcb-randr.so.0": ("libxcb-randr0",),
    "libxcb-render-util.so.0": ("libxcb-render-util0",),
    "libxcb-shape.so.0": ("libxcb-shape0",),
    "libxcb-xkb.so.1": ("libxcb-xkb1",),
    "libxkbcommon-x11.so.0": ("libxkbcommon-x11-0",),
}
WAYLAND = {
    "libwayland-client.so.0": ("libwayland-client0",),
    "libwayland-cursor.so.0": ("libwayland-cursor0",),
    "libwayland-egl.so.1": ("libwayland-egl1",),
}


class Failure(Exception):
    """Something the person at the terminal has to do; the text says what."""


def pythons() -> list[tuple[Version, str]]:
    """Every interpreter found that is new enough, newest first, one per version."""
    names = [f"python3.{minor}" for minor in range(OLDEST[1], OLDEST[1] + 8)]
    candidates = [shutil.which(name) for name in ["python3", "python", *names]]
    candidates += [str(path) for path in sorted(Path.home().glob(".pyenv/versions/3.*/bin/python3"))]
    found: dict[Version, str] = {}
    for candidate in candidates:
        version = python_version(candidate) if candidate else None
        if candidate and version and version >= OLDEST:
            found.setdefault(version, candidate)
    return sorted(found.items(), reverse=True)


def python_version(python: str) -> Version | None:
    """Major and minor number of an interpreter, or None when it does not run (a pyenv shim without a version)."""
    try:
        result = subprocess.run(
            [python, "-c", "import sys; print(*sys.version_info[:2])"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=20,
            check=True,
        )
        major, minor = result.stdout.split()
        return int(major), int(minor)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def missing_libraries(libraries: Libraries) -> dict[str, Sequence[str]]:
    """Those of ``libraries`` that the system's loader does not find. Empty on anything but Linux."""
    if not sys.platform.startswith("linux"):
        return {}
    return {soname: packages for soname, packages in libraries.items() if not _loads(soname)}


def has_apt() -> bool:
    """Whether this is Debian or one of its children."""
    return shutil.which("apt-get") is not None


def choose_packages(libraries: Libraries, offered: Iterable[str]) -> list[str]:
    """One package per library: the first name that this release offers, else the oldest name."""
    known = set(offered)
    return sorted({next((name for name in names if name in known), names[0]) for names in libraries.values()})


def offered_packages(names: Iterable[str]) -> list[str]:
    """Those of ``names`` that apt could install. A virtual package is not one of them."""
    command = ["apt-cache", "madison", *names]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return sorted({line.split("|")[0].strip() for line in result.stdout.splitlines() if "|" in line})


def ensure(libraries: Libraries, python: str | None = None) -> None:
    """See to it that ``libraries`` are here and that ``python``, if given, can make virtual environments.

    Installs what is missing as root on Debian; anywhere else raises Failure, once for everything.
    """
    missing = _missing(libraries, python)
    if not missing:
        return
    if not has_apt():
        raise Failure(f"Install the packages that hold these, which are missing: {', '.join(missing)}")
    is_root = os.geteuid() == 0
    if is_root:
        refresh_packages()
    packages = choose_packages(missing, offered_packages(name for names in missing.values() for name in names))
    if not is_root:
        command = f"sudo apt-get install --no-install-recommends {' '.join(packages)}"
        raise Failure(f"Something is missing on this system. Install it, then try again:\n  {command}")
    install_packages(packages)
    missing = _missing(libraries, python)
    if missing:
        raise Failure(f"apt has installed its packages, and this is still missing: {', '.join(missing)}")


def refresh_packages() -> None:
    """Bring apt's lists up to date. A mirror that fails is not fatal: the lists may be good enough."""
    subprocess.run(["apt-get", "update", "-q"], check=False)


def install_packages(packages: Sequence[str]) -> None:
    """Install Debian packages; needs root. Raises Failure."""
    print("Installing", *packages, flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
    if subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, check=False).returncode:
        raise Failure(f"apt-get could not install {' '.join(packages)}; its reason stands above.")


def _missing(libraries: Libraries, python: str | None) -> dict[str, Sequence[str]]:
    """What is missing → the packages that may hold it. Debian ships Python without the means to make environments."""
    missing = missing_libraries(libraries)
    if python is not None and not _can_make_venv(python):
        version = python_version(python) or OLDEST
        missing[f"the modules venv and ensurepip of {python}"] = ("python{}.{}-venv".format(*version),)
    return missing


def _loads(soname: str) -> bool:
    try:
        ctypes.CDLL(soname)
    except OSError:
        return False
    return True


def _can_make_venv(python: str) -> bool:
    return (
        subprocess.run([python, "-c", "import ensurepip, venv"], stderr=subprocess.DEVNULL, check=False).returncode == 0
    )
