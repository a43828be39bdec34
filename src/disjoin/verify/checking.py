"""Entry points of the verifier: `check`, `certify`, and the verification of each form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from disjoin.errors import InvalidParameter, NotAnonymous, described, kind_of, require_kind
from disjoin.jit.decision import numbers_in, prepare
from disjoin.model import AnyGuarantee, Clusters, KmAnonymity, Published, Release, Verdict, Violation
from disjoin.model.k_anonymity import XYAnonymity
from disjoin.model.parameters import require_integer
from disjoin.model.release import SEAL
from disjoin.verify.clusters import resistance
from disjoin.verify.clusters.structure import check_order_between
from disjoin.verify.forest import MOST_RECORDS, Forest
from disjoin.verify.inspection import Known, Original, inspection_of
from disjoin.verify.min_people import inspect_with_threshold, of_clusters

INTERPRETED = 3e-6  # seconds per number of the release, and of the original
SEARCHED = 20e-6  # seconds per number of an original without a map; O7 has its own limit


def check(
    published: Published,
    guarantee: AnyGuarantee | XYAnonymity,
    *,
    original: Original | None = None,
    part_of_record: NDArray[Any] | None = None,
    suppressed_records: int = 0,
    exact: bool | None = None,
    stated: AnyGuarantee | None = None,
    threads: int = 1,
) -> Verdict:
    """Check whether published data satisfy the guarantee; every violation is in the verdict.

    `invariants.csv` lists what is checked of each form, and what with the `original`; `checked` has fewer invariants if
    the data are too broken to continue. `part_of_record` is the leaf, group or row of each record of the original (-1:
    suppressed), for an exact comparison. `exact` requests G1, the guarantee itself, feasible for tiny data only; by
    default it is tried when the data are tiny and V9 leaves it unproven. Noisy records are never compared: tables
    cannot show differential privacy; what the release states (`stated`; by default the guarantee) must not be less.

    With `min_people`, H1 and H2 are checked too, and the rest without values that too few people have. Up to `threads`
    threads work in parallel; the verdict is the same for any number.

    >>> from disjoin.model import Clusters, KmAnonymity
    >>> leaf = {"size": 2, "record_chunks": [{"subrecords": [["tea"], ["tea"]]}], "term_chunk": ["milk"]}
    >>> check(Clusters.from_nested([leaf]), KmAnonymity(2, 2)).holds
    True
    >>> print(*check(Clusters.from_nested([leaf]), KmAnonymity(3, 2)).violations, sep="\\n")
    V5 at cluster 0, chunk 0: these terms occur together 2x in the chunk, but at least 3x is needed. (tea)
    V6 at cluster 0: its size is 2, but at least 3 is needed.
    """
    require_kind(published, Published, "published data, such as Clusters or Groups", "A release has it: published.")
    if exact is not None and not isinstance(exact, (bool, np.bool_)):
        raise InvalidParameter(f"exact must be true or false, got {described(exact)}.")
    suppressed = require_integer("suppressed_records", suppressed_records, 0, "it is the number of suppressed records.")
    if original is None and part_of_record is not None:
        raise InvalidParameter("part_of_record is about the records of the original: give the original, too.")
    inspection = inspection_of(published)
    if not isinstance(guarantee, inspection.guarantees):
        kinds = " or ".join(kind.__name__ for kind in inspection.guarantees)
        found = described(guarantee)
        raise InvalidParameter(f"a release of {published.form} needs a {kinds} as guarantee, got {found}.")
    if original is not None and not isinstance(original, inspection.original):
        wanted, found = inspection.original.__name__, kind_of(original)
        raise InvalidParameter(f"a {published.form} release is compared with its original as {wanted}, got {found}.")
    at_once = require_integer("threads", threads, 1, "it is the number of threads.")
    known = Known(original, _parts(part_of_record), suppressed, exact, stated, at_once)
    searched = original if part_of_record is None else None
    prepare(INTERPRETED * numbers_in(published, original) + SEARCHED * numbers_in(searched))
    if getattr(guarantee, "min_people", None) is None:
        return inspection.inspect(published, guarantee, known)
    return inspect_with_threshold(inspection, published, guarantee, known)


def _parts(given: Any) -> NDArray[np.int64] | None:
    if given is None:
        return None
    wrong = InvalidParameter(f"part_of_record must be integers, one per record, got {kind_of(given)}.")
    try:
        parts = np.asarray(given)
    except ValueError:
        raise wrong from None
    if parts.dtype.kind not in "iu" and parts.size:
        raise wrong
    return parts.astype(np.int64, copy=False)


GuaranteeKind = TypeVar("GuaranteeKind", bound=AnyGuarantee)


def with_stronger_guarantees(published: Published, guarantee: GuaranteeKind) -> GuaranteeKind:
    """Return a guarantee with stronger ones that the published data also satisfy; only clusters are searched."""
    if not isinstance(published, Clusters) or not isinstance(guarantee, KmAnonymity):
        return guarantee
    prepare(INTERPRETED * numbers_in(published))
    return cast(GuaranteeKind, resistance.with_stronger_guarantees(published, guarantee))


NAMED = 3  # violations in the error message


def certify(
    published: Published,
    guarantee: AnyGuarantee,
    *,
    method: str,
    parameters: Mapping[str, Any],
    suppressed_records: int = 0,
    original: Original | None = None,
    part_of_record: NDArray[Any] | None = None,
    threads: int = 1,
) -> Release:
    """Check published data and return them as a release, or raise `NotAnonymous` with the verdict.

    The error shows no terms or cells, because they may come from the original and the error may be logged;
    `error.verdict` has them. If the guarantee is not proven, `verdict.facts["unproven"]` counts the conditions that a
    proof lacks. With `verdict.facts["by_construction"]` only the form was checked: the guarantee rests on the proof of
    the method.
    """
    verdict, release = judge(
        published,
        guarantee,
        method=method,
        parameters=parameters,
        suppressed_records=suppressed_records,
        original=original,
        part_of_record=part_of_record,
        threads=threads,
    )
    if release is None:
        count = len(verdict.violations)
        shown = "; ".join(violation.without_example() for violation in verdict.violations[:NAMED])
        more = f"; and {count - NAMED} more" if count > NAMED else ""
        found = "1 violation" if count == 1 else f"{count} violations"
        raise NotAnonymous(f"the verifier found {found}, so nothing is released: {shown}{more}", verdict)
    return release


class BlockVerdict(NamedTuple):
    """The verdict on some trees against their records, made where these are; `check` identifies the records."""

    block: int
    records: int  # number of records compared
    content: int  # a fingerprint of a bag of records; fingerprints of blocks add up, modulo 2^64
    holds: bool
    complaints: tuple[str, ...] = ()  # without terms


class Blocks(NamedTuple):
    """The expected sums of block verdicts."""

    records: Mapping[int, int]  # records of each block
    published: int  # number of records that were read and are published
    content: int  # fingerprint of these


def certify_in_blocks(
    published: Published,
    guarantee: AnyGuarantee,
    *,
    method: str,
    parameters: Mapping[str, Any],
    suppressed_records: int,
    said: Sequence[BlockVerdict],
    blocks: Blocks,
) -> Release:
    """Return a release of data whose original is stored elsewhere, or raise `NotAnonymous`.

    The whole release is checked here, without the original. There is no release if a verdict on some trees against
    their records is missing, repeated or negative, or if records do not add up.
    """
    objection = _objection(said, blocks)
    if objection:
        verdict = Verdict(guarantee, (Violation("O1", "the release", objection),), ("O1",), {})
        raise NotAnonymous(f"the release could not be compared with the original: {objection}.", verdict)
    return certify(published, guarantee, method=method, parameters=parameters, suppressed_records=suppressed_records)


def _objection(said: Sequence[BlockVerdict], blocks: Blocks) -> str:
    for verdict in said:
        if not verdict.holds:
            return "; ".join(verdict.complaints) or "a part of it failed"
    if sorted(verdict.block for verdict in said) != sorted(blocks.records):
        return "a verdict is missing or repeated"
    is_short = any(verdict.records != blocks.records[verdict.block] for verdict in said)
    if is_short or sum(verdict.records for verdict in said) != blocks.published:
        return "the records of its parts do not add up"
    if sum(verdict.content for verdict in said) % 2**64 != blocks.content:
        return "the compared records are not those that were read"
    return ""


def extent_in_parts(parts: Iterable[Clusters], guarantee: AnyGuarantee) -> dict[str, int] | None:
    """Return the extent of clusters that come in parts of whole trees, None if there is a violation.

    Each part is checked by itself. For the whole, the order between parts is checked, and whether sums are numbers of
    records.
    """
    sizes = counts = records = 0
    words: set[str] = set()
    last: Clusters | None = None
    holders: Counter[str] = Counter()
    threshold = getattr(guarantee, "min_people", None)
    alone = guarantee if threshold is None else replace(cast("KmAnonymity", guarantee), min_people=None)
    for part in parts:
        if not check(part, alone).holds:
            return None
        roots = [*np.flatnonzero(part.parents < 0).tolist(), len(part)]
        if last is not None and not _may_follow(last, part.between(0, roots[1])):
            return None
        last = part.between(roots[-2], len(part))
        sizes, counts = sizes + int(part.sizes.sum()), counts + int(part.counts.sum())
        records, words = records + part.n_records, words | set(part.vocabulary.to_pylist())
        if threshold is not None:
            listing = of_clusters(part)
            holders.update(dict(zip(listing.names, listing.most.tolist(), strict=True)))
    if threshold is not None and min(holders.values(), default=0) < threshold.people:
        return None
    is_countable = last is not None and max(sizes, counts) <= MOST_RECORDS
    return {"records": records, "terms": len(words)} if is_countable else None


def _may_follow(one: Clusters, other: Clusters) -> bool:
    both = Clusters.joined(one, other)
    forest = Forest.of(both)
    return not check_order_between(both.vocabulary, forest)


def judge(
    published: Published,
    guarantee: AnyGuarantee,
    *,
    method: str,
    parameters: Mapping[str, Any],
    suppressed_records: int = 0,
    original: Original | None = None,
    part_of_record: NDArray[Any] | None = None,
    exact: bool | None = None,
    stated: AnyGuarantee | None = None,
    threads: int = 1,
) -> tuple[Verdict, Release | None]:
    """Check published data once, and return all findings, and the release if there is no violation.

    Both are returned together, because a verdict does not show which data it is about: a verdict passed as an argument
    would prove nothing.
    """
    verdict = check(
        published,
        guarantee,
        original=original,
        part_of_record=part_of_record,
        suppressed_records=suppressed_records,
        exact=exact,
        stated=stated,
        threads=threads,
    )
    if not verdict.holds:
        return verdict, None
    # Facts from the original stay with the data owner.
    names = inspection_of(published).public_facts
    public = replace(verdict, facts={name: verdict.facts[name] for name in names if name in verdict.facts})
    return verdict, Release(published, guarantee, public, method, parameters, suppressed_records, SEAL)
