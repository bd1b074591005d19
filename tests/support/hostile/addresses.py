"""Images, links and whatever else names an address."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from support.hostile.document import Hostile
from support.hostile.markup import loading_tags

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.hostile.document import Bait


def _images(bait: Bait) -> Iterator[Hostile]:
    forms = (
        "![a picture]({u})",
        "text ![]({u}) text",
        "![x](<{u}>)",
        '![x]({u} "title")',
        "[![x]({u})](https://a.example)",
    )
    for form, address in product(forms, bait.loading):
        yield Hostile("image", form.format(u=address))


def _images_by_reference(bait: Bait) -> Iterator[Hostile]:
    for address in bait.loading:
        yield Hostile("image by reference", f"![x][r]\n\n[r]: {address}\n")
        yield Hostile("image by reference", f"[r]: <{address}> 'title'\n\n![r] and ![r][]\n")


def _words_of_images(bait: Bait) -> Iterator[Hostile]:
    for tag in loading_tags(bait)[::6]:
        yield Hostile("words of an image", f"![{tag}](https://a.example/x.png)")
        yield Hostile("words of an image", f"![x](https://a.example/x.png '{tag.replace(chr(39), '')}')")


def _images_in_structures(bait: Bait) -> Iterator[Hostile]:
    frames = ("# {i}", "> {i}", "> > - {i}", "- {i}", "1. a\n   - {i}", "| {i} |\n|-|\n| {i} |", "**_{i}_**", "~~{i}~~")
    for frame, address in product(frames, (bait.image, bait.file, bait.svg)):
        yield Hostile("image in a structure", frame.format(i=f"![x]({address})"))


def _links(bait: Bait) -> Iterator[Hostile]:
    forms = (
        "[click]({u})",
        "[click](<{u}>)",
        "<{u}>",
        "[click][r]\n\n[r]: <{u}>",
        '[click]({u} "https://bank.example")',
    )
    for form, address in product(forms, bait.running):
        yield Hostile("link", form.format(u=address))


def _bare_addresses(bait: Bait) -> Iterator[Hostile]:
    for address in (*bait.running, *bait.loading):
        yield Hostile("bare address", f"See {address} for more.")


def _disguised_schemes(_bait: Bait) -> Iterator[Hostile]:
    for address in (
        "&#106;avascript:alert(1)",
        "&#x6A;avascript:alert(1)",
        "&Tab;javascript:alert(1)",
        "java&NewLine;script:alert(1)",
        "javascript&colon;alert(1)",
        "%6Aavascript:alert(1)",
        "\x01javascript:alert(1)",
        "javascript\\:alert(1)",
        "\u200bjavascript:alert(1)",
        "jav\xadascript:alert(1)",
        "\uff4aavascript:alert(1)",
        "https&colon;//a.example",
        "ht\u200btps://a.example",
        "file&colon;///etc/passwd",
    ):
        yield Hostile("scheme in disguise", f"[a]({address}) and ![b]({address})")


def _pretending_links(_bait: Bait) -> Iterator[Hostile]:
    for text, address in (
        ("https://bank.example", "https://evil.example"),
        ("bank.example", "https://bank.example.evil.example"),
        ("https://bank.example", "https://bank.example@evil.example"),
        ("https://bank.example", "https://bank.example%2F@evil.example"),
        ("https://bank.example", "https://evil.example\\@bank.example"),
        ("your bank", "https://xn--pple-43d.example"),
        ("\u0430pple.example", "https://xn--pple-43d.example"),
        ("https://bank.example\u202e", "https://evil.example/elpmaxe.knab"),
        ("\u2066https://bank.example\u2069", "https://evil.example"),
        ("ba\u200bnk.example", "https://evil.example"),
        ("![https://bank.example](https://bank.example/x)", "https://evil.example"),
        ("`https://bank.example`", "https://evil.example"),
        ("127.0.0.1", "http://2130706433"),
    ):
        yield Hostile("link that pretends", f"Please go to [{text}]({address}) now.")


def _footnotes(bait: Bait) -> Iterator[Hostile]:
    for address in bait.loading[:8]:
        yield Hostile("footnote", f"Text[^1]\n\n[^1]: ![x]({address}) [y]({address})\n")
        yield Hostile("footnote", f"[^{address}]: x\n\nText[^{address}]")


CARRIERS: tuple[Callable[[Bait], Iterator[Hostile]], ...] = (
    _images,
    _images_by_reference,
    _words_of_images,
    _images_in_structures,
    _links,
    _bare_addresses,
    _disguised_schemes,
    _pretending_links,
    _footnotes,
)
