"""Foreign text made harmless: on a terminal, in Markdown, in HTML and in JSON.

Names of columns, terms, values and file names come from strangers. Whatever is shown of them passes one of these
functions, and all of them build on `legible`.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from typing import Any

_JOINERS = "\u200c\u200d"  # they belong to the spelling of words and emoji
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # control, format (direction among them), lone surrogates, ends of lines
_MARKS = re.compile(r"[\\`*\[\]#|~$]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=[wW]{3})\.")  # what Markdown acts on
_PLAIN_CODE = re.compile(r"[^`<>&|\\]*")


def legible(text: object, *, lines: bool = False) -> str:
    r"""Return text with every character that a terminal would act on (control, direction, line end) written out.

    With `lines`, ends of lines stay: that is for texts of several lines whose foreign parts are legible already.

    >>> legible("two\nlines \x1b[31m"), legible("two\nlines", lines=True)
    ('two\\nlines \\x1b[31m', 'two\nlines')
    """
    given = str(text)
    if given.isprintable():
        return given
    return "".join(_written_out(c) if _is_hidden(c) and not (lines and c == "\n") else c for c in given)


def in_markdown(text: object) -> str:
    r"""Return text for the middle of a line of Markdown: no mark-up, no element and no link comes from it.

    >>> in_markdown("<b>*x*</b> | [a](http://x) hours_per_week")
    '&lt;b&gt;\\*x\\*&lt;/b&gt; \\| \\[a\\](http\\://x) hours_per_week'
    """
    return html.escape(_MARKS.sub(lambda found: "\\" + found[0], legible(text)), quote=False)


def in_code(text: object) -> str:
    """Return text as code in Markdown, or as plain Markdown if it has characters that could end the code or be tags.

    >>> in_code("age, sex"), in_code("<b>")
    ('`age, sex`', '&lt;b&gt;')
    """
    shown = legible(text)
    is_plain = shown.strip() == shown != "" and _PLAIN_CODE.fullmatch(shown)
    return f"`{shown}`" if is_plain else in_markdown(shown)


def in_html(text: object, *, lines: bool = False) -> str:
    r"""Return text for the content of an element or for an attribute in quotes; with `lines`, ends of lines stay.

    >>> in_html("<b>" + chr(27)), in_html("two\nlines"), in_html("two\nlines", lines=True)
    ('&lt;b&gt;\\x1b', 'two\\nlines', 'two\nlines')
    """
    return html.escape(legible(text, lines=lines), quote=True)


def json_text(facts: Any, **layout: Any) -> str:
    """Return facts as JSON that a terminal can show: hidden characters are written as JSON writes them, and read back.

    >>> json_text(["é" + chr(27) + chr(0x202E)])
    '["é\\\\u001b\\\\u202e"]'
    """
    lines = json.dumps(facts, ensure_ascii=False, **layout).split("\n")
    return "\n".join(line if line.isprintable() else _in_json(line) for line in lines)


def _in_json(line: str) -> str:
    return "".join(json.dumps(c)[1:-1] if _is_hidden(c) else c for c in line)


def _is_hidden(c: str) -> bool:
    return unicodedata.category(c) in _HIDDEN and c not in _JOINERS


def _written_out(c: str) -> str:
    return c.encode("unicode_escape", "surrogatepass").decode("ascii")


def is_utf8(path: object) -> bool:
    """Tell whether a path is whole text; Arrow cannot open others, though the system may have them.

    >>> is_utf8("café"), is_utf8("caf" + chr(0xDCE9))
    (True, False)
    """
    return str(path).isascii() or str(path) == str(path).encode("utf-8", "replace").decode("utf-8")
