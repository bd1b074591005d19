"""HTML, style sheets and SVG, wherever text may stand."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING
from urllib.parse import quote

from support.hostile.document import Hostile, data_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.hostile.document import Bait, Place

_LOADING_TAGS = (
    '<img src="{u}">',
    "<img src='{u}' onerror='alert(1)' width=9999 height=9999>",
    '<img srcset="{u} 2x">',
    '<picture><source srcset="{u}"><img></picture>',
    '<script src="{u}"></script>',
    '<link rel="stylesheet" href="{u}">',
    '<iframe src="{u}"></iframe>',
    '<object data="{u}"></object>',
    '<embed src="{u}">',
    '<video poster="{u}" src="{u}" autoplay></video>',
    '<audio src="{u}" autoplay></audio>',
    '<body background="{u}">',
    '<table background="{u}"><tr><td>x</td></tr></table>',
    '<input type="image" src="{u}">',
    '<svg><image href="{u}"/></svg>',
    '<svg><use xlink:href="{u}#a"/></svg>',
    '<svg><foreignObject><img src="{u}"/></foreignObject></svg>',
    '<math><mtext><img src="{u}"></mtext></math>',
    '<div style="background-image: url({u})">x</div>',
    '<p style="list-style: url({u}); font-family: url({u})">x</p>',
    '<style>@import "{u}"; body {{ background: url({u}) }}</style>',
    '<meta http-equiv="refresh" content="0; url={u}">',
    '<base href="{u}/"><img src="x.png">',
    '<a href="{u}" ping="{u}">x</a>',
    '<form action="{u}"><button>Go on</button></form>',
    '<qt><img src="{u}"/></qt>',
)


def loading_tags(bait: Bait) -> list[str]:
    """Every tag with every bait."""
    addresses = (bait.image, bait.file, bait.canary)
    return [tag.format(u=address) for tag, address in product(_LOADING_TAGS, addresses)]


def _html_in_answers(bait: Bait) -> Iterator[Hostile]:
    for tag in loading_tags(bait):
        yield Hostile("HTML block", tag, shows=tag.partition("=")[0].strip())


def _html_in_text(bait: Bait) -> Iterator[Hostile]:
    frames = (
        "A word {t} and more",
        "# {t}",
        "> {t}",
        "- item {t}",
        "1. {t}",
        "**{t}**",
        "| a | b |\n|-|-|\n| {t} | 2 |",
    )
    for index, tag in enumerate(loading_tags(bait)[::3]):
        yield Hostile("HTML in text", frames[index % len(frames)].format(t=tag), shows="<")


def _html_in_reasoning(bait: Bait) -> Iterator[Hostile]:
    for tag in loading_tags(bait)[::4]:
        yield Hostile("HTML in reasoning", f"I think {tag}", "reasoning", shows="<")


def _html_of_users(bait: Bait) -> Iterator[Hostile]:
    for tag in loading_tags(bait)[1::4]:
        yield Hostile("HTML of a user", f"Look: {tag}", "user", shows=f"Look: {tag}")


def _html_in_code(bait: Bait) -> Iterator[Hostile]:
    for tag in loading_tags(bait)[2::5]:
        yield Hostile("HTML in code", f"```html\n{tag}\n```", shows=tag)
        yield Hostile("HTML in code", f"Inline `{tag}` code", shows=tag)


def _html_in_sentences_of_ours(bait: Bait) -> Iterator[Hostile]:
    places: tuple[Place, ...] = ("error", "note", "status")
    for index, tag in enumerate(loading_tags(bait)[::4]):
        yield Hostile("HTML in a sentence", f"<b>Failed</b> {tag}", places[index % 3])


def _html_of_tools(bait: Bait) -> Iterator[Hostile]:
    places: tuple[Place, ...] = ("tool", "approval", "file")
    for index, tag in enumerate(loading_tags(bait)[::2]):
        yield Hostile("HTML of a tool", tag, places[index % 3])


def _style_sheets(bait: Bait) -> Iterator[Hostile]:
    for rule in (
        "@import url({u});",
        "p {{ background: url({u}) }}",
        "@font-face {{ src: url({u}) }}",
        "* {{ qproperty-x: url({u}) }}",
    ):
        for address in (bait.image, bait.file, bait.canary):
            yield Hostile("style sheet", f"<style>\n{rule.format(u=address)}\n</style>\n\ntext", shows="<style>")
            yield Hostile("style sheet", f"```css\n{rule.format(u=address)}\n```", shows=rule.format(u=address))


def _svg_data(bait: Bait) -> Iterator[Hostile]:
    for svg in (
        f'<svg xmlns="http://www.w3.org/2000/svg"><image href="{bait.file}"/></svg>',
        f'<svg xmlns="http://www.w3.org/2000/svg"><script href="{bait.image}"/></svg>',
        f'<?xml-stylesheet href="{bait.image}"?><svg/>',
        f'<!DOCTYPE svg [<!ENTITY x SYSTEM "{bait.file}">]><svg>&x;</svg>',
        f'<!DOCTYPE x SYSTEM "{bait.image}"><x/>',
        '<svg width="99999999" height="99999999"/>',
    ):
        yield Hostile("data URL", f"![x]({data_url(svg)})")
        yield Hostile("data URL", f"![x](data:image/svg+xml,{quote(svg)})")
        yield Hostile("data URL", f'<img src="{data_url(svg)}">', shows="<img")


CARRIERS: tuple[Callable[[Bait], Iterator[Hostile]], ...] = (
    _html_in_answers,
    _html_in_text,
    _html_in_reasoning,
    _html_of_users,
    _html_in_code,
    _html_in_sentences_of_ours,
    _html_of_tools,
    _style_sheets,
    _svg_data,
)
