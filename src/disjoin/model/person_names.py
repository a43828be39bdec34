"""Which columns name people, as far as the name of a column tells."""

from __future__ import annotations

import re

_PERSON = (
    "patient|person|people|customer|client|user|subject|member|student|pupil|employee|citizen|resident|individual|"
    "participant|respondent|beneficiary|insured|borrower|reader|household|donor|passenger|cardholder|owner|"
    "kunde|kunden|versicherte|versicherten|mitglied|personal"
)
_OF_A_PERSON = "mrn|ssn|nin|nhs|nhsnumber|pesel|nif|dni|ahv|svnr|sozialversicherungsnummer|email|phone|pid|uid"
_ABOUT_A_PERSON = "visit|encounter|admission|hadm|stay|case|fall|episode|account|policy|card|contract|record|row"
_NUMBER = "id|no|nr|num|number|nummer|key|code|ref"
_OF_PEOPLE = rf"({_PERSON})s?({_NUMBER}|name)?|{_OF_A_PERSON}"
_IS_OF_PEOPLE = re.compile(rf"({_OF_PEOPLE})$")
_IS_PERSON = re.compile(rf"(id|name|fullname|{_OF_PEOPLE}|({_ABOUT_A_PERSON})({_NUMBER}))$")


def names_people(name: str) -> bool:
    """Tell whether a column of this name numbers people and nothing else; `id` and `name` may be of anything.

    >>> names_people("CustomerID"), names_people("id"), names_people("visit_id"), names_people("InvoiceNo")
    (True, False, False, False)
    """
    return _IS_OF_PEOPLE.match(_plain(name)) is not None


def names_a_person(name: str) -> bool:
    """Tell whether a column of this name usually says who somebody is, or numbers people or what is theirs alone.

    >>> names_a_person("patient_id"), names_a_person("Customer No"), names_a_person("MRN"), names_a_person("id")
    (True, True, True, True)
    >>> names_a_person("visit_id"), names_a_person("visit")
    (True, False)
    >>> names_a_person("InvoiceNo"), names_a_person("diagnosis"), names_a_person("age")
    (False, False, False)
    """
    return _IS_PERSON.match(_plain(name)) is not None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
