"""disjoin verify release/ [--original baskets.csv]"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import click

from disjoin.cli.lightness import load_compiler
from disjoin.cli.options import only_given, print_json, reading_options, speaking_options
from disjoin.cli.progress import shown
from disjoin.cli.run import leave_quietly
from disjoin.errors import InvalidParameter, NotAnonymous
from disjoin.files.term_lists import terms_from
from disjoin.model import KmAnonymity, Promise, Verdict

SHOWN = 20
DOES_NOT_FIT = "It does not fit the original."
AGAINST_THE_ORIGINAL = ("O", "Q")  # how these invariants of clusters and of groups begin
NOT_PROVEN = {"V7", "V9"}  # broken, they take the proof away; nothing is said about what is true


@click.command("verify")
@click.argument("release", metavar="RELEASE")
@click.option("--original", metavar="FILE", help="Compare with the data that it was made from.")
@click.option("-k", type=int, metavar="N", help="Require this k (default: what the release states).")
@click.option("-m", type=int, metavar="N", help="Require this m (default: what the release states).")
@click.option("-p", type=int, metavar="N", help="Require this p (default: what the release states).")
@click.option("-l", "l", type=int, metavar="N", help="Require this l (default: what the release states).")
@click.option(
    "--sensitive", multiple=True, metavar="FILE|a,b", help="Require that these terms are treated as sensitive, too."
)
@click.option("--exact", is_flag=True, help="Also solve the guarantee exactly (tiny data, needs --original).")
@reading_options
@speaking_options
def command(
    release: str,
    original: str | None,
    k: int | None,
    m: int | None,
    p: int | None,
    l: int | None,  # noqa: E741
    sensitive: tuple[str, ...],
    exact: bool,
    quiet: bool,
    as_json: bool,
    **reading: object,
) -> int:
    """Judge RELEASE by its content alone, or against the original as well.

    The verdict is independent: this check shares no code with the methods. Exit code 0 if the
    guarantee holds, 3 if it does not, 2 if the release cannot be read.
    """
    if exact and original is None:
        raise InvalidParameter("--exact asks about the itemsets of the original: add --original FILE.")
    with shown(quiet=quiet or as_json) as progress:
        progress("verifying", 0, 0)
        load_compiler(progress)
        from disjoin.files.reading import read
        from disjoin.pipeline import verify

        data = None if original is None else read(original, **only_given(**reading))
        required = _required(release, only_given(k=k, m=m, p=p, l=l), sensitive)
        verdict = verify(release, original=data, guarantee=required, exact=exact or None)
    try:
        if as_json:
            print_json(verdict.to_json())
        elif not quiet:
            tell(verdict)
    except (BrokenPipeError, SystemExit):  # nobody reads any more; the exit code still tells
        leave_quietly()
    return 0 if verdict.holds else NotAnonymous.exit_code


def _required(release: str, wanted: dict[str, int], sensitive: tuple[str, ...]) -> Promise | None:
    """Return what is required where it differs from what the release states."""
    if not wanted and not sensitive:
        return None
    from disjoin.files.release_reader import read_release

    named = tuple(term for given in sensitive for term in terms_from(given))
    stated: Any = read_release(release).guarantee
    promised = {part.name for part in fields(stated)}
    for name in wanted:
        if name not in promised:
            kind = stated.to_json()["type"]
            raise InvalidParameter(f"this release promises {kind}, which has no {name}. Leave -{name} out.")
    required: Promise = replace(stated, **wanted, sensitive=(*stated.sensitive, *named)).with_proof()
    return required


def tell(verdict: Verdict) -> None:
    """Print the verdict for people."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    if verdict.holds:
        console.print(f"[bold green]It holds.[/] {verdict.guarantee.sentence()}")
        console.print(f"Checked: {', '.join(verdict.checked)}.")
    else:
        console.print(f"[bold red]{_headline(verdict)}[/]")
        console.print(f"Wanted: {verdict.guarantee.sentence()}")
    for violation in verdict.violations[:SHOWN]:
        console.print(Text(f"  {violation}"))
    more = len(verdict.violations) - SHOWN
    if more > 0:
        console.print(f"  ... and {more:,} more; --json lists them all.")
    for sentence in _what_it_states(verdict):
        console.print(Text(sentence))
    if verdict.facts.get("bare_records"):
        console.print(
            f"Not covered: records without ordinary items ({verdict.facts['bare_records']:,}). Who knows that somebody "
            "has none knows that they have a sensitive item."
        )
    promise = verdict.guarantee
    if isinstance(promise, KmAnonymity) and promise.sensitive and promise.l > 1:
        console.print(
            f"Not checked: that in every cluster at most one record in {promise.l} has the same sensitive term. "
            "Only the publisher knows which record went where."
        )


def _headline(verdict: Verdict) -> str:
    found = {violation.invariant for violation in verdict.violations}
    if all(name.startswith(AGAINST_THE_ORIGINAL) for name in found):
        return DOES_NOT_FIT
    admitted = verdict.facts.get("stated", {}).get("proven") is False
    return "It is not proven." if admitted and found <= NOT_PROVEN else "It does not hold."


def _what_it_states(verdict: Verdict) -> list[str]:
    """Say where the release itself states something else than what was wanted."""
    if "stated" not in verdict.facts:
        return []
    stated, wanted = dict(verdict.facts["stated"]), verdict.guarantee.to_json()
    is_proven = stated.pop("proven", True)
    sentences = []
    if stated != {name: value for name, value in wanted.items() if name != "proven"}:
        values = ", ".join(f"{name} = {value}" for name, value in stated.items() if name != "type")
        sentences.append(f"The release itself states {values}.")
    if not is_proven:
        claims = "The release does not claim it: it" if verdict.holds else "The release itself"
        sentences.append(f"{claims} states that its guarantee is not proven.")
    return sentences
