"""disjoin verify --published other.csv --quasi age,sex -k 5: tables that another tool made."""

from __future__ import annotations

import csv
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from disjoin.cli.options import only_given
from disjoin.errors import InvalidParameter
from disjoin.files.databases import Query

if TYPE_CHECKING:
    from disjoin.model import KAnonymity, Table, Verdict
    from disjoin.model.k_anonymity import XYAnonymity

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
    from disjoin.files.table_reading import read_table
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
    from disjoin.files.table_reading import read_table
    from disjoin.model import Role

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
    from disjoin.model.closeness import Closeness
    from disjoin.model.k_anonymity import XYAnonymity

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
    from disjoin.files.table_reading import read_table, without_blanks
    from disjoin.publishers import hierarchies_of

    written = read_table(path, **reading, as_written=True)
    table = without_blanks(written, written.schema.names, reading.get("blank_words"))
    if asked["hierarchies"] is None:
        return written, table
    measured = _names(asked["sensitive"]) if asked["t_distance"] == "hierarchical" else ()
    named = (*asked["quasi"], *asked["y"], *measured)
    return written, table.with_hierarchies(hierarchies_of(table, named, asked["hierarchies"]))


def _names(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.strip() for row in csv.reader(given) for name in row if name.strip())
