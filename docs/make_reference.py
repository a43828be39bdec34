"""Write what is generated in the docs: `python docs/make_reference.py` (a test fails when it is out of date).

`--outputs [PAGE ...]` runs the commands in ```console fences and writes their output (see outputs.py); without a page,
on all pages that have such fences. `--words` prints the number of words of each page.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS))
from cli_page import command_line  # noqa: E402
from outputs import has_outputs, refreshed, words_of  # noqa: E402

README = DOCS.parent / "README.md"
MOST_WORDS = 60_000
LONG_MEANING = 70  # characters; a shorter meaning is repeated on every page of a method
ELSEWHERE = {
    "clustering": "how records are grouped: [see clusterings](clusterings.md)",
    "strategy": "what to do with records of parts that are too small, see below",
}

FIGURE_2 = """\
itunes flu madonna ikea ruby
madonna flu viagra ruby audi sony
itunes madonna audi ikea sony
itunes flu viagra
itunes flu madonna audi sony
"""  # the first cluster of the paper's figure 2, k = 3 and m = 2


def parameters(method: type) -> str:
    """Return a method's parameters as a table; what another page explains is a link."""
    from disjoin.cli.screen import setting_flag
    from disjoin.methods import METHODS
    from disjoin.methods.settings import settings_of

    explained = {}
    for page in ("generalization", "disassociation"):
        if METHODS[page] is method:
            break  # this is the page
        explained |= {(one.name, one.help): f"[see {page}]({page}.md#parameters)" for one in settings_of(METHODS[page])}

    example, rows = "", ["| parameter | default | meaning |", "|---|---|---|"]
    for setting in settings_of(method):
        name, flag = setting.name, setting_flag(setting)
        if flag != (f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"):
            flag = f" (option `{flag}`)"
        else:
            example = example or (f"As an option, `{name}` is `{flag}`.\n" if "_" in name else "")
            flag = ""
        default = "" if setting.default in (None, ()) else f"`{setting.default}`"
        choices = f" ({', '.join(f'`{c}`' for c in setting.choices)})" if setting.choices else ""
        meaning = f"{ELSEWHERE.get(name, setting.help)}{choices}"
        if len(meaning) > LONG_MEANING:
            meaning = explained.get((name, setting.help), meaning)
        rows.append(f"| `{name}` | {default} | {meaning}{flag} |")
    rows.insert(0, example)
    return "\n".join(rows)


def with_parameters(page: str, method: type) -> str:
    """Put the table between its marks."""
    return _between(f"parameters of {method.__name__}", parameters(method), page)


def strategies() -> str:
    """Return the strategies for small parts as a table."""
    from disjoin.methods.disassociation.choices import STRATEGIES

    rows = [f"| `{name}` | {strategy.sentence} |" for name, strategy in STRATEGIES.items()]
    return "\n".join(["| strategy | what happens to the records |", "|---|---|", *rows])


def cluster() -> list[str]:
    """Return what `disjoin show` draws for figure 2, line by line."""
    from disjoin.api import disassociate
    from disjoin.forms.clusters.pictures import draw_picture, picture_of

    release = disassociate([line.split() for line in FIGURE_2.splitlines()], k=3, m=2)
    return draw_picture(picture_of(release.published, 0)).splitlines()


def cluster_beside_its_records() -> list[str]:
    """Return the records of figure 2 and, to their right, the cluster."""
    drawn, records = cluster(), ["", *FIGURE_2.splitlines()]
    lines = ["the original (not published)           a cluster of the release (k = 3, m = 2)", ""]
    for number, right in enumerate(drawn):
        left = records[number] if number < len(records) else ""
        lines.append(f"{left:35}{'──► ' if number == 3 else '    '}{right}".rstrip())
    return lines


CAHD_EXAMPLE = """\
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

    release = cahd([line.split() for line in CAHD_EXAMPLE.splitlines()], ("pregnancy-test", "viagra"), p=2)
    return [
        line
        for group in range(len(release.published))
        for line in draw_group(release.published, group, 80).splitlines()
    ]


def with_pictures(page: str) -> str:
    """Draw clusters and groups wherever a page has the marks for them."""
    drawn = {
        "cluster": cluster,
        "cluster and its records": cluster_beside_its_records,
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


def pages() -> dict[Path, str]:
    """Return all generated pages by path."""
    from disjoin.methods import METHODS

    found = {DOCS / "reference" / "cli.md": command_line()}
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
