"""What a person may choose about the look, and the theme that comes of it.

Above: ``tokens``, ``accent``, ``typography``. Below: ``palette`` applies it, settings keep it. Values only; what the
desktop asks for is handed in. Guarantee: every combination keeps the contrasts (a test computes all of them).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from rillet.widgets.theme.accent import with_accent
from rillet.widgets.theme.tokens import DARK, HIGH_DARK, HIGH_LIGHT, LIGHT, Tokens
from rillet.widgets.theme.typography import Density, Typography

Scheme: TypeAlias = Literal["light", "dark"]
WantedScheme: TypeAlias = Literal["system", "light", "dark"]
WantedContrast: TypeAlias = Literal["system", "normal", "high"]

_GAPS: Final = ("gap_1", "gap_2", "gap_3", "gap_4", "gap_6", "gap_8")
_GAP_SCALE: Final[dict[Density, float]] = {"compact": 0.75, "comfortable": 1.0, "spacious": 1.25}


@dataclass(frozen=True, slots=True, kw_only=True)
class ThemeOptions:
    """The choices. All defaults follow the desktop.

    Attributes:
        scheme: Light, dark, or as the desktop is.
        contrast: Normal, high, or as the desktop asks.
        reduced_motion: Nothing moves that need not, also where the desktop does not ask for it.
        accent: A colour ``#RRGGBB``; None is our own.
        typography: Families, size and density of text.
    """

    scheme: WantedScheme = "system"
    contrast: WantedContrast = "system"
    reduced_motion: bool = False
    accent: str | None = None
    typography: Typography = field(default_factory=Typography)

    def tokens(self, desktop: Scheme, *, high_contrast: bool = False) -> Tokens:
        """The colours and measures on a desktop that is ``desktop`` and may ask for high contrast.

        Raises:
            ValueError: the accent is no colour.
        """
        dark = (desktop if self.scheme == "system" else self.scheme) == "dark"
        high = high_contrast if self.contrast == "system" else self.contrast == "high"
        tokens = (HIGH_DARK if dark else HIGH_LIGHT) if high else (DARK if dark else LIGHT)
        if self.accent is not None:
            tokens = with_accent(tokens, self.accent)
        return with_density(tokens, self.typography.density)


def with_density(tokens: Tokens, density: Density) -> Tokens:
    """The theme with larger or smaller gaps."""
    scale = _GAP_SCALE[density]
    return tokens if scale == 1 else replace(tokens, **{name: round(getattr(tokens, name) * scale) for name in _GAPS})
