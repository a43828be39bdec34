"""What to say about records or a table that were read, before they are published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from disjoin.cli.screen import say

if TYPE_CHECKING:
    from disjoin.model import Table, Transactions


def tell_possible_blanks(data: Transactions | Table) -> None:
    """Print, on standard error, the terms or values that may stand for blanks."""
    from disjoin.model import Transactions
    from disjoin.report.intake_words import (
        blank_sentences,
        blanks_in,
        intake_of,
        possible_blanks_in,
        table_blank_words,
    )

    if isinstance(data, Transactions):
        sentences = blank_sentences(intake_of(data) | {"possible_blanks": blanks_in(data)})
    else:
        found = possible_blanks_in(data)
        sentences = [table_blank_words(found)] if found else []
    for sentence in sentences:
        say(f"Note: {sentence[0].lower()}{sentence[1:]}", err=True)
