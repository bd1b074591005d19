"""Markdown source → QTextDocument: parse, build, colour. Opens no file and no socket."""

from rillet.widgets.markdown.build import text_document
from rillet.widgets.markdown.code import LiveCode, code_document
from rillet.widgets.markdown.document import SafeDocument
from rillet.widgets.markdown.live import LiveText

__all__ = ["LiveCode", "LiveText", "SafeDocument", "code_document", "text_document"]
