from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.tools.skill_file import LONGEST_DESCRIPTION, Skill, SkillError, parse_skill


def test_front_matter_and_instructions_are_told_apart() -> None:
    skill = parse_skill("---\nname: pdf\ndescription: Reads PDFs.\n---\n\n# How\n\n---\n\nRead.\n\n")
    assert skill == Skill("pdf", "Reads PDFs.", "# How\n\n---\n\nRead.")


@pytest.mark.parametrize(
    ("front_matter", "description"),
    [
        ("name: x\ndescription: >\n  One\n  two.\n", "One two."),
        ("name: x\ndescription: |\n  One\n  two.\n", "One two."),
        ("name: x\ndescription: 'Quoted: yes'\n", "Quoted: yes"),
        ("name: x\ndescription: Use it: when asked.\n", "Use it: when asked."),
        ("name: x\ndescription: Triggers on: '/a:b', '/c'.\nlicense: MIT\n", "Triggers on: '/a:b', '/c'."),
        ("name: x\ndescription:\n  Pairs with that skill: first\n  this.\n", "Pairs with that skill: first this."),
        ("name: x\ndescription: >-\n  a: b\nbroken: c: d\n", "a: b"),
        ('name: x\ndescription: "a" and b: c\n', '"a" and b: c'),
        ("name: x\n", ""),
        ("name: x\ndescription: [a, b]\n", ""),
        ("name: x\ndescription: yes\n", "yes"),
        ("name: x\ndescription: a\u200bb\u202ec\U000e0041\n", "abc"),
    ],
)
def test_a_description_is_one_line_however_it_was_written(front_matter: str, description: str) -> None:
    skill = parse_skill(f"---\n{front_matter}---\nbody")
    assert (skill.name, skill.description, skill.content) == ("x", description, "body")


@pytest.mark.parametrize(("written", "name"), [("123", "123"), ("no", "no"), ("'a b'", "a b"), ("Größe", "Größe")])
def test_a_name_is_what_was_written(written: str, name: str) -> None:
    assert parse_skill(f"---\nname: {written}\n---\n").name == name


def test_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    assert parse_skill("\ufeff---\r\nname: x\r\n---\r\nbody\r\n") == parse_skill("---\nname: x\n---\nbody\n")


def test_the_tools_that_a_skill_lists_are_kept_for_people_to_see() -> None:
    assert parse_skill("---\nname: x\nallowed-tools: Bash(git:*) Read\n---\n").tools == ("Bash(git:*)", "Read")
    assert parse_skill("---\nname: x\nallowed-tools: [Bash, Read]\n---\n").tools == ("Bash", "Read")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "missing-name"),
        ("# Just Markdown", "missing-name"),
        ("---\nname: x\nno end", "missing-name"),
        ("---\ndescription: d\n---\n", "missing-name"),
        ("---\nname:\n---\n", "missing-name"),
        ("---\nname: [a]\n---\n", "missing-name"),
        ("---\n- a\n- b\n---\n", "malformed-frontmatter"),
        ("---\n{\n---\n", "malformed-frontmatter"),
        ("---\nx: !!python/object:os.system {}\n---\n", "malformed-frontmatter"),
        ('---\nname: "a\\nb"\n---\n', "bad-name"),
        ("---\nname: a<b\n---\n", "bad-name"),
        ("---\nname: 'a\" onload'\n---\n", "bad-name"),
        ("---\nname: a\u202eb\n---\n", "bad-name"),
        (f"---\nname: {'x' * 65}\n---\n", "bad-name"),
    ],
)
def test_what_is_no_skill_says_why(text: str, reason: str) -> None:
    with pytest.raises(SkillError) as caught:
        parse_skill(text)
    assert caught.value.reason == reason
    assert str(caught.value)


def test_a_long_description_is_cut() -> None:
    assert len(Skill("x", "y" * 5000, "").description) == LONGEST_DESCRIPTION


@given(st.text(alphabet="-\nname: descriptox|>'\"[]{}#&*!\t", max_size=80))
def test_any_text_is_a_skill_or_an_error(text: str) -> None:
    for whole in (text, f"---\n{text}\n---\nbody"):
        try:
            skill = parse_skill(whole)
        except SkillError:
            continue
        assert skill.name
        assert "\n" not in skill.description
