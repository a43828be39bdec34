"""Whatever a stranger calls a column, no terminal, page or program takes it for a command."""

import json
import unicodedata
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from disjoin.text import in_code, in_html, in_markdown, json_text, printable
from helpers.hypothesis_profile import examples

ANY = st.text(st.characters(blacklist_categories=()))
JOINERS = "\u200c\u200d"


def acts_on_a_terminal(text):
    """Characters that move the cursor, end the line or turn the direction; an oracle of its own."""
    return [c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c not in JOINERS]


@given(ANY)
@examples(200)
def test_no_text_commands_a_terminal(text):
    for shown in (printable(text), in_markdown(text), in_code(text), in_html(text), json_text(text)):
        assert not acts_on_a_terminal(shown)


@given(ANY)
@examples(200)
def test_what_was_made_legible_stays_as_it_is(text):
    assert printable(printable(text)) == printable(text)
    assert "\n" not in printable(text)


@given(st.text(st.characters(blacklist_categories=("Cs",))))
@examples(200)
def test_json_says_the_same_as_before(text):
    assert json.loads(json_text({"name": [text]}, indent=2)) == {"name": [text]}


@given(st.text("<>&\"'/=abc script\x1b"))
@examples(200)
def test_no_element_and_no_attribute_comes_from_a_text(text):
    found = []

    class Parser(HTMLParser):
        def handle_starttag(self, tag, attrs):
            found.append((tag, len(attrs)))

        def handle_endtag(self, tag):
            found.append(tag)

    parser = Parser()
    parser.feed(f'<p title="{in_html(text)}">{in_html(text)}</p>')
    parser.close()
    assert found == [("p", 1), "p"]


@given(ANY)
@examples(200)
def test_markdown_has_no_tag_no_cell_and_no_link_of_a_text(text):
    shown = in_markdown(text)
    assert "<" not in shown
    for mark in "`*[]|":
        assert shown.count(mark) == shown.count("\\" + mark)
    assert "://" not in shown


def test_ordinary_names_stay_as_they_are():
    for name in ("hours_per_week", "marital-status", "Krankheit (ICD 10)", "naïve café", "病気"):
        assert printable(name) == in_markdown(name) == in_html(name) == name
        assert in_code(name) == f"`{name}`"
