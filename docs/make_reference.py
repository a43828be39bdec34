"""Write what is generated in the docs: `python docs/make_reference.py` (a test fails when it is out of date)."""

from __future__ import annotations

import re
from pathlib import Path

import click

DOCS = Path(__file__).parent


def command_line() -> str:
    """Return the page of all commands, from their --help."""
    from disjoin.cli.run import COMMANDS, disjoin

    parts = [
        "# Commands\n\nGenerated from `--help`. Exit codes: 0 fine, 2 wrong input, 3 not anonymous, 4 the guarantee "
    ]
    parts.append("cannot be reached, 130 interrupted.\n")
    width = {"terminal_width": 100, "max_content_width": 100}
    context = disjoin.make_context("disjoin", [], resilient_parsing=True, **width)
    parts.append(_page("disjoin", disjoin, context))
    for name in COMMANDS:
        command = disjoin.get_command(context, name)
        assert command is not None
        inner = command.make_context(name, [], parent=context, resilient_parsing=True, **width)
        parts.append(_page(f"disjoin {name}", command, inner))
    return "".join(parts)


def _page(name: str, command: click.Command, context: click.Context) -> str:
    return f"\n## {name}\n\n```\n{command.get_help(context).strip()}\n```\n"


def parameters(method: type) -> str:
    """Return a method's parameters as a table."""
    from disjoin.methods.settings import settings_of

    rows = ["| parameter | option | default | meaning |", "|---|---|---|---|"]
    for setting in settings_of(method):
        default = "" if setting.default in (None, ()) else f"`{setting.default}`"
        choices = f" ({', '.join(f'`{c}`' for c in setting.choices)})" if setting.choices else ""
        rows.append(f"| `{setting.name}` | `{setting.flag}` | {default} | {setting.help}{choices} |")
    return "\n".join(rows)


def with_parameters(page: str, method: type) -> str:
    """Put the table between its marks."""
    marks = rf"(<!-- parameters of {method.__name__} -->\n).*?(<!-- end -->)"
    return re.sub(marks, lambda found: f"{found[1]}{parameters(method)}\n{found[2]}", page, flags=re.DOTALL)


def pages() -> dict[Path, str]:
    """Return all generated pages by path."""
    from disjoin.methods import METHODS

    found = {DOCS / "reference" / "cli.md": command_line()}
    for name, method in METHODS.items():
        path = DOCS / "methods" / f"{name}.md"
        found[path] = with_parameters(path.read_text(encoding="utf-8"), method)
    return found


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
