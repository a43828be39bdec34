"""What a plan stands for, carried out: read, publish, verify, write; and what is to be said about its input."""

from __future__ import annotations

from typing import Any

from disjoin.engines.spark.settings import SparkSettings, require_possible
from disjoin.errors import InvalidParameter
from disjoin.files.people import read_people
from disjoin.files.reading import read
from disjoin.files.table_reading import read_table
from disjoin.methods.disassociation import Disassociation
from disjoin.model import MixedRecords, Table, Transactions
from disjoin.pipeline import Outcome
from disjoin.plan import Plan
from disjoin.progress import Progress
from disjoin.publishers import hierarchies_of
from disjoin.report.facts import (
    blank_sentences,
    blanks_in,
    describing_sentences,
    intake_of,
    possible_blanks_in,
    table_blank_words,
)
from disjoin.verify.inspection import Original

_COLUMNS = {"id_column": "--id-column", "term_column": "--term-column"}
DECIDED_BY: dict[str, dict[str, str]] = {  # the options that, if given, leave nothing for the records to decide
    "basket": {"format": "--format basket", "separator": "--separator"},
    "long": _COLUMNS,
    **{name: {"format": f"--format {name}"} for name in ("fimi", "spmf", "jsonl")},
}


def input_of(plan: Plan) -> Original:
    """Read what the plan's method takes."""
    if plan.method.takes == "mixed":
        return _people(plan)
    if plan.method.takes == "table":
        reading = dict(plan.reading)
        folder, everybody = reading.pop("hierarchies", None), reading.pop("population", None)
        table = read_table(plan.source, **reading)
        table = table if everybody is None else table.with_population(read_table(everybody))
        named = getattr(plan.method, "with_trees", ())
        return table if folder is None else table.with_hierarchies(hierarchies_of(table, named, folder))
    in_order = getattr(plan.method, "ties", None) == "first"  # the only setting that asks for it
    may_be_empty = getattr(plan.method, "may_be_empty", False)
    return read(plan.source, keep_order=in_order, allow_empty=may_be_empty, **plan.reading)


def published_on_spark(plan: Plan, settings: SparkSettings, progress: Progress) -> tuple[Outcome, list[str]]:
    """Publish what the plan names on Spark; return the outcome, and what to know about it."""
    from disjoin.engines.spark.ready import ready
    from disjoin.engines.spark.session import session_for
    from disjoin.engines.spark.sources import frame_of
    from disjoin.engines.spark.staging import staging_in
    from disjoin.spark import publish_frame

    if not isinstance(plan.method, Disassociation):
        raise InvalidParameter(f"Spark supports only disassociation, not {plan.method.name}.")
    if not isinstance(plan.source, str):
        raise InvalidParameter(
            "Spark reads databases by itself: make a frame of the query, and call disjoin.spark.disassociate in Python."
        )
    require_possible(plan.method)
    split = plan.reading.get("split")
    with staging_in(settings.staging) as staging, session_for(settings) as session:  # which ends before the folder
        jobs = ready(session, staging, settings, progress)
        frame = frame_of(session, plan.source, plan.reading)
        outcome = publish_frame(frame, plan.method, settings, progress, split=split, jobs=jobs)
    return outcome, list(outcome.private["warnings"])


def _people(plan: Plan) -> MixedRecords:
    """Read people, with the columns that the method publishes, and hierarchies of these."""
    method: Any = plan.method
    reading = dict(plan.reading)
    folder = reading.pop("hierarchies", None)
    data = read_people(plan.source, **reading, columns=(*method.quasi, *method.sensitive_columns))
    return data if folder is None else data.with_hierarchies(hierarchies_of(data.table, method.quasi, folder))


def about_what_was_read(data: Original) -> list[str]:
    """Return sentences about columns that are left out, and terms or values that may stand for blanks."""
    if isinstance(data, Transactions):
        facts = intake_of(data) | {"possible_blanks": blanks_in(data)}
        return [*describing_sentences(facts), *blank_sentences(facts)]
    found = possible_blanks_in(data.table if isinstance(data, MixedRecords) else data)
    return [table_blank_words(found)] if found else []


def about_the_plan(plan: Plan, data: Original) -> list[str]:
    """Return what to know before the plan is carried out on these data."""
    return [*plan.method.warnings(data), *_found_out(plan, data)]


def _found_out(plan: Plan, data: Original) -> list[str]:
    """Warn about what reading found out from the records, where no one record may decide anything."""
    if not isinstance(data, Transactions) or not getattr(plan.method, "may_be_empty", False):
        return []
    options = DECIDED_BY.get(data.intake.format, {})
    missing = [flag for name, flag in options.items() if name not in plan.reading]
    if not missing:
        return []
    return [
        "how the file is to be read was found out from the file, where one record may decide about all others. Give "
        f"{' and '.join(missing)}: then none does."
    ]


def intake_in(data: Original) -> dict[str, Any]:
    """Return what was read, in numbers."""
    if isinstance(data, MixedRecords):
        found = data.intake
        return {"people": len(data), "people_without_terms": data.without_terms, "ids_without_row": found.without_row}
    if isinstance(data, Table):
        return {"records": len(data), "columns": len(data.schema.columns)}
    return intake_of(data)
