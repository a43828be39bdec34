"""Notebook cards: a sentence, a few numbers, and a warning for private data, as self-contained HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from disjoin.text import in_html

NO_VALUES = "This shows sizes only, no values."
_BOX = "border:1px solid #8888;border-radius:8px;padding:.8em 1em;max-width:46em;font-family:system-ui,sans-serif"
_SEALS = {True: ("#1a7f37", "verified"), False: ("#b42318", "not accepted")}


def card(
    title: str,
    sentence: str,
    numbers: Iterable[tuple[str, str]] = (),
    *,
    is_verified: bool | None = None,
    warning: str = "",
    drawing: str = "",
    notes: Sequence[str] = (),
) -> str:
    """Return HTML: the title with a seal, the sentence, numbers, notes, a drawing of text.

    >>> "&lt;b&gt;" in card("<b>", "one")
    True
    """
    seal = ""
    if is_verified is not None:
        colour, word = _SEALS[is_verified]
        seal = f"<span style='background:{colour};color:#fff;border-radius:1em;padding:0 .7em'>{word}</span>"
    parts = [f"<div style='display:flex;gap:.8em;align-items:baseline'><b>{in_html(title)}</b>{seal}</div>"]
    if warning:
        box = "background:#f5a62333;border-left:4px solid #d98200;padding:.3em .6em;margin:.5em 0"
        parts.append(f"<div style='{box}'>{in_html(warning)}</div>")
    parts.append(f"<div style='margin:.4em 0'>{in_html(sentence)}</div>")
    parts.append(f"<div style='display:flex;flex-wrap:wrap;gap:.4em 1.8em'>{''.join(map(_number, numbers))}</div>")
    parts += [f"<div style='margin-top:.3em'>{in_html(note)}</div>" for note in notes]
    if drawing:
        text = in_html(drawing, lines=True)
        parts.append(f"<pre style='margin:.6em 0 0;overflow-x:auto;line-height:1.15'>{text}</pre>")
    return f"<div style='{_BOX}'>{''.join(parts)}</div>"


def _number(pair: tuple[str, str]) -> str:
    name, value = pair
    shown = f"<div style='font-size:1.2em'>{in_html(value)}</div>"
    return f"<div>{shown}<div style='font-size:.8em;opacity:.75'>{in_html(name)}</div></div>"
