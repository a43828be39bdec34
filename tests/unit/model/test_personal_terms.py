"""Vocabularies that may name people, and those that do not."""

import pytest

from disjoin.errors import InvalidParameter
from disjoin.model.input_checks import looks_personal

HARMLESS = {
    "ICD codes": [f"{letter}{number:02d}.{number % 10}" for letter in "EIJKN" for number in range(10, 40)],
    "products": ["red wine", "white bread", "SET OF 3 CAKE TINS", "MR ROBOT SOFT TOY", "12 pencils", "FRYING PAN RED"]
    * 1
    + [f"box no {number}" for number in range(200)],
    "pages": [f"/shop/{name}.html" for name in ("tea", "milk", "anna", "bread")] + ["https://example.org/a/12-34"],
    "categories": ["gold", "silver", "meat and sausage", "fruit/vegetables"],
    "item numbers": [str(number) for number in range(10_000, 10_400)],
    "barcodes": [f"40{number:011d}" for number in range(100)],
    "units": ["500 g", "1.5 l", "12-pack", "2024-05-31", "7.5.2024"],
    "UUIDs of items": [f"1b4e28ba-2fa1-11d2-883f-{number:012x}" for number in range(50)],
}
PERSONAL = {
    "contains e-mail addresses": ["tea", "write to a.weber@mail.example.org"],
    "contains telephone numbers": ["tea", "call +49 30 1234567"],
    "contains values that look like names": ["tea", "milk", "gift for Mrs Weber"],
    "contains values that look like postal addresses": ["tea", "flowers to 12 High Street"],
    "contains US social security numbers": [f"123-45-{number:04d}" for number in range(20)],
    "contains Polish personal numbers": ["44051401359"] * 10,
    "looks like free text": [
        "the patient was seen today and feels well",
        "no fever since the fall and the wound is dry",
    ],
}


@pytest.mark.parametrize("what", HARMLESS)
def test_terms_of_things_are_not_flagged(what):
    assert looks_personal(HARMLESS[what], [1] * len(HARMLESS[what])) is None


@pytest.mark.parametrize("reason", PERSONAL)
def test_terms_of_people_are_flagged_with_a_reason(reason):
    assert looks_personal(PERSONAL[reason], [1] * len(PERSONAL[reason])) == reason


def test_one_address_among_many_frequent_terms_is_enough():
    terms = [f"item {number}" for number in range(5000)] + ["a@b.example"]
    assert looks_personal(terms, [100] * 5000 + [1]) == "contains e-mail addresses"


def test_names_that_many_people_share_are_titles_unless_they_are_most_of_the_terms():
    films = ["Anna Karenina", *(f"film {letter}" for letter in "abcdefghij")]
    assert looks_personal(films, [90] * 11) is None
    doctors = ["Anna Weber", "Peter Smith", "Maria Costa", "Dr. Lang"]
    assert looks_personal(doctors, [90] * 4) == "contains values that look like names"


def test_no_reason_contains_a_term():
    for terms in PERSONAL.values():
        reason = looks_personal(terms, [1] * len(terms))
        assert reason is not None and not any(term in reason for term in terms)


def test_terms_and_counts_belong_together():
    with pytest.raises(InvalidParameter, match="every term needs a count: found 1 terms and 2 counts"):
        looks_personal(["tea"], [1, 2])


BY_LANGUAGE = {  # three values that name people, among goods; not used to tune the patterns
    "English": ["flowers for Mrs Hopkins", "Elizabeth Warner", "birthday of Dr Singh"],
    "German": ["Blumen für Frau Lehmann", "Wolfgang Krause", "Hr. Albrecht, Nachbar"],
    "French": ["fleurs pour Mme Fontaine", "Philippe Roussel", "livraison Madame Colin"],
    "Spanish": ["flores para la señora Ortega", "Francisco Navarro", "Sra. Vidal"],
    "Italian": ["fiori per la signora Colombo", "Giuseppe Rinaldi", "Sig. Moretti"],
    "Dutch": ["bloemen voor mevrouw Kuipers", "Hendrik van den Berg", "dhr. Postma"],
    "Polish": ["kwiaty dla pani Mazur", "Tomasz Wróbel", "Barbara Pawlak"],
    "Portuguese": ["flores para a senhora Moreira", "Manuel Teixeira", "Dra. Fonseca"],
    "Finnish": ["kukkia rouva Lehtoselle", "Mikko Rantanen", "Anneli Koskinen"],
    "Swedish": ["blommor till fru Lindqvist", "Erik Sandberg", "Karin Holm"],
    "Russian": ["цветы для г-жи Орловой", "Сергей Волков", "Ольга Зайцева"],  # noqa: RUF001
}
SHOP = [f"{name} {kind}" for name in ("tea", "Brot", "lait", "queso", "latte", "kaas", "ser") for kind in range(12)]


@pytest.mark.parametrize("language", BY_LANGUAGE)
def test_names_are_found_in_several_languages(language):
    terms = [*SHOP, *BY_LANGUAGE[language]]
    counts = [9] * len(SHOP) + [1] * 3
    assert looks_personal(terms, counts) == "contains values that look like names"


STREETS = ["Ahornweg 14", "8 rue Pasteur", "Calle Serrano 41", "via Manzoni 6", "Herengracht 502", "ul. Krucza 9"]
STREETS += ["Rua do Ouro 77", "Aleksanterinkatu 30", "Drottninggatan 15", "310 Maple Avenue", "Av. Roma 12"]
TELEPHONES = ["0221 4567890", "01 44 55 66 77", "212-555-0147", "0161 496 0000", "654 321 987", "tel. 0478/123456"]


@pytest.mark.parametrize(("values", "what"), [(STREETS, "postal addresses"), (TELEPHONES, "telephone numbers")])
def test_addresses_and_numbers_of_several_countries_are_found(values, what):
    found = [looks_personal([*SHOP, value, value + " b"], [9] * len(SHOP) + [1, 1]) for value in values]
    assert found == [f"contains values that look like {what}"] * len(values)


CODES = {  # like telephone numbers and titles, yet numbers of goods, codes of drugs, songs
    "drugs": ["00173-0682-20", "0071-0155-23", "00173068220", "63459-0412-30"],
    "goods": ["0012000001291", "0028400090896", "00312547427036", "978-3-16-148410-0"],
    "tablets": ["Gliclazide MR tablets", "Diltiazem SR capsules", "Mesalazine DR tablets", "MS Contin"],
    "songs": ["I Miss You", "Miss You Much", "Der Herr der Ringe", "Here Comes the Sun"],
    "diagnoses": ["Crohn disease", "Fracture of radius, left", "St. Louis encephalitis", "Down syndrome"],
}


@pytest.mark.parametrize("what", CODES)
def test_codes_and_titles_are_no_people(what):
    assert looks_personal([*SHOP, *CODES[what]], [9] * len(SHOP) + [1] * len(CODES[what])) is None
