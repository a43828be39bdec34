"""Command `verify`: verify a release or any published table."""

from __future__ import annotations

from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli import options as shared
from disjoin.cli.main import leave_quietly
from disjoin.cli.screen import flag_of, print_json, say, say_styled, shown
from disjoin.errors import InvalidParameter, NotAnonymous
from disjoin.model.k_anonymity import DISTANCES
from disjoin.readers.databases import Query
from disjoin.readers.term_lists import terms_from
from disjoin.text import counted

if TYPE_CHECKING:
    from disjoin.model import AnyGuarantee, KAnonymity, Table, Verdict
    from disjoin.model.k_anonymity import XYAnonymity
    from disjoin.release.reader import ReleaseContents

SHOWN = 21  # of a kind, 20 are listed, and one sentence counts the rest
TEXTS_NOT_COMPARED = 5  # an exit code
CLOSENESS = ("c", "t", "t_distance", "beta", "enhanced_beta", "delta")
# Options that only tables of other tools have; folders of hierarchies belong to both.
OF_TABLES = ("quasi", "alpha", "entropy_l", *CLOSENESS, "y", "person", "suppress", "starred", "dropped")
OF_POPULATION = ("population", "k_map", "presence")  # options about the people outside a table


@click.command("verify")
@click.argument("release", metavar="[RELEASE]", required=False)
@shared.original_option("The data from which the release was made, to verify the release against it.")
@shared.number_option("-k", help="Require this k (default: what the release states).")
@shared.number_option("-m", help="Require this m (default: what the release states).")
@shared.number_option("-p", help="Require this p (default: what the release states).")
@shared.number_option("-l", "l", help="Require this l (default: what the release states).")
@shared.number_option("--min-people", help="Require that at least N people have each published term.")
@click.option(
    "--sensitive",
    multiple=True,
    metavar="FILE|a,b",
    help="Terms that must be sensitive, too (B20*: all that begin with B20).",
)
@shared.columns_option("--identifiers", "Columns of the original that identify people and are not published (tables).")
@click.option("--published", metavar="FILE", help="A table that another tool published, instead of RELEASE.")
@shared.columns_option("--quasi", "The quasi-identifiers of --published.")
@shared.category_folder_option
@click.option(
    "--hierarchy", metavar="FILE", help="The categories that replaced rare terms, to compare with --original."
)
@click.option(
    "--alpha", metavar="NUMBER", help="The largest allowed share of a sensitive value in a class of --published."
)
@click.option("--entropy-l", metavar="NUMBER", help="The entropy l-diversity that --published must have.")
@click.option(
    "-c", "--c", metavar="NUMBER", help="The c of recursive (c,l)-diversity that --published must have, with -l."
)
@click.option("-t", "--t", metavar="NUMBER", help="The t-closeness that --published must have.")
@shared.choice_option("--t-distance", choices=DISTANCES, help="The distance with which t is measured (default: equal).")
@click.option("--beta", metavar="NUMBER", help="The beta-likeness that --published must have.")
@click.option("--enhanced-beta", is_flag=True, default=None, help="Use enhanced beta-likeness, with --beta.")
@click.option("--delta", metavar="NUMBER", help="The delta-disclosure privacy that --published must have.")
@shared.columns_option(
    "--y", "Columns of which every class of --published must have K different values, instead of K rows."
)
@click.option("--person", metavar="NAME", help="The column of the original of --published that identifies people.")
@click.option("--suppress", metavar="NUMBER", help="The largest allowed share of suppressed rows in --published.")
@click.option(
    "--starred",
    is_flag=True,
    default=None,
    help="Count the suppressed rows of --published (* in all --quasi) and verify the others.",
)
@shared.number_option(
    "--dropped",
    type=click.IntRange(min=0),
    help="The number of rows of the original that are not in --published.",
)
@click.option(
    "--population",
    metavar="FILE",
    help="A table of the whole population, one row per person, for k-map and delta-presence.",
)
@shared.number_option(
    "--k-map", type=click.IntRange(min=1), help="The number of people of --population that every class must match."
)
@click.option(
    "--presence",
    metavar="LOW,HIGH",
    help="The allowed range of the chance that a person of --population is in the table.",
)
@shared.path_option("--junit", metavar="FILE", help="Write the verdict as JUnit XML to this file.")
@shared.original_people_options
@click.option("--exact", is_flag=True, help="Also solve the guarantee exactly (tiny data, with --original).")
@shared.reading_options
@shared.speaking_options
def verify_command(
    release: str | None,
    original: str | Query | None,
    published: str | None,
    junit: Path | None,
    quiet: bool,
    as_json: bool,
    **rest: Any,
) -> int:
    """Verify the guarantee of RELEASE, alone or against its original.

    The verifier is independent: it shares no code with the methods. Tables that another tool published can be
    verified, too: give --published, --quasi and -k, and --hierarchies to compare generalised values with the original.

    Exit codes: 0 the guarantee holds, 3 it does not hold, 2 the release cannot be read, 5 the tables keep the
    guarantee, but the texts of the folder could not be compared with them.
    """
    about = ("k", "m", "p", "l", "sensitive", "identifiers", "min_people", "hierarchy", "hierarchies", "exact")
    asked, people = shared.taken(rest, (*about, *OF_TABLES, *OF_POPULATION)), shared.taken(rest, shared.ABOUT_PEOPLE)
    _require_original(original, published, asked)
    _require_one(release, published, asked)
    with shown(quiet=quiet or as_json) as progress:
        progress("verifying", 0, 0)
        if published is not None:
            shared.refuse_people(people)
            verdict = _verdict_on_table(published, original, asked, shared.table_reading(rest, "--published is one"))
        else:
            assert release is not None, "one of the two is given"
            verdict = _verdict_on_release(release, original, asked, people, rest)
    if junit is not None:
        _write_junit(junit, verdict, release or published or "")
    try:
        if as_json:
            print_json(verdict.to_json())
        elif not quiet:
            tell(verdict)
    except (BrokenPipeError, SystemExit):  # nobody reads any more; the exit code still shows the verdict
        leave_quietly()
    if not verdict.holds:
        return NotAnonymous.exit_code
    return 0 if verdict.facts.get("texts_compared", True) else TEXTS_NOT_COMPARED


def _write_junit(path: Path, verdict: Verdict, name: str) -> None:
    from disjoin.atomic import whole_file
    from disjoin.report.verdict_words import junit_of

    with whole_file(path) as file:
        file.write(junit_of(verdict, Path(name).name))


def _require_original(original: str | Query | None, published: str | None, asked: dict[str, Any]) -> None:
    if asked["exact"] and original is None:
        raise InvalidParameter("--exact checks the itemsets of the original: add --original FILE.")
    if asked["exact"] and published is not None:
        raise InvalidParameter("--exact is for clusters; every check of a table is exact already. Leave it out.")
    if asked["identifiers"] and original is None:
        raise InvalidParameter("--identifiers names columns of the original: add --original FILE.")


def _require_one(release: str | None, published: str | None, asked: dict[str, Any]) -> None:
    if (release is None) == (published is None):
        raise click.UsageError("Give the RELEASE, or --published for a table that another tool published.")
    given = [name for name in OF_TABLES if asked[name] not in (None, ())]
    if release is not None and given:
        raise click.UsageError(f"{flag_of(given[0])} is for --published: a release states it.")


def _verdict_on_release(
    release: str, original: str | Query | None, asked: dict[str, Any], people: dict[str, Any], reading: dict[str, Any]
) -> Verdict:
    from disjoin.model import Generalized
    from disjoin.pipeline import verify
    from disjoin.release.reader import read_release

    contents = read_release(release)  # everything that follows is about what was read here
    required = _required(contents, asked)
    data = shared.original_of(contents, original, people, reading, asked["identifiers"])
    data = shared.with_categories(contents.published, data, asked["hierarchy"], asked["hierarchies"])
    verdict = verify(contents, original=data, guarantee=required, exact=asked["exact"] or None)
    published = contents.published
    if isinstance(published, Generalized):
        return _with_population(verdict, published.table, published.quasi, asked)
    if any(asked[name] is not None for name in OF_POPULATION):
        raise InvalidParameter("--population is for tables, and this release is none. Leave it out.")
    return verdict


def _required(contents: ReleaseContents, asked: dict[str, Any]) -> AnyGuarantee | None:
    """Return what is required where it differs from what the release states."""
    from disjoin.model.parameters import MinPeople

    least, sensitive = asked["min_people"], [term for given in asked["sensitive"] for term in terms_from(given)]
    changed: dict[str, Any] = shared.only_given(**{name: asked[name] for name in ("k", "m", "p", "l")})
    if not changed and not asked["sensitive"] and least is None:
        return None
    stated: Any = contents.guarantee
    guaranteed = {part.name for part in fields(stated)}
    kind = stated.to_json()["type"]
    for name in changed:
        if name not in guaranteed:
            raise InvalidParameter(f"this release guarantees {kind}, which has no {name}. Leave -{name} out.")
    if least is not None:
        if "min_people" not in guaranteed:
            raise InvalidParameter(f"this release guarantees {kind}, which has no threshold. Leave --min-people out.")
        rare = stated.min_people.rare if stated.min_people else "leave-out"  # as the release states
        changed["min_people"] = MinPeople(least, rare)
    if "sensitive" not in guaranteed:
        raise InvalidParameter(f"this release guarantees {kind}, which has no sensitive terms. Leave --sensitive out.")
    meant = (*stated.sensitive, *_meant(sensitive, contents))
    required: AnyGuarantee = replace(stated, **changed, sensitive=meant).with_proof()
    return required


def _meant(terms: list[str], contents: ReleaseContents) -> list[str]:
    """Return the terms; for one that ends with *, also the published ones that begin like it. Tables have no terms."""
    from disjoin.model.spelling import folded

    beginnings = tuple(folded(term[:-1]) for term in terms if term.endswith("*"))
    if "" in beginnings:
        raise InvalidParameter("--sensitive * would match all terms. Write their beginning before the *.")
    vocabulary = getattr(contents.published, "vocabulary", None)
    if vocabulary is None or not beginnings:
        return terms
    return [*terms, *(term for term in vocabulary.to_pylist() if folded(term or "").startswith(beginnings))]


def tell(verdict: Verdict) -> None:
    from disjoin.report import verdict_words

    if caveat := verdict_words.not_compared(verdict):
        say_styled((caveat, "bold yellow"))
    headline = verdict_words.headline(verdict)
    if verdict.holds:
        say_styled((headline, "bold green"), f" {verdict.guarantee.sentence()}")
        say(f"Checked {counted(len(verdict.checked), 'invariant')}: {', '.join(verdict.checked)}.")
    else:
        say_styled((headline, "bold red"))
        say(f"Required: {verdict.guarantee.sentence()}")
    say(*(f"  {violation}" for violation in verdict.violations[:SHOWN]))
    more = len(verdict.violations) - SHOWN
    if more > 0:
        say(f"  ... and {more:,} more; --json lists them all.")
    say(*verdict_words.what_it_states(verdict), *verdict_words.beside_population(verdict))
    say(*verdict_words.what_was_not_seen(verdict))


# disjoin verify --published other.csv --quasi age,sex -k 5: tables that another tool made.


def _verdict_on_table(
    path: str, original: str | Query | None, asked: dict[str, Any], reading: dict[str, Any]
) -> Verdict:
    from disjoin.model import Role
    from disjoin.readers.hierarchies import hierarchies_of
    from disjoin.readers.tables import read_table, without_blanks
    from disjoin.verify.table.inspection import judge

    for name in ("min_people", "hierarchy"):
        if asked[name] is not None:
            raise InvalidParameter(f"{flag_of(name)} is for a RELEASE, and --published is none. Leave it out.")
    guarantee = _guarantee(asked)
    _require_fitting(asked, original)
    written = read_table(path, **reading, as_written=True)
    table = without_blanks(written, written.schema.names, reading.get("blank_words"))
    if asked["hierarchies"] is not None:
        measured = shared.names_in(asked["sensitive"]) if asked["t_distance"] == "hierarchical" else ()
        named = (*asked["quasi"], *asked["y"], *measured)
        table = table.with_hierarchies(hierarchies_of(table, named, asked["hierarchies"]))
    given = None
    if original is not None:
        identifiers = dict.fromkeys(asked["identifiers"], Role.IDENTIFIER)
        given = read_table(original, **reading).with_roles(identifiers)
        _require_comparable(table, given, asked["quasi"])
    dropped, starred = asked["dropped"] or 0, bool(asked["starred"])
    verdict = judge(table, guarantee, given, dropped=dropped, starred=starred, written=written)
    return _with_population(verdict, table, asked["quasi"], asked)


def _require_fitting(asked: dict[str, Any], original: str | Query | None) -> None:
    if asked["person"] is not None and original is None:
        raise InvalidParameter("--person names a column of the original: add --original FILE.")
    if asked["dropped"] is not None and original is None:
        raise InvalidParameter("--dropped counts rows of the original: add --original FILE.")
    if asked["starred"] and (asked["y"] or asked["person"] is not None or asked["suppress"] is not None):
        raise InvalidParameter(
            "--starred leaves suppressed rows out of the check, so it cannot be used with --y, --person or --suppress."
        )


def _with_population(verdict: Verdict, table: Table, quasi: tuple[str, ...], asked: dict[str, Any]) -> Verdict:
    if asked["population"] is None:
        if asked["k_map"] is not None or asked["presence"] is not None:
            raise InvalidParameter("--k-map and --presence are about a population: add --population FILE.")
        return verdict
    from disjoin.readers.tables import read_table
    from disjoin.verify.table.people import Asked, with_population

    wanted = Asked(asked["k_map"], _limits(asked["presence"]))
    return with_population(verdict, table, tuple(quasi), read_table(asked["population"]), wanted)


def _limits(given: str | None) -> tuple[Fraction, Fraction] | None:
    """Read LOW,HIGH."""
    if given is None:
        return None
    try:
        low, high = (Fraction(part.strip()) for part in given.split(","))
    except (ValueError, ZeroDivisionError):
        raise InvalidParameter(f"--presence is written LOW,HIGH, such as 0,0.2; got {given!r}.") from None
    if not 0 <= low <= high:
        raise InvalidParameter(f"--presence wants shares from the smaller to the larger, got {given!r}.")
    return low, high


def _require_comparable(published: Table, original: Table, quasi: tuple[str, ...]) -> None:
    """Raise if published values can only be understood with a hierarchy, and there is none: it was forgotten."""
    from disjoin.model.intervals import ends_from

    both = {*published.schema.names} & {*original.schema.names} - {*published.hierarchies}
    for name in filter(both.__contains__, quasi):
        known = {*original.values_of(name).to_pylist(), "*", "?"}
        for value in published.values_of(name).to_pylist():
            if value not in known and ends_from(value) is None:
                raise InvalidParameter(
                    f"the published column {name!r} has no hierarchy, so its values must be the original's, numbers or "
                    f"intervals such as [20, 29], and {value!r} is none of these. Give its hierarchy (--hierarchies)."
                )


def _guarantee(asked: dict[str, Any]) -> KAnonymity | XYAnonymity:
    from disjoin.model import KAnonymity
    from disjoin.model.k_anonymity import Closeness, XYAnonymity

    if not asked["quasi"]:
        raise InvalidParameter("name the columns that an attacker may know with --quasi a,b.")
    for name in ("m", "p"):
        if asked[name] is not None:
            raise InvalidParameter(f"-{name} is not for tables, and --published is one. Leave it out.")
    if asked["k"] is None:
        raise InvalidParameter("give -k, the least size of a class (--published states no guarantee).")
    if asked["y"]:
        if any(asked[name] for name in ("sensitive", "alpha", "entropy_l", "l", "person", "suppress", *CLOSENESS)):
            raise InvalidParameter("--y asks for (X,Y)-anonymity of --quasi and --y. Leave the other columns out.")
        return XYAnonymity(asked["k"], asked["quasi"], asked["y"])
    more = shared.only_given(**{name: asked[name] for name in ("alpha", "l", "entropy_l", "person", "suppress")})
    closeness = Closeness(**shared.only_given(**{name: asked[name] for name in CLOSENESS}))
    return KAnonymity(asked["k"], asked["quasi"], shared.names_in(asked["sensitive"]), **more, closeness=closeness)
