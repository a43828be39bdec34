"""Wording: numbers with nouns, lists, printable and escaped text."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

# Foreign text made safe: on a terminal, in Markdown, in HTML and in JSON. Names of columns, terms, values and files
# come from untrusted sources. Everything shown of them passes one of these functions, which all build on `printable`.

_JOINERS = "\u200c\u200d"  # part of the spelling of words and emoji
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # control, format (including direction), lone surrogates, line ends
_MARKS = re.compile(r"[\\`*\[\]#|~$]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=[wW]{3})\.")  # special in Markdown
_PLAIN_CODE = re.compile(r"[^`<>&|\\]*")


def printable(text: object, *, lines: bool = False) -> str:
    r"""Return text with every character that a terminal would interpret (control, direction, line end) escaped.

    With `lines`, line ends remain: for texts of several lines whose foreign parts are escaped already.

    >>> printable("two\nlines \x1b[31m"), printable("two\nlines", lines=True)
    ('two\\nlines \\x1b[31m', 'two\nlines')
    """
    given = str(text)
    if given.isprintable():
        return given
    return "".join(
        c.encode("unicode_escape", "surrogatepass").decode("ascii")
        if _is_hidden(c) and not (lines and c == "\n")
        else c
        for c in given
    )


def in_markdown(text: object) -> str:
    r"""Return text for the middle of a line of Markdown, escaped so that it has no mark-up, element or link.

    >>> in_markdown("<b>*x*</b> | [a](http://x) hours_per_week")
    '&lt;b&gt;\\*x\\*&lt;/b&gt; \\| \\[a\\](http\\://x) hours_per_week'
    """
    return html.escape(_MARKS.sub(lambda found: "\\" + found[0], printable(text)), quote=False)


def in_code(text: object) -> str:
    """Return text as code in Markdown, or as plain Markdown if it has characters that could end the code or be tags.

    >>> in_code("age, sex"), in_code("<b>")
    ('`age, sex`', '&lt;b&gt;')
    """
    shown = printable(text)
    is_plain = shown.strip() == shown != "" and _PLAIN_CODE.fullmatch(shown)
    return f"`{shown}`" if is_plain else in_markdown(shown)


def in_html(text: object, *, lines: bool = False) -> str:
    r"""Return text for the content of an element or for an attribute in quotes; with `lines`, line ends remain.

    >>> in_html("<b>" + chr(27)), in_html("two\nlines"), in_html("two\nlines", lines=True)
    ('&lt;b&gt;\\x1b', 'two\\nlines', 'two\nlines')
    """
    return html.escape(printable(text, lines=lines), quote=True)


def json_text(facts: Any, **layout: Any) -> str:
    """Return facts as JSON that a terminal can show: hidden characters are escaped as JSON allows.

    >>> json_text(["é" + chr(27) + chr(0x202E)])
    '["é\\\\u001b\\\\u202e"]'
    """
    text = json.dumps(facts, ensure_ascii=False, **layout)
    return "\n".join(
        line if line.isprintable() else "".join(json.dumps(c)[1:-1] if _is_hidden(c) else c for c in line)
        for line in text.split("\n")
    )


def _is_hidden(c: str) -> bool:
    return unicodedata.category(c) in _HIDDEN and c not in _JOINERS


def is_utf8(path: object) -> bool:
    """Return whether a path is valid text; Arrow cannot open others, although the system may have them.

    >>> is_utf8("café"), is_utf8("caf" + chr(0xDCE9))
    (True, False)
    """
    return str(path).isascii() or str(path) == str(path).encode("utf-8", "replace").decode("utf-8")


SHARED = (
    "A shared chunk counts all records of its joint cluster; it does not show from which of its clusters a row comes."
)

BY_CONSTRUCTION = (
    "The guarantee is about how the tables were made. It is proven on paper, and the tables cannot show it: only their "
    "form was verified."
)

FROM_THE_TABLES = "These figures follow from the published tables alone; every recipient can compute them."
PRIVATE = "Private: these are facts about the original. Do not publish them."

USUAL_BLANKS = ("NULL", "NA", "N/A", "NaN", "None", "-")  # common words for missing values


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, in the plural unless it is 1.

    >>> counted(1, "record"), counted(2000, "record"), counted(3, "class", "classes")
    ('1 record', '2,000 records', '3 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def setting(value: object) -> str:
    """Return the value of a parameter as words.

    >>> setting(True), setting(5), setting(["b", "a"]), setting(None)
    ('yes', '5', 'b, a', 'none')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(printable(str(part)) for part in value) or "none"
    return "none" if value is None else printable(str(value))


def some_percent(share: float) -> str:
    """Return a share as a percentage; a small positive one is not shown as 0.

    >>> some_percent(0.25), some_percent(0.0001)
    ('25.0%', 'less than 0.1%')
    """
    return f"{share:.1%}" if not 0 < share < 0.0005 else "less than 0.1%"  # above, it is at least 0.1%


def is_none_of_possible(entry: dict[str, Any]) -> bool:
    """Return whether a measure counted possible records, all or a sample (null: all), and found none."""
    return "sample" in entry and not entry["value"]


def share_in_words(entry: dict[str, Any]) -> str:
    """Return a measure of a report with its sign, as a percentage; or that none was found, or not computed.

    >>> share_in_words({"value": 0.25, "sign": "≤"}), share_in_words({"value": None, "sign": "≤"})
    ('≤25.0%', 'not computed')
    >>> share_in_words({"value": 0.0, "sign": "≈", "sample": {"looked_at": 300, "found": 0, "interval": [0, 0.0126]}})
    'none among 300'
    >>> share_in_words({"value": 0.0, "sign": "≈", "sample": None})
    'none'
    """
    if is_none_of_possible(entry):
        return f"none among {entry['sample']['looked_at']:,}" if entry["sample"] else "none"
    return "not computed" if entry["value"] is None else f"{entry['sign']}{entry['value']:.1%}"


# Words for messages: names from a file, escaped and shortened, lists, numbers with their noun.

NO_PERMISSION = "no permission to read this. Ask its owner, or change its permissions."
_LONGEST_NAME = 60
_MOST_NAMES = 12


def quoted(name: object) -> str:
    """Return a name in quotes, escaped and shortened.

    >>> quoted("x" * 100) == "'" + "x" * 59 + "…'"
    True
    """
    return repr(shortened(str(name)))


def listed(names: Iterable[object]) -> str:
    """Return comma-separated names, escaped and shortened, and only the first of very many.

    >>> listed(["tea", "", "milk"])
    "tea, '', milk"
    """
    every = [printable(shortened(str(name))) or "''" for name in names]
    more = [f"and {len(every) - _MOST_NAMES:,} more"] if len(every) > _MOST_NAMES else []
    return ", ".join(every[:_MOST_NAMES] + more)


def with_article(noun: str) -> str:
    """Return a noun with its article.

    >>> with_article("arrow file"), with_article("parquet file")
    ('an arrow file', 'a parquet file')
    """
    return f"{'an' if noun[:1] in 'aeiouAEIO' else 'a'} {noun}"


def shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "…"


def percent(share: float) -> str:
    """Return a share in per cent, never rounded to nothing or to everything.

    >>> percent(0.1234), percent(0.9999)
    ('12.3%', '>99.9%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    return "<0.1%" if share < 0.001 else ">99.9%" if share > 0.999 else f"{share:.1%}"
