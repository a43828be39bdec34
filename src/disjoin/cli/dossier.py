"""Command `dossier`: the private page about a release, for a decision."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from disjoin.cli.analyse import load_release
from disjoin.cli.options import columns_option, original_of, path_option, reading_options, taken, with_categories
from disjoin.cli.screen import say, shown
from disjoin.errors import InvalidParameter


@click.command("dossier")
@click.argument("release", metavar="RELEASE")
@click.option("--original", metavar="FILE", required=True, help="The data from which the release was made.")
@click.option("--items", metavar="FILE", help="The file with a row per person and term (mixed data).")
@click.option("--hierarchy", metavar="FILE", help="The categories that replaced rare terms.")
@click.option(
    "--hierarchies",
    metavar="FOLDER",
    help="A folder with the categories COLUMN.csv that replaced rare values of a table.",
)
@path_option("--output", "-o", required=True, help="The page to write.")
@path_option("--plan", metavar="FILE", help="The plan with which the release was made.")
@path_option("--tried", metavar="FILE", help="The settings that were tried: advice.json of `advise -o`.")
@columns_option("--identifiers", "Columns of the original that identify people and are not published (tables).")
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
@click.option("--quiet", "-q", is_flag=True, help="Print no progress and no summary.")
@reading_options
def dossier_command(release: str, original: str, output: Path, overwrite: bool, quiet: bool, **given: Any) -> None:
    """Write a private page about RELEASE, on which a data protection officer or ethics board can decide.

    The page is one file, for printing and signing. It has the verdict, who was singled out before and after, what
    attacks find, which settings were tried (--tried), and what is not guaranteed. It contains facts about the original:
    do not publish it.
    """
    from disjoin.readers.hierarchies import require_free

    require_free(output, overwrite=overwrite)
    about = taken(given, ("items", "plan", "tried", "identifiers", "hierarchy", "hierarchies"))
    with shown(quiet=quiet) as progress:
        from disjoin.advise.settings_tried import settings_tried
        from disjoin.atomic import whole_file
        from disjoin.pipeline import verify
        from disjoin.report.dossier import dossier_of
        from disjoin.report.facts import facts_of

        loaded = load_release(release, progress)
        people = {"people": original if about["items"] else None, "items": about["items"]}
        data = original_of(loaded, None if about["items"] else original, people, given, about["identifiers"])
        data = with_categories(loaded.published, data, about["hierarchy"], about["hierarchies"])
        progress("attacking", 0, 0)
        plan = "" if about["plan"] is None else about["plan"].read_text(encoding="utf-8-sig")
        section = "" if about["tried"] is None else settings_tried(_tried(about["tried"]), facts_of(loaded))
        verdict = verify(loaded, original=data)
        page = dossier_of(loaded, data, verdict, name=Path(original).name, plan=plan, tried=section)
        with whole_file(output, private=True) as file:
            file.write(page.encode())
    if not quiet:
        say(f"The dossier is in {output}. It is private: do not publish it.")


def _tried(path: Path) -> dict[str, Any]:
    """Read what `disjoin advise` wrote."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(found["rows"], list) and found["rows"]:
            return dict(found)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise InvalidParameter("--tried is advice.json, which `disjoin advise -o FOLDER` writes, and this is none.")
