"""Pipeline that `Plan.run` calls: publish, verify, write, load and evaluate a release."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from disjoin.engine import Local
from disjoin.errors import InvalidParameter, NotAnonymous, Placeholder, Remedy, described
from disjoin.forms.registry import FORMS, evidence_of
from disjoin.jit.decision import numbers_in, prepare
from disjoin.measure import EVALUATIONS, Evaluation
from disjoin.measure.definition import Settings
from disjoin.measure.evaluation import chosen, evaluated, known
from disjoin.methods.contract import Engine, Method
from disjoin.methods.sensitive_terms import CountedTerms
from disjoin.methods.settings import setting_values
from disjoin.model import (
    GUARANTEES,
    AnyGuarantee,
    Draft,
    Hierarchy,
    Intake,
    MixedRecords,
    Published,
    Release,
    Table,
    Transactions,
    Verdict,
)
from disjoin.model.input_checks import looks_personal
from disjoin.model.parameters import CATEGORY, MinPeople
from disjoin.progress import Progress, silent
from disjoin.readers.hierarchies import hierarchy_from
from disjoin.readers.read import as_transactions, read
from disjoin.readers.tables import as_table, read_table
from disjoin.release.reader import ReleaseContents, check_destination, holds_in_blocks, read_release, write_release
from disjoin.release.rewrite_check import compare_with_rewrite
from disjoin.report.documents import documents_of
from disjoin.text import quoted
from disjoin.verify import certify, check, extent_in_parts, judge, with_stronger_guarantees
from disjoin.verify.inspection import Original
from disjoin.verify.min_people import original_as_published

INTERPRETED = 15e-6  # seconds per number of an original, to compare a release with it


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """A release, and facts that only the data owner may see: exact losses, true rates, timings, intake; `path`."""

    release: Release
    private: Mapping[str, Any] = field(default_factory=dict, repr=False)
    intake: Mapping[str, Any] = field(default_factory=dict, repr=False)
    path: Path | None = None


def publish(
    data: Original,
    method: Method,
    engine: Engine | None = None,
    progress: Progress = silent,
    *,
    threads: int = 0,
    is_trial: bool = False,
    publisher: Callable[..., Draft[Any]] | None = None,
) -> Outcome:
    """Publish with the method, compare the result with the original by the verifier, and measure the cost.
    A trial is never shared, so its terms may name people. `publisher` replaces `method.publish`. Without an
    `engine`, `threads` of this machine are used, 0 for one per core."""
    require_people(data)
    if not is_trial:
        require_no_names(data, method)
    method.require_roles(data)
    started, engine = time.perf_counter(), engine or Local(threads)
    draft = (publisher or method.publish)(data, engine, progress)
    published = time.perf_counter()
    progress("verifying", 0, 1)
    release = certify(
        draft.published,
        with_stronger_guarantees(draft.published, method.claim(draft)),
        method=method.name,
        parameters=method.parameters() if draft.parameters is None else draft.parameters,
        suppressed_records=draft.suppressed_records,
        original=method.prepared(data),
        part_of_record=draft.part_of_record,
        threads=engine.threads if isinstance(engine, Local) else Local(threads).threads,
    )
    progress("verifying", 1, 1)
    seconds = {"publish": published - started, "verify": time.perf_counter() - published}
    costs = FORMS[release.published.form].costs(release.published, data)
    rounded = {name: round(value, 3) for name, value in seconds.items()}
    return Outcome(release, {**costs, **draft.private, "seconds": rounded})


def require_people(data: Original) -> None:
    """Raise if records are not people, by a column that the reader found, unless the data owner confirmed this."""
    if not isinstance(data, Transactions):
        return
    intake, shared = data.intake, data.intake.shared
    if intake.terms_identify:
        raise InvalidParameter(
            f"column {quoted(intake.term_column)} may identify people or events: {intake.terms_identify}, and its "
            "values would be published. Name another column of terms.",
            remedies=[Remedy("role", [intake.terms_role], "state that several people share these terms")],
        )
    if shared is None or shared.accepted:
        _refuse_mixed_data(intake)
        return
    record, person = quoted(data.intake.id_column), quoted(shared.column)
    have = f"{shared.people:,} {f'value of {person} has' if shared.people == 1 else f'values of {person} have'}"
    raise InvalidParameter(
        f"the records are per {record}, and {have} {shared.records:,} of them: a release would hide records, not "
        "people.",
        remedies=[
            Remedy("id", shared.column, f"protect people, by {person}"),
            Remedy("per_record", True, f"protect each {record} separately"),
        ],
    )


def require_no_names(data: Original, method: Method) -> None:
    """Raise if terms look like free text, names or addresses, and no threshold of people removes rare ones."""
    given = setting_values(method)
    if isinstance(data, Table) or given.get("domain", "seen") != "seen" or given.get("min_people") is not None:
        return  # columns have roles, and a domain has another source than the data
    remedies = [PUBLISH_FREQUENT] if "min_people" in given else []
    remedies += [Remedy("leave_out", Placeholder("TERMS"), "leave terms out")] if isinstance(data, Transactions) else []
    refuse_names(data.records if isinstance(data, MixedRecords) else data, remedies)


PUBLISH_FREQUENT = Remedy("min_people", Placeholder("N"), "publish only terms of N people")


def refuse_names(data: CountedTerms, remedies: Iterable[Remedy]) -> None:
    reason = looks_personal(data.vocabulary.to_pylist(), data.supports().tolist())
    if reason is not None:
        raise InvalidParameter(f"the column of terms {reason}, which a release would publish.", remedies=remedies)


def _refuse_mixed_data(intake: Intake) -> None:
    """Raise if columns that describe people would be left out, unless the data owner confirmed it."""
    if not intake.describing or not intake.is_guessed:
        return
    names = ", ".join(map(quoted, intake.describing))
    raise InvalidParameter(
        f"{names} have one value per {quoted(intake.id_column)}: these are people with columns and terms. "
        f"Publish both with `disjoin mixed`, with these columns as quasi-identifiers.",
        remedies=[Remedy("id", intake.id_column, "publish the terms alone", (("terms", intake.term_column),))],
    )


def write(release: Release, path: str | Path, *, overwrite: bool = False) -> Path:
    if type(release) is not Release:
        raise TypeError(f"only a Release can be written, got {type(release).__name__}")
    destination = check_destination(path, overwrite=overwrite)
    documents = documents_of(release)
    return write_release(release, destination, documents=documents, overwrite=overwrite, verify_written=verify_written)


def verify_written(folder: Path) -> None:
    """Verify the written folder before it is renamed: arrays in memory may change, so the files are read."""
    if holds_in_blocks(folder, extent_in_parts):
        return
    contents = read_release(folder, just_written=True)
    verdict = check(contents.published, contents.guarantee, suppressed_records=contents.suppressed_records)
    if not verdict.holds:
        raise NotAnonymous(
            f"the written files differ from the verified data: {verdict.violations[0].without_example()}", verdict
        )


def load(path: str | Path) -> Release:
    """Read a release folder, verify it again, and return it; raises NotAnonymous if it does not hold."""
    return _certified(read_release(path))


def _certified(contents: ReleaseContents) -> Release:
    return certify(
        contents.published,
        contents.guarantee,
        method=contents.method,
        parameters=contents.parameters,
        suppressed_records=contents.suppressed_records,
    )


def verify(
    release: str | Path | ReleaseContents | Release | Published,
    *,
    original: object = None,
    guarantee: AnyGuarantee | None = None,
    exact: bool | None = None,
    hierarchy: Hierarchy | str | Path | None = None,
) -> Verdict:
    """Verify a release: a folder, a Release, or bare published data (with the `guarantee` to check).

    A folder is read once; a caller that has read it already may pass the result of `read_release`.

    With `original`, any input of `disjoin.read`, the release is also compared with it. `guarantee` is what
    you require; by default what the release states. Either way a proof is required, even of a release that
    states that it is not proven, unless you pass a guarantee without a proof. `hierarchy` has the categories that
    replaced rare terms, if they were replaced.
    """
    if guarantee is not None and not isinstance(guarantee, AnyGuarantee):
        known = ", ".join(kind.__name__ for kind in GUARANTEES.values())
        raise InvalidParameter(f"guarantee must be one of {known}, got {described(guarantee)}.")
    inspected = read_release(release) if isinstance(release, (str, Path)) else release
    if isinstance(inspected, (ReleaseContents, Release)):
        published, stated, left_out = inspected.published, inspected.guarantee, inspected.suppressed_records
    elif not isinstance(inspected, Published):
        raise InvalidParameter(f"expected a release or the path of one, got {described(release)}.")
    elif guarantee is None:
        raise TypeError(f"bare {inspected.form} state no guarantee: give the one to check")
    else:
        published, stated, left_out = inspected, guarantee, 0
    required = guarantee or stated.with_proof()
    records = None if original is None else _with_categories(_original(published, original), hierarchy_from(hierarchy))
    if isinstance(inspected, ReleaseContents):
        verdict = _verdict_on_folder(inspected, required, records, exact)
    else:
        verdict = check(published, required, original=records, suppressed_records=left_out, exact=exact, stated=stated)
    if stated != required:
        return replace(verdict, facts={**verdict.facts, "stated": stated.to_json()})
    return verdict


def _with_categories(original: Original, hierarchy: Hierarchy | None) -> Original:
    if hierarchy is None:
        return original
    if isinstance(original, Transactions):
        return original.with_hierarchy(hierarchy)
    if isinstance(original, MixedRecords):
        return original.with_categories(hierarchy)
    raise InvalidParameter("a table has hierarchies by column: give them with the original (Table.with_hierarchies).")


def _verdict_on_folder(
    contents: ReleaseContents, required: AnyGuarantee, records: Original | None, exact: bool | None
) -> Verdict:
    """Verify the tables, and add contradictions in the folder; a folder that cannot be compared is reported."""
    verdict, release = judge(
        contents.published,
        required,
        method=contents.method,
        parameters=contents.parameters,
        suppressed_records=contents.suppressed_records,
        original=records,
        exact=exact,
        stated=contents.guarantee,
    )
    is_about_the_tables_alone = verdict.holds or records is None
    if required != contents.guarantee or not is_about_the_tables_alone:
        release = None  # unless the tables satisfy the folder's own statement
        with suppress(NotAnonymous):
            release = _certified(contents)
    compared = compare_with_rewrite(contents, release)
    unseen = {} if compared.is_whole else {"texts_compared": False, "why_not_compared": compared.why_not}
    deposited = {} if contents.deposit is None else {"deposit": contents.deposit.to_package()}
    facts = {**verdict.facts, **unseen, **deposited}
    return replace(verdict, violations=(*verdict.violations, *compared.violations), facts=facts)


def evaluate(
    release: str | Path | Release,
    original: object,
    *,
    top: int = 1000,
    seed: int = 0,
    reconstructions: int = 10,
    hierarchy: Hierarchy | str | Path | None = None,
    measures: Iterable[str] | None = None,
    r: int = 4,
    queries: int = 100,
    label: str | None = None,
    k: int | None = None,
    progress: Progress = silent,
) -> Evaluation:
    """Measure what a release loses; the figures are facts about the original and must not be published.

    `original` is the data of the release, as a file or in memory. `top` itemsets are compared. Supports come
    from the published records; for clusters from the first of `reconstructions` possible originals, drawn with `seed`,
    or from several. With a `hierarchy` of the terms (or the path of one) itemsets of their ancestors are compared, too;
    generalised items have one. Terms in `k` records are frequent; by default that is the release's own k, or 5 if it
    has none. For groups, `queries` random queries are asked instead, drawn with `seed`, each about a sensitive item
    and `r` ordinary ones. For tables, `label` is the column that a classifier would predict, by default the first
    sensitive one. `measures` are names of `disjoin.measure.EVALUATIONS` (`re*`: all that begin with re), by default
    all for the release's form.

    If the release has a threshold of people, it is compared with the original after that threshold, and a note counts
    the replaced values. `hierarchy` is needed if categories replaced rare terms.
    """
    names, settings = known(EVALUATIONS, measures), Settings(top, seed, reconstructions, r, queries, label, k)
    if not isinstance(release, (str, Path, Release)):
        raise InvalidParameter(f"expected a release or the path of one, got {described(release)}.")
    accepted = release if isinstance(release, Release) else load(release)
    wanted = chosen(EVALUATIONS, names, accepted.published.form)
    compared, tree = _original(accepted.published, original), hierarchy_from(hierarchy)
    prepare(INTERPRETED * numbers_in(compared))
    threshold: MinPeople | None = getattr(accepted.guarantee, "min_people", None)
    if threshold is None:
        return evaluated(evidence_of(accepted, compared, tree, settings, progress), wanted)
    kept, note = _above_threshold(accepted, compared, threshold, tree)
    tree = None if threshold.rare == CATEGORY else tree  # categories are among the terms
    found = evaluated(evidence_of(accepted, kept, tree, settings, progress), wanted)
    return replace(found, notes=(*found.notes, note))


def _above_threshold(
    release: Release, original: Original, threshold: MinPeople, tree: Hierarchy | None
) -> tuple[Original, str]:
    if threshold.rare == CATEGORY and not isinstance(original, Table):
        original = _with_categories(original, tree)
    kept = original_as_published(release.published, release.guarantee, original)
    note = f"Compared with the original after its threshold of {threshold.people} people"
    if isinstance(original, Table):
        return kept, f"{note}: rarer values are replaced in both."
    supports = (original.records if isinstance(original, MixedRecords) else original).supports()
    few = supports < threshold.people
    gone = f"{int(supports[few].sum()):,} of {int(supports.sum()):,} occurrences"
    return kept, f"{note}, which left out or replaced {int(few.sum()):,} of {few.size:,} terms, {gone}."


def _original(published: Published, data: object) -> Original:
    kind, is_path = FORMS[published.form].original, isinstance(data, (str, Path))
    if kind is Transactions:
        return read(data) if is_path else as_transactions(data)
    if kind is Table:
        return read_table(data) if is_path else as_table(data)
    if not isinstance(data, MixedRecords):
        raise InvalidParameter(
            f"the original of this release is people with columns and terms, got {described(data)}. Read them "
            "with disjoin.read_people."
        )
    return data
