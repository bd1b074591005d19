"""Half an hour of ordinary use of the real program: how long its window is held up, and by what.

    xvfb-run -a python tests/bench/ordinary_use.py [minutes] [chats] [--pace 1.0] [--seed 1] [--only CHORE …]

Every feature is used at least once, in an order of chance, over a store of some thousand chats. Told are the longest
stretch of CPU that the GUI thread spent between two ticks of 5 ms and the 99th percentile of these, how late ticks were
beside those of an idle loop in the same minutes, and of each block above 50 ms where the thread stood.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.gui_loop import percentile
from support.ordinary.use import use

BUSY = 0.001
"""Seconds of CPU from which on a slice is one in which something was done."""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("minutes", type=float, nargs="?", default=30.0)
    parser.add_argument("chats", type=int, nargs="?", default=3000)
    parser.add_argument("--pace", type=float, default=1.0, help="how long pauses are; below 1 the person is faster")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=())
    options = parser.parse_args()
    day = use(
        seconds=options.minutes * 60, pace=options.pace, chats=options.chats, seed=options.seed, chores=options.only
    )
    busy = type(day.cpu)("f", (each for each in day.cpu if each > BUSY))
    print(f"{day.seconds / 60:.1f} minutes, {len(day.done)} chores, {len(set(day.done))} kinds; {options.chats} chats")
    for name, values in (
        ("CPU of a slice", day.cpu),
        ("of those with work", busy),
        ("a tick is late", day.late),
        ("idle loop", day.idle),
    ):
        shares = ", ".join(
            f"p{share * 100:g} {percentile(values, share) * 1e3:.1f}" for share in (0.5, 0.95, 0.99, 0.999)
        )
        print(f"{name:20} {shares}, worst {max(values) * 1e3:.1f} ms ({len(values)})")
    for block in sorted(day.blocks, key=lambda block: -block.cpu):
        print(f"  {block}")
    for (chore, why), count in Counter(day.failed).items():
        print(f"not done, {count} ×: {chore}, {why}")
    for error, count in Counter(day.errors).items():
        print(f"error, {count} ×: {error}")


if __name__ == "__main__":
    main()
