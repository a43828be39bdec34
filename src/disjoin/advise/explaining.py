"""What goes with the advice: on what settings were tried, what exposure means, and what was not measured."""

from __future__ import annotations

from disjoin.advise.columns import columns_for
from disjoin.advise.survey import Survey
from disjoin.words import counted

VERIFIED = (
    "Every setting published them, and the inspector accepted that before it was measured. No release was written."
)


def what_was_tried(survey: Survey) -> str:
    """Say on which records settings were tried."""
    grid = survey.grid
    m = f"m = {grid.ms[0]}" if len(grid.ms) == 1 else f"m = {', '.join(map(str, grid.ms))}"
    hidden = f", {counted(len(grid.sensitive), 'sensitive term')}" if grid.sensitive else ""
    limited = f", l = {grid.l}" if grid.l else ""
    return f"{counted(survey.records, 'record')} with {counted(survey.terms, 'term')}; {m}{hidden}{limited}."


def about_the_part(survey: Survey) -> str:
    """Say what a part of the records is good for; nothing if all were taken."""
    if survey.records == survey.whole:
        return ""
    return (
        f"These are {survey.records:,} of {survey.whole:,} records, chosen by a hash of their terms. In a part crowds "
        "are smaller, so less of it can be kept, and its core is not that of the whole. Take this as a hint, and try "
        "all records before you decide."
    )


def what_exposed_means(survey: Survey) -> str:
    """Say what exposure is, and that the promise is about something else."""
    yardstick, least = survey.grid.yardstick, survey.grid.ms[0]
    return (
        f"A record is exposed if {yardstick.in_words()}. The promise is about somebody who knows up to "
        f"{counted(least, 'term')} of a record, and all settings keep it; exposed is who may be found by somebody who "
        f"knows {yardstick.terms}. All settings are measured by the same {yardstick.terms} and {yardstick.below}, "
        f"whatever their own m and k. Of clusters with several chunks the share is an upper bound.{_beyond(survey)}"
    )


def _beyond(survey: Survey) -> str:
    """Say so if some settings promise what others are measured by."""
    terms = survey.grid.yardstick.terms
    if survey.grid.ms[-1] < terms:
        return ""
    return (
        f" Those with m = {terms} or more promise that nobody is exposed so; what somebody finds who knows still more "
        "is not in these numbers."
    )


def why_not(survey: Survey) -> list[str]:
    """Say of every setting without figures why it has none."""
    return [f"{survey.name(entry)} has no figures. {entry.failure}" for entry in survey.entries if entry.failure]


def meanings(survey: Survey) -> list[tuple[str, str]]:
    """Return the columns' titles with what they mean."""
    return [(column.title, column.meaning) for column in columns_for(survey.grid.yardstick).values()]
