"""disjoin verify release/ [--original baskets.csv]"""

from __future__ import annotations

import click

from disjoin.cli.lightness import load_compiler
from disjoin.cli.options import only_given, print_json, reading_options, speaking_options
from disjoin.cli.progress import shown
from disjoin.errors import NotAnonymous
from disjoin.model import KmAnonymity, Verdict

SHOWN = 20


@click.command("verify")
@click.argument("release", metavar="RELEASE")
@click.option("--original", metavar="FILE", help="Compare with the data that it was made from.")
@click.option("-k", type=int, metavar="N", help="Require this k (default: what the release states).")
@click.option("-m", type=int, metavar="N", help="Require this m (default: what the release states).")
@click.option("--exact", is_flag=True, help="Also solve the guarantee exactly (tiny data, needs --original).")
@reading_options
@speaking_options
def command(
    release: str,
    original: str | None,
    k: int | None,
    m: int | None,
    exact: bool,
    quiet: bool,
    as_json: bool,
    **reading: object,
) -> int:
    """Judge RELEASE by its content alone, or against the original as well.

    The verdict is independent: this check shares no code with the methods. Exit code 0 if the guarantee holds, else 3.
    """
    with shown(quiet=quiet or as_json) as progress:
        progress("verifying", 0, 0)
        load_compiler(progress)
        from disjoin.files.reading import read
        from disjoin.pipeline import verify

        data = None if original is None else read(original, **only_given(**reading))
        required = _required(release, k, m) if k is not None or m is not None else None
        verdict = verify(release, original=data, guarantee=required, exact=exact or None)
    if as_json:
        print_json(verdict.to_json())
    elif not quiet:
        tell(verdict)
    return 0 if verdict.holds else NotAnonymous.exit_code


def _required(release: str, k: int | None, m: int | None) -> KmAnonymity:
    from disjoin.files.release_reader import read_release

    stated = read_release(release).guarantee
    return KmAnonymity(k or stated.k, m or stated.m, stated.l, stated.sensitive)


def tell(verdict: Verdict) -> None:
    """Print the verdict for people."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    if verdict.holds:
        console.print(f"[bold green]It holds.[/] {verdict.guarantee.sentence()}")
        console.print(f"Checked: {', '.join(verdict.checked)}.")
        return
    console.print(f"[bold red]It does not hold.[/] Wanted: {verdict.guarantee.sentence()}")
    for violation in verdict.violations[:SHOWN]:
        console.print(Text(f"  {violation}"))
    more = len(verdict.violations) - SHOWN
    if more > 0:
        console.print(f"  ... and {more:,} more; --json lists them all.")
