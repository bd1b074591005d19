"""Documents as people have them, made on the spot: PDF, docx and xlsx."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, EncodedStreamObject, NameObject

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"


def pdf(*pages: str, password: str | None = None, padding: int = 0) -> bytes:
    """A PDF with these texts (ASCII), each a page of its own; "" is a page without text."""
    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for text in pages:
        page = writer.add_blank_page(595, 842)
        lines = "".join(f"({line}) Tj T* " for line in text.replace("(", r"\(").replace(")", r"\)").splitlines())
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 14 TL 50 780 Td {lines}ET".encode() if text else b"")
        page[NameObject("/Contents")] = writer._add_object(stream)
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
    if padding:
        filler = DecodedStreamObject()
        filler.set_data(bytes(padding))
        writer._add_object(filler)
    if password is not None:
        writer.encrypt(password, algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def pdf_with_bomb(text: str, size: int) -> bytes:
    """A PDF of two pages, the second of which unpacks to ``size`` bytes."""
    writer = PdfWriter(io.BytesIO(pdf(text)))
    stream = EncodedStreamObject()
    packer = zlib.compressobj(9)
    blank = b" " * 1_000_000
    stream._data = b"".join(packer.compress(blank) for _ in range(size // len(blank))) + packer.flush()
    stream[NameObject("/Filter")] = NameObject("/FlateDecode")
    page = writer.add_blank_page(595, 842)
    page[NameObject("/Contents")] = writer._add_object(stream)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def docx(body: str, *, head: str = "", more: Mapping[str, str] | None = None) -> bytes:
    """A Word document whose body is this XML (namespace ``w``); ``head`` stands before its root."""
    document = f'{head}<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
    return packed({"[Content_Types].xml": f'<Types xmlns="{_TYPES}"/>', "word/document.xml": document, **(more or {})})


def paragraph(text: str, properties: str = "") -> str:
    """One paragraph of a Word document."""
    return f'<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'


def xlsx(sheets: Mapping[str, Sequence[Sequence[str | int | float]]], *, hidden: frozenset[str] = frozenset()) -> bytes:
    """A workbook with these sheets."""
    names = list(sheets)
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{number}" r:id="r{number}" state="{state}"/>'
        for number, name in enumerate(names, 1)
        if (state := "hidden" if name in hidden else "visible")
    )
    relations = "".join(
        f'<Relationship Id="r{number}" Type="{R}/worksheet" Target="worksheets/sheet{number}.xml"/>'
        for number in range(1, len(names) + 1)
    )
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{number}.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
        for number in range(1, len(names) + 1)
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_TYPES}"><Default Extension="xml" ContentType="application/xml"/>'
        '<Override PartName="/xl/workbook.xml" ContentType='
        f'"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>{overrides}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" Type="{R}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{S}" xmlns:r="{R}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_RELATIONS}">{relations}</Relationships>',
    }
    for number, rows in enumerate(sheets.values(), 1):
        data = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
        parts[f"xl/worksheets/sheet{number}.xml"] = f'<worksheet xmlns="{S}"><sheetData>{data}</sheetData></worksheet>'
    return packed(parts)


def packed(parts: Mapping[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP archive with these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def _cell(value: str | float) -> str:
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c><v>{value}</v></c>"
