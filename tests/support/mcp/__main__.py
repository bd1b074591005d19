"""Runs one scripted server: ``python tests/support/mcp BEHAVIOUR [MARK]``."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[2])

from support.mcp.behaviours import BEHAVIOURS  # noqa: E402 (its folder has to be found first)

BEHAVIOURS[sys.argv[1]]().run()
