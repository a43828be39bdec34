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

if TYPE_CHECKING:
    from disjoin.model import AnyGuarantee, KAnonymity, Table, Verdict
    from disjoin.model.k_anonymity import XYAnonymity
    from disjoin.release.reader import ReleaseContents

SHOWN = 20
TEXTS_NOT_COMPARED = 5  # an exit code
CLOSENESS = ("c", "t", "t_distance", "beta", "enhanced_beta", "delta")
# Options that only tables of other tools have; folders of hierarchies belong to both.
OF_TABLES = ("quasi", "alpha", "entropy_l", *CLOSENESS, "y", "person", "suppress", "starred", "dropped")
OF_POPULATION = ("population", "k_map", "presence")  # options about the people outside a table


@click.command("verify")
@click.argument("release", metavar="[RELEASE]", required=False)
@shared.original_option("Compare with the data that it was made from.")
@shared.number_option("-k", help="Require this k (default: what the release states).")
@shared.number_option("-m", help="Require this m (default: what the release states).")
@shared.number_option("-p", help="Require this p (default: what the release states).")
@shared.number_option("-l", "l", help="Require this l (default: what the release states).")
@shared.number_option("--min-people", help="Require that no published term is of fewer than N people.")
@click.option(
    "--sensitive",
    multiple=True,
    metavar="FILE|a,b",
    help="Require that these are sensitive, too (B20*: all that begin with B20).",
)
@shared.columns_option("--identifiers", "Tables, with --original: its columns that name people, and are not published.")
@click.option("--published", metavar="FILE", help="Instead of RELEASE: a table that another tool published.")
@shared.columns_option("--quasi", "With --published: the columns that somebody may know.")
@shared.category_folder_option
@click.option("--hierarchy", metavar="FILE", help="With --original: the categories that replaced rare terms.")
@click.option("--alpha", metavar="NUMBER", help="With --published: the largest share of a sensitive value.")
@click.option("--entropy-l", metavar="NUMBER", help="With --published: the least evenness of sensitive values.")
@click.option("-c", "--c", metavar="NUMBER", help="With --published and -l: recursive (c,l)-diversity.")
@click.option("-t", "--t", metavar="NUMBER", help="With --published: t-closeness.")
@shared.choice_option("--t-distance", choices=DISTANCES, help="How t is measured (default: equal).")
@click.option("--beta", metavar="NUMBER", help="With --published: beta-likeness.")
@click.option("--enhanced-beta", is_flag=True, default=None, help="With --beta: the enhanced one.")
@click.option("--delta", metavar="NUMBER", help="With --published: delta-disclosure privacy.")
@shared.columns_option("--y", "With --published: K different values of these for all --quasi, instead of K rows.")
@click.option("--person", metavar="NAME", help="With --published and --original: the original's column of people.")
@click.option("--suppress", metavar="NUMBER", help="With --published: the largest share of rows with * in all --quasi.")
@click.option(
    "--starred",
    is_flag=True,
    default=None,
    help="With --published: rows with * in all --quasi are suppressed: count them, judge the others.",
)
@shared.number_option(
    "--dropped",
    type=click.IntRange(min=0),
    help="With --published and --original: N rows of the original were left out.",
)
@click.option("--population", metavar="FILE", help="Tables: everybody, a row per person: k-map, delta-presence.")
@shared.number_option("--k-map", type=click.IntRange(min=1), help="With --population: classes include N people.")
@click.option("--presence", metavar="LOW,HIGH", help="With --population: how likely anybody is in the table.")
@shared.path_option("--junit", metavar="FILE", help="Write the verdict as JUnit XML, too.")
@shared.original_people_options
@click.option("--exact", is_flag=True, help="Also solve the guarantee exactly (tiny data, needs --original).")
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
    """Judge RELEASE by its content alone, or against the original as well.

    Tables that another tool published can be judged, too: give --published, --quasi and -k, and --hierarchies if the
    values are to be compared with the original.

    The verdict is independent: this check shares no code with the methods. Exit code 0 if the
    guarantee holds, 3 if it does not, 2 if the release cannot be read, 5 if the tables keep the guarantee and the
    texts of the folder could not be compared with them.
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
        raise InvalidParameter("--exact asks about the itemsets of the original: add --original FILE.")
    if asked["exact"] and published is not None:
        raise InvalidParameter("--exact is for clusters; every check of a table is exact already. Leave it out.")
    if asked["identifiers"] and original is None:
        raise InvalidParameter("--identifiers names columns of the original: add --original FILE.")


def _require_one(release: str | None, published: str | None, asked: dict[str, Any]) -> None:
    if (release is None) == (published is None):
        raise click.UsageError("Give the RELEASE, or --published for a table that another tool published.")
    given = [name for name in OF_TABLES if asked[name] not in (None, ())]
    if release is not None and given:
        raise click.UsageError(f"{flag_of(given[0])} is for --published: a release states it itself.")


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
            raise InvalidParameter(f"this release promises {kind}, which has no {name}. Leave -{name} out.")
    if least is not None:
        if "min_people" not in guaranteed:
            raise InvalidParameter(f"this release promises {kind}, which has no threshold. Leave --min-people out.")
        rare = stated.min_people.rare if stated.min_people else "leave-out"  # as the release states
        changed["min_people"] = MinPeople(least, rare)
    if "sensitive" not in guaranteed:
        raise InvalidParameter(f"this release promises {kind}, which has no sensitive terms. Leave --sensitive out.")
    meant = (*stated.sensitive, *_meant(sensitive, contents))
    required: AnyGuarantee = replace(stated, **changed, sensitive=meant).with_proof()
    return required


def _meant(terms: list[str], contents: ReleaseContents) -> list[str]:
    """Return the terms; for one that ends with *, also the published ones that begin like it. Tables have no terms."""
    from disjoin.model.spelling import folded

    beginnings = tuple(folded(term[:-1]) for term in terms if term.endswith("*"))
    if "" in beginnings:
        raise InvalidParameter("--sensitive * would stand for all terms. Write their beginning before the *.")
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
        say(f"Checked: {', '.join(verdict.checked)}.")
    else:
        say_styled((headline, "bold red"))
        say(f"Wanted: {verdict.guarantee.sentence()}")
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
            "--starred leaves starred rows out of what is judged, which goes with neither --y, --person nor --suppress."
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
        raise InvalidParameter("name the columns that somebody may know with --quasi a,b.")
    for name in ("m", "p"):
        if asked[name] is not None:
            raise InvalidParameter(f"-{name} is not for tables, and --published is one. Leave it out.")
    if asked["k"] is None:
        raise InvalidParameter("say with -k how many rows must be alike (--published states no promise of its own).")
    if asked["y"]:
        if any(asked[name] for name in ("sensitive", "alpha", "entropy_l", "l", "person", "suppress", *CLOSENESS)):
            raise InvalidParameter("--y asks for (X,Y)-anonymity of --quasi and --y. Leave the other columns out.")
        return XYAnonymity(asked["k"], asked["quasi"], asked["y"])
    more = shared.only_given(**{name: asked[name] for name in ("alpha", "l", "entropy_l", "person", "suppress")})
    closeness = Closeness(**shared.only_given(**{name: asked[name] for name in CLOSENESS}))
    return KAnonymity(asked["k"], asked["quasi"], shared.names_in(asked["sensitive"]), **more, closeness=closeness)
