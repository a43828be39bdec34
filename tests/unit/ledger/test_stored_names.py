"""Names of stored facts: a ledger that was begun by another version of the program can be read."""

from dataclasses import fields

from disjoin.ledger.store import LedgerEntry


def test_the_facts_of_an_entry_keep_their_names():
    assert {field.name for field in fields(LedgerEntry)} == {
        "made",
        "method",
        "parameters",
        "place",
        "again",
        "finished",
        "promise",
        "digest",
        "number",
    }
