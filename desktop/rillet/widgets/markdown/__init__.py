"""Markdown source → QTextDocument: parse, build, colour. Opens no file and no socket."""

from rillet.widgets.markdown.build import text_document
from rillet.widgets.markdown.code import LiveCode, code_document
from rillet.widgets.markdown.columns import Columns
from rillet.widgets.markdown.document import SafeDocument
from rillet.widgets.markdown.formula import LiveFormula, formula_document
from rillet.widgets.markdown.formulas import Formulas
from rillet.widgets.markdown.live import LiveText
from rillet.widgets.markdown.math import MathWriter
from rillet.widgets.markdown.table import LiveTable, table_document

__all__ = [
    "Columns",
    "Formulas",
    "LiveCode",
    "LiveFormula",
    "LiveTable",
    "LiveText",
    "MathWriter",
    "SafeDocument",
    "code_document",
    "formula_document",
    "table_document",
    "text_document",
]
