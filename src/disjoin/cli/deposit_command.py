"""disjoin deposit release/ --title ... --author ... --licence ... --contact ... --date ... -o deposit/"""

from __future__ import annotations

from pathlib import Path

import click

from disjoin.cli.screen import say


@click.command("deposit")
@click.argument("release", metavar="RELEASE")
@click.option("--title", required=True, metavar="TEXT", help="What the data are called.")
@click.option(
    "--author", "authors", multiple=True, required=True, metavar="NAME", help="Who made them: 'Family, Given'; repeat."
)
@click.option("--licence", required=True, metavar="SPDX", help="Under which licence they may be used: CC-BY-4.0.")
@click.option("--contact", required=True, metavar="EMAIL", help="Whom to write to.")
@click.option("--date", required=True, metavar="DATE", help="When they are published: 2026-01-31.")
@click.option("--citation", default="", metavar="TEXT", help="How to cite them (default: authors, year and title).")
@click.option("--output", "-o", required=True, type=click.Path(path_type=Path), help="The folder to write.")
def command(release: str, output: Path, **facts: str) -> None:
    """Write a folder to upload: RELEASE with Croissant, CITATION.cff, metadata for Zenodo and for Dataverse.

    The folder is a release, too: `disjoin verify` accepts it, and its datapackage.json has what you state. Nothing is
    guessed and nothing is sent. RELEASE is verified first; for one that does not hold, nothing is written.
    """
    from disjoin.depositing import Deposit, deposit

    names = deposit(release, Deposit(**facts), output)  # type: ignore[arg-type]
    say(f"{output} is ready to upload: the release with {', '.join(names)}.")
    say(f"Upload all its files, or a zip of the folder. `disjoin verify {output}` checks it.")
