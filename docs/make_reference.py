"""Write what is generated in the docs: `python docs/make_reference.py` (a test fails when it is out of date).

`--outputs [PAGE ...]` runs the commands in ```console fences and writes their output (see outputs.py); without a page,
on all pages that have such fences. `--words` prints the number of words of each page.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from pathlib import Path

import click

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS))
from outputs import has_outputs, refreshed, words_of  # noqa: E402

README = DOCS.parent / "README.md"
MOST_WORDS = 60_000

FIGURE_2 = """\
itunes flu madonna ikea ruby
madonna flu viagra ruby audi sony
itunes madonna audi ikea sony
itunes flu viagra
itunes flu madonna audi sony
"""  # the first cluster of the paper's figure 2, k = 3 and m = 2


def command_line() -> str:
    """Return the page of all commands, from their --help."""
    from disjoin.cli.main import commands, disjoin

    parts = [
        "# Commands\n\nGenerated from `--help`. Exit codes: 0 fine (`verify`: it holds), 2 wrong input (also a release "
        "that cannot be read), 3 not anonymous (`verify`: it does not hold), 4 the guarantee cannot be reached, "
        "5 texts of a release were not compared (`verify`), 70 a mistake in disjoin, "
        "130 interrupted (143 by SIGTERM, 129 by SIGHUP).\n\n"
        "Whatever stops a command, nothing half-written is left. Only a kill (SIGKILL, a power cut) leaves a hidden "
        "folder such as `.release.1a2b3c4d.partial` beside the place; the next command that writes there removes it "
        "and says so, unless another run is still filling it. After a mistake in disjoin (70) one line says where it "
        "is in the source and shows nothing of the data; `DISJOIN_TRACEBACK=1` adds the traceback, which may.\n\nMore: "
        "[sensitive terms](../methods/disassociation.md#sensitive-terms), [plans](plan.md), "
        "[what `verify` checks](invariants.md), [reading a report](reading-a-report.md).\n"
    ]
    width = {"terminal_width": 100, "max_content_width": 100}
    context = disjoin.make_context("disjoin", [], resilient_parsing=True, **width)
    parts.append(_page("disjoin", disjoin, context))
    for name in commands():
        command = disjoin.get_command(context, name)
        assert command is not None
        inner = command.make_context(name, [], parent=context, resilient_parsing=True, **width)
        parts.append(_page(f"disjoin {name}", command, inner))
        if isinstance(command, click.Group):
            for below in command.list_commands(inner):
                part = command.get_command(inner, below)
                assert part is not None
                lowest = part.make_context(below, [], parent=inner, resilient_parsing=True, **width)
                parts.append(_page(f"disjoin {name} {below}", part, lowest))
    return "".join(parts)


def _page(name: str, command: click.Command, context: click.Context) -> str:
    return f"\n## {name}\n\n```\n{command.get_help(context).strip()}\n```\n"


def parameters(method: type) -> str:
    """Return a method's parameters as a table."""
    from disjoin.cli.screen import setting_flag
    from disjoin.methods.settings import settings_of

    rows = ["| parameter | option | default | meaning |", "|---|---|---|---|"]
    for setting in settings_of(method):
        default = "" if setting.default in (None, ()) else f"`{setting.default}`"
        choices = f" ({', '.join(f'`{c}`' for c in setting.choices)})" if setting.choices else ""
        rows.append(f"| `{setting.name}` | `{setting_flag(setting)}` | {default} | {setting.help}{choices} |")
    return "\n".join(rows)


def with_parameters(page: str, method: type) -> str:
    """Put the table between its marks."""
    return _between(f"parameters of {method.__name__}", parameters(method), page)


def strategies() -> str:
    """Return the strategies for small parts as a table."""
    from disjoin.methods.disassociation.choices import STRATEGIES

    rows = [f"| `{name}` | {strategy.sentence} |" for name, strategy in STRATEGIES.items()]
    return "\n".join(["| strategy | what becomes of it |", "|---|---|", *rows])


def cluster() -> list[str]:
    """Return what `disjoin show` draws for figure 2, line by line."""
    from disjoin.api import disassociate
    from disjoin.forms.clusters.pictures import draw_picture, picture_of

    release = disassociate([line.split() for line in FIGURE_2.splitlines()], k=3, m=2)
    return draw_picture(picture_of(release.published, 0)).splitlines()


def cluster_beside_its_records() -> list[str]:
    """Return the records of figure 2 and, to their right, the cluster."""
    drawn, records = cluster(), ["", *FIGURE_2.splitlines()]
    lines = ["the original (nobody may see it)       what disjoin show draws (k = 3, m = 2)", ""]
    for number, right in enumerate(drawn):
        left = records[number] if number < len(records) else ""
        lines.append(f"{left:35}{'──► ' if number == 3 else '    '}{right}".rstrip())
    return lines


CROWD = """\
cream pregnancy-test strawberries
cream meat wine
meat strawberries
meat viagra wine
meat wine
"""  # the example of CAHD's paper, p = 2


def groups() -> list[str]:
    """Return what `disjoin show` draws for the example of CAHD, line by line."""
    from disjoin.api import cahd
    from disjoin.forms.groups.pictures import draw_group

    release = cahd([line.split() for line in CROWD.splitlines()], ("pregnancy-test", "viagra"), p=2)
    return [
        line
        for group in range(len(release.published))
        for line in draw_group(release.published, group, 80).splitlines()
    ]


def with_pictures(page: str) -> str:
    """Draw clusters and groups wherever a page has the marks for them."""
    drawn = {
        "cluster": cluster,
        "cluster beside its records": cluster_beside_its_records,
        "groups": groups,
    }
    for mark, draw in drawn.items():
        if f"<!-- {mark} -->" not in page:
            continue
        lines = draw()
        page = _between(mark, "\n".join(["```", *lines, "```"]), page)
    return page


def _between(mark: str, text: str, page: str) -> str:
    return re.sub(
        rf"(<!-- {mark} -->\n).*?(<!-- end -->)", lambda found: f"{found[1]}{text}\n{found[2]}", page, flags=re.DOTALL
    )


def signatures() -> str:
    """Return the page that lists every public name with its signature."""
    import disjoin

    lines = [
        "# Signatures",
        "",
        "Every name that `import disjoin` offers. [Python](python.md) explains them, with examples.",
    ]
    for name in sorted(disjoin.__all__, key=str.lower):
        thing = getattr(disjoin, name)
        thing = getattr(thing, "_verb", thing)  # a room that can be called
        lines += ["", f"## `{name}`", "", *_signature(name, thing)]
    return "\n".join(lines) + "\n"


def _signature(name: str, thing: object) -> list[str]:
    """Return a signature, one parameter a line if it is long, and the first sentence about it."""
    first = (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")
    if not callable(thing) or inspect.ismodule(thing) or (isinstance(thing, type) and issubclass(thing, BaseException)):
        return [first] if not isinstance(thing, str) else ["The version, as text."]
    try:
        parameters = list(inspect.signature(thing).parameters.values())
    except ValueError:
        return [first]
    plain = [_parameter(one) for one in parameters]
    if inspect.Parameter.KEYWORD_ONLY in {one.kind for one in parameters}:
        plain.insert([one.kind for one in parameters].index(inspect.Parameter.KEYWORD_ONLY), "*")
    inside = ", ".join(plain) if sum(map(len, plain)) < 80 else "\n    " + ",\n    ".join(plain) + ",\n"
    return ["```python", f"disjoin.{name}({inside})", "```", "", first]


def _parameter(one: inspect.Parameter) -> str:
    kind = "" if one.annotation is inspect.Parameter.empty else f": {one.annotation}"
    if one.default is inspect.Parameter.empty:
        return f"{one.name}{kind}"
    is_plain = isinstance(one.default, (str, int, float, tuple, type(None)))
    return f"{one.name}{kind} = {one.default!r}" if is_plain else f"{one.name}{kind} = ..."


def pages() -> dict[Path, str]:
    """Return all generated pages by path."""
    from disjoin.methods import METHODS

    found = {DOCS / "reference" / "cli.md": command_line(), DOCS / "reference" / "signatures.md": signatures()}
    for name, method in METHODS.items():
        path = DOCS / "methods" / f"{name}.md"
        found[path] = with_parameters(with_pictures(path.read_text(encoding="utf-8")), method)
        found[path] = _between("strategies", strategies(), found[path])
    for path in (README, DOCS / "formats" / "release.md"):
        found[path] = with_pictures(path.read_text(encoding="utf-8"))
    return found


def all_pages() -> list[Path]:
    """Return the README and every page of the docs."""
    return [README, *sorted(DOCS.rglob("*.md"))]


def with_outputs() -> list[Path]:
    """Return the pages that show commands with their output."""
    return [path for path in all_pages() if has_outputs(path.read_text(encoding="utf-8"))]


def refresh_outputs(paths: list[Path]) -> None:
    """Run the commands of these pages and write the output that they have now."""
    for path in paths:
        before = path.read_text(encoding="utf-8")
        after = refreshed(before, path.name)
        path.write_text(after, encoding="utf-8")
        _say(f"{os.path.relpath(path)}: {'as it was' if before == after else 'refreshed'}")


def count_words() -> None:
    """Show the words of each page, fewest first, and their sum."""
    words = words_of(sorted(DOCS.rglob("*.md")))
    for path, number in sorted(words.items(), key=lambda item: item[1]):
        _say(f"{number:7,} {path.relative_to(DOCS)}")
    _say(f"{sum(words.values()):7,} in {len(words)} pages; at most {MOST_WORDS:,}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(arguments: list[str]) -> None:
    """Write generated pages, or refresh outputs, or count words."""
    if arguments[:1] == ["--words"]:
        count_words()
    elif arguments[:1] == ["--outputs"]:
        refresh_outputs([Path(name).resolve() for name in arguments[1:]] or with_outputs())
    elif arguments:
        sys.exit("Use: python docs/make_reference.py [--words | --outputs [PAGE ...]]")
    else:
        for path, text in pages().items():
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
