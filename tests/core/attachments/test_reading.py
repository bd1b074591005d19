"""Files as people have them, and as people who mean harm make them: read whole, or refused with a sentence."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from typing import TYPE_CHECKING

import pytest

from rillet.core.attachments.caps import Caps
from rillet.core.attachments.problems import Unreadable
from rillet.core.attachments.reading import read_bytes, read_path
from rillet.core.types import FilePart, ImagePart
from support.office import docx, packed, paragraph, pdf, pdf_with_bomb, xlsx

if TYPE_CHECKING:
    from pathlib import Path


async def _text(data: bytes, name: str, caps: Caps | None = None) -> str:
    contents = await read_bytes(data, name, caps)
    assert contents.text is not None
    return contents.text


async def _refusal(data: bytes, name: str, caps: Caps | None = None) -> str:
    with pytest.raises(Unreadable) as refused:
        await read_bytes(data, name, caps)
    return refused.value.user_message


# What people attach


async def test_a_small_text_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "ü.md").write_bytes("# Größe\r\n".encode())
    contents = await read_path(tmp_path / "ü.md")
    assert (contents.form, contents.text, contents.size) == ("text", "# Größe\r\n", 11)
    assert contents.part() == FilePart("# Größe\r\n".encode(), media_type="text/markdown", name="ü.md")


async def test_a_text_in_another_encoding_is_sent_as_utf_8() -> None:
    contents = await read_bytes("Größe, Straße, schön\n".encode("latin-1"), "alt.txt")
    assert contents.part() == FilePart("Größe, Straße, schön\n".encode(), media_type="text/plain", name="alt.txt")
    assert (await _text("größe und straße".encode("utf-16"), "w.csv")) == "größe und straße"


async def test_a_pdf_is_read_page_by_page_and_kept_beside_its_text() -> None:
    data = pdf("Dear Sir", "", "Yours")
    contents = await read_bytes(data, "letter.pdf")
    assert contents.form == "pdf"
    assert contents.text == "[page 1 of 3]\nDear Sir\n\n[page 2 of 3]\n\n\n[page 3 of 3]\nYours\n\n"
    part = contents.part()
    assert part == FilePart(data, media_type="application/pdf", name="letter.pdf", text=contents.text)


async def test_a_pdf_that_is_too_large_to_be_sent_becomes_its_text() -> None:
    contents = await read_bytes(pdf("Dear Sir"), "a.pdf", Caps(kept=10))
    assert contents.part() == FilePart(b"[page 1 of 1]\nDear Sir\n\n", media_type="text/plain", name="a.pdf")


async def test_a_pdf_that_is_encrypted_without_a_password_is_read() -> None:
    assert "Dear Sir" in await _text(pdf("Dear Sir", password=""), "a.pdf")


async def test_a_pdf_under_another_name_is_a_pdf() -> None:
    assert (await read_bytes(pdf("Dear Sir"), "holiday.jpg")).form == "pdf"


async def test_a_scanned_pdf_has_no_text_and_is_kept_for_models_that_look_at_it() -> None:
    data = pdf("", "")
    contents = await read_bytes(data, "scan.pdf")
    assert (contents.text, contents.data) == (None, data)
    assert "no text: it was probably scanned" in await _refusal(data, "scan.pdf", Caps(kept=10))


async def test_a_word_document_becomes_markdown() -> None:
    styles = '<w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>'
    notes = '<w:footnote w:id="2"><w:p><w:r><w:t>See there.</w:t></w:r></w:p></w:footnote>'
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    cells = "".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in ("a|b", "c"))
    body = (
        paragraph("Results", '<w:pStyle w:val="berschrift2"/>')
        + paragraph("first", '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>')
        + f"<w:tbl><w:tr>{cells}</w:tr><w:tr>{cells}</w:tr></w:tbl>"
        + '<w:p><w:r><w:t>plain &lt; text</w:t><w:footnoteReference w:id="2"/></w:r></w:p>'
        + "<w:p><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>"
        + "<w:ins><w:r><w:t>inserted</w:t></w:r></w:ins>"
        + "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r></w:p>"
    )
    data = docx(
        body,
        more={
            "word/styles.xml": f"<w:styles {space}>{styles}</w:styles>",
            "word/footnotes.xml": f"<w:footnotes {space}>{notes}</w:footnotes>",
        },
    )
    assert await _text(data, "report.docx") == (
        "## Results\n\n  - first\n\n| a\\|b | c |\n|---|---|\n| a\\|b | c |\n\n"
        "plain < text[^2]\n\ninserted\n\n[^2]: See there.\n"
    )


async def test_a_workbook_becomes_rows_sheet_by_sheet() -> None:
    contents = await read_bytes(xlsx({"Sales": [["city"]]}), "a.xlsx")
    assert contents.media_type == "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    data = xlsx({"Sales": [["city", "sum"], ["Köln, Deutz", 12], ["Rome", 1.5]], "Secret": [["x"]], "Empty": []})
    assert await _text(data, "a.xlsx") == (
        '## Sales\n\ncity,sum\n"Köln, Deutz",12\nRome,1.5\n\n## Secret\n\nx\n\n## Empty\n\n(empty)\n\n'
    )


async def test_hidden_sheets_are_left_out() -> None:
    data = xlsx({"Sales": [["city"]], "Secret": [["x"]]}, hidden=frozenset({"Secret"}))
    assert await _text(data, "a.xlsx") == "## Sales\n\ncity\n\n"


async def test_images_and_sound_are_handed_on_as_they_are() -> None:
    png = b"\x89PNG\r\n\x1a\n" + bytes(16)
    assert (await read_bytes(png, "a.txt")).part() == ImagePart(png, media_type="image/png")
    wav = b"RIFF\x00\x00\x00\x00WAVEfmt "
    assert (await read_bytes(wav, "a.wav")).part() == FilePart(wav, media_type="audio/wav", name="a.wav")


# What is too much


async def test_what_is_left_out_of_a_long_text_is_said_in_it() -> None:
    text = await _text(b"0123456789" * 1000, "a.log", Caps(text=50))
    assert text == "0123456789" * 1000  # (small enough to be read on the spot: the cap is about what is parsed)
    text = await _text("é".encode("utf-16") + b"0\0" * 300_000, "a.log", Caps(text=50))
    assert text.startswith("é0000")
    assert text.endswith("0\n[… it is longer than what is read of one file: the rest was left out …]\n")
    assert len(text) < 200


async def test_a_huge_sheet_is_cut_and_says_how_much_is_missing() -> None:
    data = xlsx({"Big": [[n, "x", "y"] for n in range(100)]})
    text = await _text(data, "a.xlsx", Caps(rows=3, columns=2))
    rows = "".join(f"{number},x,[… 1 more columns left out …]\n" for number in range(3))
    assert text == f"## Big\n\n{rows}[… 97 more rows of this sheet were left out …]\n\n"


async def test_what_takes_too_long_is_cut_and_says_so() -> None:
    text = await _text(pdf(*["page"] * 50), "a.pdf", Caps(seconds=0.0))
    assert text.endswith("\n[… reading it took too long: the rest was left out …]\n")
    assert text.startswith("[page 1 of 50]\npage")


async def test_a_file_larger_than_the_cap_is_not_even_opened(tmp_path: Path) -> None:
    path = tmp_path / "huge.pdf"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a hole of a terabyte
    with pytest.raises(Unreadable, match=r"^huge\.pdf has 1\.1 TB: at most 200 MB can be attached\."):
        await read_path(path)


# What means harm


async def test_a_zip_bomb_is_not_unpacked() -> None:
    bomb = docx("", more={"word/media/a.xml": "0" * 50_000_000})
    assert len(bomb) < 100_000
    assert "made to do harm" in await _refusal(bomb, "a.docx")
    many = packed({"word/document.xml": "<a/>"} | {f"{n}": "" for n in range(20_001)})
    assert "made to do harm" in await _refusal(many, "a.docx")


async def test_a_zip_that_lies_about_its_size_is_damaged() -> None:
    data = bytearray(docx(paragraph("x" * 5000)))
    entry = data.rindex(b"PK\x01\x02")  # of word/document.xml, the last one (APPNOTE.TXT 4.3.12)
    data[entry + 24 : entry + 28] = (10).to_bytes(4, "little")
    assert "is damaged" in await _refusal(bytes(data), "a.docx")
    assert "is damaged" in await _refusal(docx(paragraph("x" * 5000))[:300], "a.docx")


@pytest.mark.parametrize(
    "head",
    [
        '<!DOCTYPE w [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;">]>',
        '<!DOCTYPE w SYSTEM "http://127.0.0.1:1/x.dtd">',
        '<!DOCTYPE w [<!ENTITY c SYSTEM "file:///etc/hostname">]>',
    ],
)
async def test_entities_are_refused(head: str) -> None:
    assert "made to do harm" in await _refusal(docx("<w:p><w:r><w:t>&c;</w:t></w:r></w:p>", head=head), "a.docx")


async def test_xml_that_is_nested_without_end_ends() -> None:
    deep = "<w:sdt>" * 50_000 + "</w:sdt>" * 50_000
    assert await _text(docx(f"<w:p>{deep}</w:p>{paragraph('after')}"), "a.docx") == "after\n\n"


async def test_a_password_is_asked_for_a_copy_without_one() -> None:
    assert "protected by a password" in await _refusal(pdf("x", password="secret"), "a.pdf")


@pytest.mark.parametrize("data", [b"%PDF-1.7\n" + b"garbage " * 100, pdf("x")[:200], b"%PDF-"])
async def test_a_broken_pdf_says_what_to_do(data: bytes) -> None:
    assert "Open it in its own program, save it again" in await _refusal(data, "a.pdf")


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        (b"PK\x03\x04broken", "a.docx", "damaged"),
        (packed({"a.txt": "x"}), "a.zip", "Unpack it"),
        (packed({"[Content_Types].xml": "x", "ppt/presentation.xml": "x"}), "a.pptx", "Save it as PDF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "a.doc", "Save it as PDF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "a.xls", "damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "a.xlsx", "protected by a password"),
        (b"\x00\x00\x00\x18ftypheic" + bytes(50), "a.heic", "Save it as JPEG"),
        (b"\x7fELF\0\0" + bytes(50), "a.txt", "no model reads"),
        (b"text " * 1000 + b"\0" * 50, "a.log", "no model reads"),
        (bytes(range(1, 256)) * 40, "a.dat", "no model reads"),
        (b"", "a", "is empty"),
    ],
)
async def test_what_cannot_be_read_is_refused_by_name_with_what_to_do(data: bytes, name: str, words: str) -> None:
    sentence = await _refusal(data, name)
    assert sentence.startswith(name)
    assert words in sentence


async def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    async def refusal(path: Path) -> str:
        with pytest.raises(Unreadable) as refused:
            await read_path(path)
        return refused.value.user_message

    assert "is a folder" in await refusal(tmp_path)
    assert "gone.txt cannot be read: No such file" in await refusal(tmp_path / "gone.txt")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert "not a file but a device, a pipe" in await refusal(tmp_path / "pipe")
        (tmp_path / "loop").symlink_to("loop")
        assert "loop cannot be read" in await refusal(tmp_path / "loop")
        (tmp_path / "zero").symlink_to(os.devnull.replace("null", "zero"))
        assert "not a file but a device" in await refusal(tmp_path / "zero")
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(tmp_path / "s"))
        listening.close()
        assert "not a file but a device" in await refusal(tmp_path / "s")


async def test_a_file_whose_size_is_not_told_is_read_up_to_the_cap(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("there is no /proc")
    from pathlib import Path as At

    assert (await read_path(At("/proc/self/status"))).text
    with pytest.raises(Unreadable, match="at most 10 B"):
        await read_path(At("/proc/self/status"), Caps(file=10))


async def test_memory_is_capped() -> None:
    if sys.platform != "linux":
        pytest.skip("no other system has such a limit")
    assert "could not be read" in await _refusal(pdf("x", padding=100_000_000), "a.pdf", Caps(memory=90_000_000))


async def test_a_page_that_unpacks_to_half_a_gigabyte_costs_that_page() -> None:
    data = pdf_with_bomb("before", 500_000_000)
    assert len(data) < 1_000_000
    text = await _text(data, "a.pdf")
    assert text.startswith("[page 1 of 2]\nbefore\n\n[page 2 of 2]\n")
    assert len(text) < 200


async def test_cancelling_leaves_no_child_behind() -> None:
    data, before = pdf(*["page"] * 3000), _children()
    reading = asyncio.create_task(read_bytes(data, "a.pdf"))
    while not _children() - before:
        assert not reading.done()
        await asyncio.sleep(0.01)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert not _children() - before


async def test_several_are_read_at_a_time_each_with_its_own_end() -> None:
    async def read(number: int) -> str:
        try:
            return await _text(pdf(f"number {number}") if number % 2 else b"%PDF-", f"{number}.pdf")
        except Unreadable as error:
            return error.user_message

    said = await asyncio.gather(*map(read, range(5)))
    assert [("damaged" in text, str(number) in text) for number, text in enumerate(said)] == [
        (number % 2 == 0, True) for number in range(5)
    ]


def _children() -> set[int]:
    from rillet.core.tools.warden import descendants

    return descendants(os.getpid())
