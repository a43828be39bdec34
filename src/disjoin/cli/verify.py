"""Command `verify`: verify a release or any published table."""

from __future__ import annotations

import csv
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.main import leave_quietly
from disjoin.cli.options import (
    ABOUT_PEOPLE,
    columns_option,
    only_given,
    original_option,
    original_people,
    original_people_options,
    reading_options,
    refuse_people,
    speaking_options,
    table_reading,
    with_categories,
)
from disjoin.cli.screen import print_json, say, say_styled, shown
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


@click.command("verify")
@click.argument("release", metavar="[RELEASE]", required=False)
@original_option("Compare with the data that it was made from.")
@click.option("-k", type=int, metavar="N", help="Require this k (default: what the release states).")
@click.option("-m", type=int, metavar="N", help="Require this m (default: what the release states).")
@click.option("-p", type=int, metavar="N", help="Require this p (default: what the release states).")
@click.option("-l", "l", type=int, metavar="N", help="Require this l (default: what the release states).")
@click.option("--min-people", type=int, metavar="N", help="Require that no published term is of fewer than N people.")
@click.option(
    "--sensitive",
    multiple=True,
    metavar="FILE|a,b",
    help="Require that these are sensitive, too (B20*: all that begin with B20).",
)
@columns_option("--identifiers", "Tables, with --original: its columns that name people, and are not published.")
@click.option("--published", metavar="FILE", help="Instead of RELEASE: a table that another tool published.")
@columns_option("--quasi", "With --published: the columns that somebody may know.")
@click.option("--hierarchies", metavar="FOLDER", help="Tables: a file for each column, COLUMN.csv.")
@click.option("--hierarchy", metavar="FILE", help="With --original: the categories that replaced rare terms.")
@click.option("--alpha", metavar="NUMBER", help="With --published: the largest share of a sensitive value.")
@click.option("--entropy-l", metavar="NUMBER", help="With --published: the least evenness of sensitive values.")
@click.option("-c", "--c", metavar="NUMBER", help="With --published and -l: recursive (c,l)-diversity.")
@click.option("-t", "--t", metavar="NUMBER", help="With --published: t-closeness.")
@click.option("--t-distance", type=click.Choice(DISTANCES), help="How t is measured (default: equal).")
@click.option("--beta", metavar="NUMBER", help="With --published: beta-likeness.")
@click.option("--enhanced-beta", is_flag=True, default=None, help="With --beta: the enhanced one.")
@click.option("--delta", metavar="NUMBER", help="With --published: delta-disclosure privacy.")
@columns_option("--y", "With --published: K different values of these for all --quasi, instead of K rows.")
@click.option("--person", metavar="NAME", help="With --published and --original: the original's column of people.")
@click.option("--suppress", metavar="NUMBER", help="With --published: the largest share of rows with * in all --quasi.")
@click.option(
    "--starred",
    is_flag=True,
    default=None,
    help="With --published: rows with * in all --quasi are suppressed: count them, judge the others.",
)
@click.option(
    "--dropped",
    type=click.IntRange(min=0),
    metavar="N",
    help="With --published and --original: N rows of the original were left out.",
)
@click.option("--population", metavar="FILE", help="Tables: everybody, a row per person: k-map, delta-presence.")
@click.option("--k-map", type=click.IntRange(min=1), metavar="N", help="With --population: classes include N people.")
@click.option("--presence", metavar="LOW,HIGH", help="With --population: how likely anybody is in the table.")
@click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write the verdict as JUnit XML, too.")
@original_people_options
@click.option("--exact", is_flag=True, help="Also solve the guarantee exactly (tiny data, needs --original).")
@reading_options
@speaking_options
def verify_command(
    release: str | None,
    original: str | Query | None,
    published: str | None,
    sensitive: tuple[str, ...],
    identifiers: tuple[str, ...],
    exact: bool,
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
    _require_original(original, published, identifiers, exact)
    crowd = {name: rest.pop(name) for name in CROWD}
    min_people, hierarchy = rest.pop("min_people"), rest.pop("hierarchy")
    named = (ABOUT, ("k", "m", "p", "l"), ABOUT_PEOPLE)
    about, numbers, people = ({name: rest.pop(name) for name in names} for names in named)
    _require_one(release, published, about)
    with shown(quiet=quiet or as_json) as progress:
        progress("verifying", 0, 0)
        if published is not None:
            refuse_people(people)
            _refuse_threshold(min_people, hierarchy)
            asked = {**about, **numbers, "sensitive": sensitive, "identifiers": identifiers}
            reading = table_reading(dict(rest), "--published is one")
            verdict = judged(published, original, asked, reading, crowd)
        else:
            assert release is not None, "one of the two is given"
            contents = _contents(release)
            required = _required(contents, only_given(**numbers), sensitive, min_people)
            data = _original(contents, original, rest, identifiers, people)
            data = with_categories(contents.published, data, hierarchy, about["hierarchies"])
            verdict = beside(_verdict(contents, data, required, exact), contents.published, crowd)
    if junit is not None:
        _write_junit(junit, verdict, release or published or "")
    _show(verdict, quiet=quiet, as_json=as_json)
    if not verdict.holds:
        return NotAnonymous.exit_code
    return 0 if verdict.facts.get("texts_compared", True) else TEXTS_NOT_COMPARED


def _show(verdict: Verdict, *, quiet: bool, as_json: bool) -> None:
    try:
        if as_json:
            print_json(verdict.to_json())
        elif not quiet:
            tell(verdict)
    except (BrokenPipeError, SystemExit):  # nobody reads any more; the exit code still tells
        leave_quietly()


def _write_junit(path: Path, verdict: Verdict, name: str) -> None:
    """Write the verdict for build servers, whole or not at all."""
    from disjoin.atomic import whole_file
    from disjoin.report.verdict_words import junit_of

    with whole_file(path) as file:
        file.write(junit_of(verdict, Path(name).name))


def _require_original(
    original: str | Query | None, published: str | None, identifiers: tuple[str, ...], exact: bool
) -> None:
    if exact and original is None:
        raise InvalidParameter("--exact asks about the itemsets of the original: add --original FILE.")
    if exact and published is not None:
        raise InvalidParameter("--exact is for clusters; every check of a table is exact already. Leave it out.")
    if identifiers and original is None:
        raise InvalidParameter("--identifiers names columns of the original: add --original FILE.")


def _require_one(release: str | None, published: str | None, about: dict[str, Any]) -> None:
    if (release is None) == (published is None):
        raise click.UsageError("Give the RELEASE, or --published for a table that another tool published.")
    given = [name for name, value in about.items() if value not in (None, ()) and name != "hierarchies"]
    if release is not None and given:
        flag = given[0].replace("_", "-")
        raise click.UsageError(f"--{flag} is for --published: a release states it itself.")


def _contents(release: str) -> ReleaseContents:
    """Read the folder; everything that follows is about what was read here."""
    from disjoin.release.reader import read_release

    return read_release(release)


def _verdict(contents: ReleaseContents, original: object, required: AnyGuarantee | None, exact: bool) -> Verdict:
    from disjoin.pipeline import verify

    return verify(contents, original=original, guarantee=required, exact=exact or None)


def _original(
    contents: ReleaseContents,
    original: str | Query | None,
    reading: dict[str, Any],
    identifiers: tuple[str, ...],
    people: dict[str, Any],
) -> object:
    """Read the original, if there is one; the form of the release tells how."""
    from disjoin.forms.registry import FORMS
    from disjoin.model import MixedRecords, Table
    from disjoin.readers.read import read

    if FORMS[contents.published.form].original is MixedRecords:
        is_given = original is not None or any(people.values())
        return original_people(contents.guarantee, original, people, reading) if is_given else None
    refuse_people(people)
    if original is None:
        return None
    if FORMS[contents.published.form].original is Table:
        return original_of(original, identifiers, table_reading(reading, "this release is one"))
    if identifiers:
        raise InvalidParameter("--identifiers is for tables, and this release is none. Leave it out.")
    return read(original, **only_given(**reading))


def _refuse_threshold(min_people: int | None, hierarchy: str | None) -> None:
    if min_people is not None or hierarchy is not None:
        flag = "--min-people" if min_people is not None else "--hierarchy"
        raise InvalidParameter(f"{flag} is for a RELEASE, and --published is none. Leave it out.")


def _threshold(stated: Any, least: int | None) -> dict[str, Any]:
    """Return the threshold that is required; what becomes of rare terms is as the release states."""
    from disjoin.model.guarantee import MinPeople

    if least is None:
        return {}
    if "min_people" not in {part.name for part in fields(stated)}:
        kind = stated.to_json()["type"]
        raise InvalidParameter(f"this release promises {kind}, which has no threshold. Leave --min-people out.")
    return {"min_people": MinPeople(least, stated.min_people.rare if stated.min_people else "leave-out")}


def _required(
    contents: ReleaseContents, wanted: dict[str, int], sensitive: tuple[str, ...], least: int | None = None
) -> AnyGuarantee | None:
    """Return what is required where it differs from what the release states."""
    if not wanted and not sensitive and least is None:
        return None
    named = tuple(term for given in sensitive for term in terms_from(given))
    stated: Any = contents.guarantee
    promised = {part.name for part in fields(stated)}
    for name in wanted:
        if name not in promised:
            kind = stated.to_json()["type"]
            raise InvalidParameter(f"this release promises {kind}, which has no {name}. Leave -{name} out.")
    threshold = _threshold(stated, least)
    if "sensitive" not in promised:
        kind = stated.to_json()["type"]
        raise InvalidParameter(f"this release promises {kind}, which has no sensitive terms. Leave --sensitive out.")
    meant = (*stated.sensitive, *_meant(named, contents))
    required: AnyGuarantee = replace(stated, **wanted, **threshold, sensitive=meant).with_proof()
    return required


def _meant(terms: tuple[str, ...], contents: ReleaseContents) -> tuple[str, ...]:
    """Return the terms; for one that ends with *, also the published ones that begin like it. Tables have no terms."""
    from disjoin.model.spelling import folded

    beginnings = tuple(folded(term[:-1]) for term in terms if term.endswith("*"))
    if "" in beginnings:
        raise InvalidParameter("--sensitive * would stand for all terms. Write their beginning before the *.")
    if not beginnings:
        return terms
    vocabulary = getattr(contents.published, "vocabulary", None)
    published = [] if vocabulary is None else vocabulary.to_pylist()
    return (*terms, *(term for term in published if folded(term or "").startswith(beginnings)))


def tell(verdict: Verdict) -> None:
    """Print the verdict for people; first of all that a part of the folder was not looked at, if so."""
    from disjoin.report.verdict_words import (
        beside_population,
        headline,
        not_compared,
        what_it_states,
        what_was_not_seen,
    )

    if caveat := not_compared(verdict):
        say_styled((caveat, "bold yellow"))
    if verdict.holds:
        say_styled((headline(verdict), "bold green"), f" {verdict.guarantee.sentence()}")
        say(f"Checked: {', '.join(verdict.checked)}.")
    else:
        say_styled((headline(verdict), "bold red"))
        say(f"Wanted: {verdict.guarantee.sentence()}")
    say(*(f"  {violation}" for violation in verdict.violations[:SHOWN]))
    more = len(verdict.violations) - SHOWN
    if more > 0:
        say(f"  ... and {more:,} more; --json lists them all.")
    say(*what_it_states(verdict), *beside_population(verdict), *what_was_not_seen(verdict))


# disjoin verify --published other.csv --quasi age,sex -k 5: tables that another tool made.

CLOSENESS = ("c", "t", "t_distance", "beta", "enhanced_beta", "delta")
# Options that only tables of other tools have.
ABOUT = ("quasi", "hierarchies", "alpha", "entropy_l", *CLOSENESS, "y", "person", "suppress", "starred", "dropped")


CROWD = ("population", "k_map", "presence")  # options about the people outside a table


def judged(
    published: str,
    original: str | Query | None,
    asked: dict[str, Any],
    reading: dict[str, Any],
    crowd: dict[str, Any],
) -> Verdict:
    """Read the table, and the original and the population if there are any, and judge it by what is asked."""
    from disjoin.verify.table.inspection import judge

    guarantee = _guarantee(asked)
    if asked["person"] is not None and original is None:
        raise InvalidParameter("--person names a column of the original: add --original FILE.")
    _require_told(asked, original)
    written, table = _tables(published, asked, reading)
    given = None
    if original is not None:
        given = original_of(original, asked["identifiers"], reading)
        _require_comparable(table, given, asked["quasi"])
    dropped, starred = asked["dropped"] or 0, bool(asked["starred"])
    verdict = judge(table, guarantee, given, dropped=dropped, starred=starred, written=written)
    return _crowded(verdict, table, asked["quasi"], crowd)


def beside(verdict: Verdict, published: object, crowd: dict[str, Any]) -> Verdict:
    """Return the verdict on a release with what its population adds, if one is given."""
    from disjoin.model import Generalized

    if not isinstance(published, Generalized):
        if any(value is not None for value in crowd.values()):
            raise InvalidParameter("--population is for tables, and this release is none. Leave it out.")
        return verdict
    return _crowded(verdict, published.table, published.quasi, crowd)


def _crowded(verdict: Verdict, table: Table, quasi: tuple[str, ...], crowd: dict[str, Any]) -> Verdict:
    if crowd["population"] is None:
        if crowd["k_map"] is not None or crowd["presence"] is not None:
            raise InvalidParameter("--k-map and --presence are about a population: add --population FILE.")
        return verdict
    from disjoin.readers.tables import read_table
    from disjoin.verify.table.population import Asked, with_population

    wanted = Asked(crowd["k_map"], _limits(crowd["presence"]))
    return with_population(verdict, table, tuple(quasi), read_table(crowd["population"]), wanted)


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


def _require_told(asked: dict[str, Any], original: str | Query | None) -> None:
    """Raise if it is told of suppressed rows what cannot be."""
    if asked["dropped"] is not None and original is None:
        raise InvalidParameter("--dropped counts rows of the original: add --original FILE.")
    if asked["starred"] and (asked["y"] or asked["person"] is not None or asked["suppress"] is not None):
        raise InvalidParameter(
            "--starred leaves starred rows out of what is judged, which goes with neither --y, --person nor --suppress."
        )


def original_of(path: str | Query, identifiers: tuple[str, ...], reading: dict[str, Any]) -> Table:
    """Read the original, and mark the columns that name people."""
    from disjoin.model import Role
    from disjoin.readers.tables import read_table

    return read_table(path, **reading).with_roles(dict.fromkeys(identifiers, Role.IDENTIFIER))


def _require_comparable(published: Table, original: Table, quasi: tuple[str, ...]) -> None:
    """Raise if published values can only be understood with a hierarchy, and there is none: it was forgotten."""
    from disjoin.model.intervals import ends_from

    both = [name for name in quasi if name in published.schema.names and name in original.schema.names]
    for name in both:
        if name in published.hierarchies:
            continue
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
    sensitive = _names(asked["sensitive"])
    more = only_given(**{name: asked[name] for name in ("alpha", "l", "entropy_l", "person", "suppress")})
    closeness = Closeness(**only_given(**{name: asked[name] for name in CLOSENESS}))
    return KAnonymity(asked["k"], asked["quasi"], sensitive, **more, closeness=closeness)


def _tables(path: str, asked: dict[str, Any], reading: dict[str, Any]) -> tuple[Table, Table]:
    """Return the table as it is published, and as it is read: without blanks around values."""
    from disjoin.readers.hierarchies import hierarchies_of
    from disjoin.readers.tables import read_table, without_blanks

    written = read_table(path, **reading, as_written=True)
    table = without_blanks(written, written.schema.names, reading.get("blank_words"))
    if asked["hierarchies"] is None:
        return written, table
    measured = _names(asked["sensitive"]) if asked["t_distance"] == "hierarchical" else ()
    named = (*asked["quasi"], *asked["y"], *measured)
    return written, table.with_hierarchies(hierarchies_of(table, named, asked["hierarchies"]))


def _names(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.strip() for row in csv.reader(given) for name in row if name.strip())
