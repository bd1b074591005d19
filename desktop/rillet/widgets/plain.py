"""Plain text where Qt would take it for HTML when it looks like it.

Pure. Below: whatever gives a tool tip to a text that is not ours (names of models, files and tools, what a server
says). Labels have a text format and need none of this.
"""

from __future__ import annotations


def tool_tip(text: str) -> str:
    """``text`` as a tool tip that shows it letter by letter."""
    if "<" not in text:  # Qt looks for HTML behind that only
        return text
    import html  # rarely needed, and 2 ms before the first paint

    return f"<qt>{html.escape(text, quote=False).replace(chr(10), '<br>')}</qt>"
