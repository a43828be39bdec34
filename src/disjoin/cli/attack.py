"""Command `attack`: what an attacker learns from a release."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.analyse import load_release
from disjoin.cli.options import json_option, number_option, only_given, original_option, reading_options, taken
from disjoin.cli.screen import borderless_table, print_json, say, screen, shown
from disjoin.errors import InvalidParameter
from disjoin.readers.term_lists import itemset_from, relatedness_in
from disjoin.text import PRIVATE, printable

if TYPE_CHECKING:
    from disjoin.attack.known_terms import Candidates
    from disjoin.attack.simulated import Simulated
    from disjoin.model import Release, Transactions
    from disjoin.progress import Progress

    Attacked = tuple[dict[str, Any], Callable[[], None]]  # the facts, and a function that prints them for people

SHOWN = 10  # clusters of candidates; --json has all
EYES = PRIVATE
ASKED = ("known", "other", "original", "records", "relatedness", "simulate", "known_terms", "seed")


@click.command("attack")
@click.argument("release", metavar="RELEASE")
@click.option(
    "--known", metavar="a,b", help="Terms that an attacker knows of a person, to report what the attacker learns."
)
@click.option(
    "--with",
    "other",
    metavar="RELEASE",
    help="Another release of the same people, to report what both reveal together.",
)
@original_option("The data from which the release was made, for exact figures.")
@number_option("--records", help="The number of whole records of a cluster that an attacker knows (default: 1).")
@click.option(
    "--relatedness",
    metavar="FILE",
    help="A file of related terms that an attacker knows (term,term,weight), used with --original.",
)
@number_option("--simulate", help="Draw N records and some terms of each, and attack with them (needs --original).")
@number_option("--known-terms", help="The number of known terms in --simulate (default: m + 1).")
@number_option("--seed", help="The seed of --simulate.")
@json_option
@reading_options
def attack_command(release: str, as_json: bool, **given: Any) -> None:
    """Attack RELEASE and report what attackers learn beyond the guarantee.

    Without other options, all attackers that need only the release are tried. They look for terms that known terms
    reveal with certainty, use known whole records, and use knowledge of the algorithm. With --original the figures
    are exact, and two more attackers are tried: one knows which terms are related, the other m + 1 random terms of a
    record. For groups, the attacker learns from the release which ordinary items correlate with a sensitive item, and
    names a likely owner in every group (deFinetti attack); --original adds how often this is right.

    With --known, report how many records could be a person with these terms, how many certainly match, and which terms
    all of them have. This holds for every possible original; --original adds the true number. For groups, the chance
    of each sensitive item is reported. In tables and mixed data, values may be known, written age=34.

    With --with, combine two releases of the same people. With --simulate, draw records and some of their terms, and
    count how often an attacker finds the record among fewer than k, or learns a further term.
    """
    asked = taken(given, ASKED)
    _require_consistent(**asked)
    with shown(quiet=as_json) as progress:
        loaded = load_release(release, progress)
        data = None
        if asked["original"] is not None:
            from disjoin.readers.read import read

            data = read(asked["original"], **only_given(**given))
        progress("attacking", 0, 0)
        facts, tell = _attacked(loaded, data, asked, progress)
        progress("attacking", 1, 1)
    if as_json:
        print_json(facts)
    else:
        tell()


def _require_consistent(
    *, known: Any, other: Any, original: Any, records: Any, relatedness: Any, simulate: Any, known_terms: Any, seed: Any
) -> None:
    if original is None and simulate is not None:
        raise InvalidParameter("--simulate draws records of the original: add --original FILE.")
    if original is None and relatedness is not None:
        raise InvalidParameter("--relatedness needs the original: add --original FILE.")
    if simulate is not None and known is not None:
        raise InvalidParameter("choose one of --known and --simulate.")
    if simulate is not None and other is not None:
        raise InvalidParameter("choose one of --with and --simulate.")
    if simulate is None and (known_terms is not None or seed is not None):
        raise InvalidParameter("--known-terms and --seed are for --simulate: add --simulate N.")
    is_one_attacker = known is not None or other is not None or simulate is not None
    if is_one_attacker and (records is not None or relatedness is not None):
        raise InvalidParameter("--records and --relatedness are for all attackers: leave the other options out.")


def _attacked(release: Release, data: Transactions | None, asked: dict[str, Any], progress: Progress) -> Attacked:
    if asked["other"] is not None:
        return _with_other(release, load_release(asked["other"], progress), data, asked["known"])
    if asked["known"] is not None:
        return _with_known(release, itemset_from(asked["known"]), data)
    if asked["simulate"] is not None:
        from disjoin.attack.simulated import simulate

        assert data is not None, "looked at before"
        numbers = only_given(terms=asked["known_terms"], seed=asked["seed"])
        played = simulate(release, data, draws=asked["simulate"], **numbers)
        return played.to_json(), lambda: _tell_simulated(played)
    from disjoin.attack.overview import overview

    table = None if asked["relatedness"] is None else relatedness_in(asked["relatedness"])
    found = overview(release, data, relatedness=table, progress=progress, **only_given(records=asked["records"]))
    lines = [f"{title}: {sentence}" for title, sentence in found.sentences()]
    return found.to_json(), lambda: say(*([] if data is None else [EYES]), *lines)


def _with_known(release: Release, known: Sequence[str], data: Transactions | None) -> Attacked:
    from disjoin.attack.known_terms import candidates, true_records
    from disjoin.model import Clusters, Groups

    found = candidates(release, known)
    true = None if data is None or not isinstance(release.published, Clusters) else true_records(data, found.known)
    facts = found.to_json() if true is None else {**found.to_json(), "in_original": true}
    noun = "group" if isinstance(release.published, Groups) else "cluster"
    return facts, lambda: _tell_candidates(found, true, noun)


def _with_other(release: Release, other: Release, data: Transactions | None, known: str | None) -> Attacked:
    from disjoin.attack.composition import composition, together

    if known is not None:
        found = together(release, other, itemset_from(known))
        return found.to_json(), lambda: say(found.sentence())
    both = composition(release, other, data)
    lines = [EYES] if data is not None else []
    lines.append(both.sentence())
    if both.example:
        lines.append(f"For example: {both.example.sentence()}")
    return {"composition": both.to_json()}, lambda: say(*lines)


def _tell_candidates(found: Candidates, true: int | None, noun: str) -> None:
    from rich.text import Text

    if true is not None:
        say(EYES)
    say(found.sentence())
    if true is not None:
        say(f"In the original {true or 'no'} {'record has' if true == 1 else 'records have'} {found.them}.")
    if found.possible:
        say(found.verdict)
    learned = [f"  {printable(term)}: {chance:.1%}" for term, chance in found.learned]
    say(*(["Sensitive items, with their chance:", *learned] if learned else []))
    if not found.parts:
        return
    drawn = borderless_table([], [noun, "records", "possible", "certain"])
    drawn.add_column("all of these also have", overflow="fold")
    for each in sorted(found.parts, key=lambda part: (-len(part.shared), part.cluster))[:SHOWN]:
        numbers = (each.cluster, each.size, each.possible, each.certain)
        drawn.add_row(*(f"{number:,}" for number in numbers), Text(printable(", ".join(each.shared)) or "-"))
    screen().print(drawn)
    if len(found.parts) > SHOWN:
        say(f"... and {len(found.parts) - SHOWN:,} more {noun}s; --json has all.")


def _tell_simulated(played: Simulated) -> None:
    say(EYES, played.sentence())
    fewest, median, most = played.candidates
    say(
        f"Records found: {played.found:,}. Terms learned: {played.learned:,}, of these with certainty: "
        f"{played.certain:,}. Terms that the other records reveal, too: {played.said_by_others:,}.",
        f"Expected candidates: fewest {fewest:,.1f}, median {median:,.1f}, most {most:,.1f}; "
        f"in the original itself {played.control[0]:,}, {played.control[1]:,} and {played.control[2]:,}.",
    )
