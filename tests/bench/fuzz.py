"""What ``core/wire/test_fuzz.py`` does, as often as one likes: python tests/bench/fuzz.py [N] [SEED]

``N`` bodies (a million unless told), a fifth in each style. What breaks an invariant is printed as the line that names
it, with its error, and the run goes on; the exit status tells whether there was any.
"""

from __future__ import annotations

import random
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.answers import STYLES
from support.invariants import check_body
from support.mutations import MUTATIONS, mutated, seeds

NAMES = sorted(MUTATIONS)
FAR = 50_000
"""More than a body has bytes."""


def attempt(style: str, seed: str) -> str | None:
    """One body; what went wrong with it."""
    source = random.Random(seed)
    good = source.choice(seeds(style))
    steps = [
        (source.choice(NAMES), source.randrange(50_000), source.randrange(50_000)) for _ in range(source.randint(0, 6))
    ]
    cuts = [source.randrange(50_000) for _ in range(source.randint(0, 6))]
    try:
        check_body(style, mutated(good, steps), cuts, think_tags=source.random() < 0.3)
    except Exception:  # noqa: BLE001 (whatever it is, it is what we look for)
        return f"{style} {seed} {steps} {cuts}\n{traceback.format_exc(limit=-3)}"
    return None


def main() -> int:
    """Run, print, count."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    started = time.perf_counter()
    failures = 0
    for number in range(first, first + count):
        problem = attempt(STYLES[number % len(STYLES)], str(number))
        if problem is not None:
            failures += 1
            print(problem, flush=True)
    seconds = time.perf_counter() - started
    print(f"{count:,} bodies in {seconds:.0f} s, {failures} broke an invariant")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
