"""One hostile message, and the baits that it is written around."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Literal, TypeAlias

Place: TypeAlias = Literal[
    "answer", "streamed", "reasoning", "user", "error", "note", "status", "tool", "approval", "file"
]


@dataclass(frozen=True, slots=True)
class Hostile:
    """One message.

    Attributes:
        carrier: How it comes in.
        text: What is said.
        place: Where it is said.
        shows: What of it must be on the screen, letter by letter: markup that was not taken for markup.
    """

    carrier: str
    text: str
    place: Place = "answer"
    shows: str = ""


class Bait:
    """The addresses of the two baits, in all the ways that programs write them."""

    def __init__(self, base: str, canary: str) -> None:
        self.base = base
        self.authority = base.partition("//")[2]
        self.canary = canary
        self.image = f"{base}/image.png"
        self.file = f"file://{canary}"
        self.svg = data_url(f'<svg xmlns="http://www.w3.org/2000/svg"><image href="{base}/svg.png"/></svg>')
        self.loading = (
            self.image,
            f"{base}/image.svg?session=SECRET#part",
            f"//{self.authority}/relative.png",
            self.file,
            f"file://localhost{canary}",
            canary,
            f"file://{self.authority}/share/x.png",
            f"\\\\{self.authority}\\share\\x.png",
            self.svg,
            f"qrc:{canary}",
            f"image://provider{canary}",
            f"rillet-image:{self.file}",
        )
        self.running = (
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "vbscript:msgbox(1)",
            "data:text/html,<script>alert(1)</script>",
            "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
            "ms-msdt:/id PCWDiagnostic /skip force",
            "search-ms:query=x&crumb=location:\\\\127.0.0.1",
            "smb://127.0.0.1/share",
            f"ftp://{self.authority}/x",
            "x-terminal:rm%20-rf%20x",
            "app://new?q=send+this",
            "blob:https://example.org/1",
            "view-source:https://example.org",
            "intent://x#Intent;scheme=https;end",
            self.file,
            self.canary,
            "C:\\Windows\\System32\\calc.exe",
            "../../../../etc/passwd",
        )


def data_url(svg: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
