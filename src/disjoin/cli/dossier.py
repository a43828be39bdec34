"""Command `dossier`: the private document on which the decision to publish is based."""

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
@click.option("--original", metavar="FILE", required=True, help="The data that the release was made from.")
@click.option("--items", metavar="FILE", help="Mixed data: the file with a row per person and term.")
@click.option("--hierarchy", metavar="FILE", help="The categories that replaced rare terms.")
@click.option(
    "--hierarchies",
    metavar="FOLDER",
    help="A folder with the categories COLUMN.csv that replaced rare values of a table.",
)
@path_option("--output", "-o", required=True, help="The page to write.")
@path_option("--plan", metavar="FILE", help="The plan (TOML) that the release was made with.")
@path_option("--tried", metavar="FILE", help="Settings tried: advice.json of `disjoin advise -o FOLDER`.")
@columns_option("--identifiers", "Tables: columns of the original that identify people and are not published.")
@click.option("--purpose", metavar="TEXT", help="Purpose of publication, for page 1.")
@click.option("--recipients", metavar="TEXT", help="Recipients of the release, for page 1.")
@click.option("--legal-basis", metavar="TEXT", help="Legal basis of the processing, for page 1.")
@click.option("--retention", metavar="TEXT", help="Retention and end of use, for page 1.")
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, no summary.")
@reading_options
def dossier_command(release: str, original: str, output: Path, overwrite: bool, quiet: bool, **given: Any) -> None:
    """Write a private, printable report on RELEASE for the data protection officer or the ethics board.

    Page 1 is a decision page: whether the guarantee holds, against whom, what remains learnable, a recommendation, and
    fields for purpose, recipients, legal basis, retention, decision and signatures. Then it shows what known terms
    reveal before and after, an example attack, utility, settings tried (--tried), limits, and an appendix. The dossier
    contains facts about the original: do not publish it.
    """
    from disjoin.readers.hierarchies import require_free

    require_free(output, overwrite=overwrite)
    about = taken(given, ("items", "plan", "tried", "identifiers", "hierarchy", "hierarchies"))
    fields = taken(given, ("purpose", "recipients", "legal_basis", "retention"))
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
        filled = {name: text for name, text in fields.items() if text}
        page = dossier_of(loaded, data, verdict, name=Path(original).name, plan=plan, tried=section, filled=filled)
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
    raise InvalidParameter(
        "--tried must be advice.json, which `disjoin advise -o FOLDER` writes; this file is something else."
    )
