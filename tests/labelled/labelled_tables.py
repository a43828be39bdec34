"""Fifty-two labelled tables: hospitals, surveys, registers, shops, web logs, schools, offices, and some without people.

A column is (concept, values, label). Labels: P person, V event, T terms, D describes a person, E describes an event,
S sensitive, M measure, F free text, C constant, K key of a thing; "T/S" accepts either. `headers.py` names concepts.
"""

from datetime import date, timedelta

import numpy as np

from labelled.drawing import DRUGS, FIRST, GOODS, ICD, TOWNS, Draw, spread

SEXES, CREEDS = ["f", "m"], ["catholic", "protestant", "muslim", "jewish", "none", "buddhist"]
JOBS = ["teacher", "nurse", "driver", "clerk", "cook", "farmer"]


def tables(seed=0):
    """Return (name, [(concept, values, label), ...]) of every table."""
    names = {make.__name__: make for make in MADE}
    return [(name.replace("_", " "), make(Draw([seed, *name.encode()]))) for name, make in names.items()]


MADE = []


def made(make):
    MADE.append(make)
    return make


def people_columns(draw, many, rows=None, codes=60):
    """Draw age, sex and postcode of people, in every row of each."""
    rows = range(many) if rows is None else rows
    return [
        ("age", spread(rows, draw.whole(0, 95, many)), "D"),
        ("sex", spread(rows, draw.of(SEXES, many)), "D"),
        ("zip", spread(rows, draw.postcodes(many, codes)), "D"),
    ]


def visits(draw, many, most_visits=4, most_rows=4):
    """Draw for every row its visit, and the person of every visit."""
    whose = draw.groups(many, 1, most_visits)
    return draw.groups(len(whose), 1, most_rows), whose


# -- hospitals


@made
def hospital_in_order(draw):
    rows = draw.groups(300)
    ids = [f"P{number:05d}" for number in draw.different(1, 99_999, 300)]
    return [
        ("patient", spread(rows, ids), "P"),
        *people_columns(draw, 300, rows),
        ("diagnosis", draw.of(ICD, len(rows), 0.8), "T/S"),
        ("date", draw.days(len(rows)), "E"),
        ("ward", draw.of(list("ABCDEFGH"), len(rows)), "E"),
    ]


@made
def hospital_shuffled_with_numbers_from_1(draw):
    rows = draw.shuffled(draw.groups(250))
    return [
        ("patient", spread(rows, range(1, 251)), "P"),
        *people_columns(draw, 250, rows),
        ("diagnosis", draw.of(ICD, len(rows), 0.8), "T/S"),
        ("amount", draw.money(len(rows), 5, comma=True), "M"),
    ]


@made
def patients_and_visits(draw):
    rows, whose = visits(draw, 200)
    return [
        ("patient", spread(whose[rows], draw.different(100_000, 999_999, 200)), "P"),
        ("visit", spread(rows, draw.different(10**6, 10**7, len(whose))), "V"),
        ("date", spread(rows, draw.days(len(whose))), "E"),
        ("sex", spread(whose[rows], draw.of(["F", "M"], 200)), "D"),
        ("birth year", spread(whose[rows], draw.whole(1930, 2015, 200)), "D"),
        ("diagnosis", draw.of(ICD, len(rows), 0.7), "T/S"),
    ]


@made
def visit_number_in_every_row(draw):
    rows = draw.groups(220, 1, 5)
    ids = [f"{one}-{two}" for one, two in zip(draw.whole(10, 99, 220), draw.different(1000, 9999, 220), strict=True)]
    return [
        ("visit", draw.different(10**5, 10**6, len(rows)), "V"),
        ("patient", spread(rows, ids), "P"),
        ("birth", spread(rows, draw.births(220, "%d.%m.%Y")), "D"),
        ("ward", draw.of(["cardiology", "surgery", "paediatrics", "intensive care"], len(rows)), "E"),
        ("drug", draw.of(DRUGS, len(rows), 0.7), "T/S"),
    ]


@made
def a_row_per_patient_with_lists(draw):
    return [
        ("patient", draw.uuids(400), "P"),
        *people_columns(draw, 400),
        ("diagnosis", draw.lists(ICD, 400), "T/S"),
        ("notes", draw.sentences(400), "F"),
    ]


@made
def names_in_place_of_ids(draw):
    rows = draw.groups(150, 2, 9)
    return [
        ("name", spread(rows, draw.names(150)), "P"),
        ("birth", spread(rows, draw.births(150)), "D"),
        ("drug", draw.of(DRUGS, len(rows), 0.6), "T/S"),
        ("date", draw.days(len(rows), form="%d/%m/%Y"), "E"),
    ]


@made
def hashed_ids(draw):
    rows = draw.shuffled(draw.groups(260, 1, 6))
    return [
        ("patient", spread(rows, draw.hashes(260, 16)), "P"),
        ("diagnosis", draw.of(ICD, len(rows), 0.9), "T/S"),
        ("age", spread(rows, draw.whole(0, 99, 260)), "D"),
    ]


@made
def conditions_in_omop(draw):
    rows = draw.groups(300)
    concepts = draw.different(40_000, 4_400_000, 90)
    return [
        ("row", range(1, len(rows) + 1), "V"),
        ("patient", spread(rows, range(1, 301)), "P"),
        ("concept", draw.of(concepts, len(rows), 0.9), "T/S"),
        ("date", draw.days(len(rows)), "E"),
        ("source", ["32020"] * len(rows), "C"),
    ]


@made
def persons_in_omop(draw):
    return [
        ("patient", range(1, 501), "P"),
        ("concept", draw.of([8507, 8532], 500), "D"),
        ("birth year", draw.whole(1925, 2015, 500), "D"),
        ("country", draw.of([8527, 8516, 8515], 500), "D"),
    ]


@made
def observations_in_fhir(draw):
    rows = draw.groups(240)
    minutes = zip(draw.days(len(rows)), draw.whole(0, 60, len(rows)), strict=True)
    codes = [f"{one}-{one % 9}" for one in draw.different(1000, 99_999, 40)]
    return [
        ("visit", [f"Observation/{text}" for text in draw.uuids(len(rows))], "V"),
        ("patient", spread(rows, [f"Patient/{text}" for text in draw.uuids(240)]), "P"),
        ("sex", spread(rows, draw.of(["female", "male"], 240)), "D"),
        ("concept", draw.of(codes, len(rows), 0.8), "T/S"),
        ("score", draw.normal(100, 15, len(rows)), "M/E"),
        ("time", [f"{day}T08:{minute:02d}:00Z" for day, minute in minutes], "E"),
    ]


@made
def blanks_and_mixed_case(draw):
    rows = draw.groups(180, 3, 12)
    letters = zip(draw.of(["ab", "cd", "ef"], 180), draw.different(0, 9999, 180), strict=True)
    return [
        ("patient", spread(rows, [f"{letter}{number:04d}" for letter, number in letters]), "P"),
        ("sex", draw.messy(spread(rows, draw.of(["w", "m"], 180))), "D"),
        ("diagnosis", draw.messy(draw.of(ICD, len(rows), 0.8)), "T/S"),
        ("height", draw.messy(spread(rows, draw.normal(1.7, 0.1, 180, 2, comma=True))), "D/M"),
    ]


# -- surveys


@made
def survey_without_ids(draw):
    return [
        *people_columns(draw, 600),
        ("education", draw.of(["primary", "secondary", "bachelor", "master"], 600), "D"),
        ("party", draw.of(["green", "red", "blue", "none"], 600), "D/S"),
        ("answer", draw.whole(1, 6, 600), "D/E"),
        ("religion", draw.of(CREEDS, 600), "S"),
    ]


@made
def survey_with_row_numbers(draw):
    incomes = (draw.random.lognormal(10, 0.5, 500).astype(int) // 100 * 100).tolist()
    return [
        ("row", range(1, 501), "P"),
        *people_columns(draw, 500),
        ("income", incomes, "S/M"),
        ("interests", draw.lists(GOODS, 500, ", "), "T"),
    ]


@made
def census_with_birth_dates(draw):
    return [
        ("birth", draw.births(450, "%d.%m.%Y"), "D"),
        ("sex", draw.of(["1", "2"], 450), "D"),
        ("zip", draw.of([f"0{number}" for number in draw.different(1000, 9999, 80)], 450), "D"),
        ("marital", draw.of(["single", "married", "divorced", "widowed"], 450), "D"),
        ("job", draw.of(JOBS, 450), "D"),
        ("income", draw.money(450, 8), "S/M"),
    ]


@made
def decimal_commas(draw):
    return [
        ("number", draw.different(1000, 9999, 350), "P"),
        ("height", draw.normal(1.72, 0.1, 350, 2, comma=True), "D/M"),
        ("weight", draw.normal(75, 12, 350, 1, comma=True), "D/M"),
        ("birth year", draw.whole(1940, 2004, 350), "D"),
        ("income", draw.money(350, 8, comma=True), "S/M"),
    ]


@made
def numbers_written_as_floats(draw):
    return [
        ("number", [f"{number}.0" for number in draw.different(1000, 9999, 300)], "P"),
        ("age", draw.messy([f"{age}.0" for age in draw.whole(18, 90, 300)]), "D"),
        ("weight", draw.normal(75, 12, 300), "D/M"),
        ("answer", draw.of(["yes", "no"], 300), "D/E"),
    ]


@made
def survey_with_e_mail(draw):
    return [
        ("email", draw.messy(draw.emails(400), 0.08), "P"),
        ("age", draw.messy(draw.whole(18, 80, 400)), "D"),
        ("answer", draw.of(["yes", "no", "undecided"], 400), "D/E"),
        ("notes", draw.sentences(400, 6, 20), "F"),
    ]


@made
def names_and_telephones(draw):
    lines = zip(draw.whole(150, 180, 120), draw.different(10**6, 10**7, 120), strict=True)
    return [
        ("last name", draw.surnames(120), "P"),
        ("first name", draw.of(FIRST, 120), "P"),
        ("phone", [f"+49 {one} {two}" for one, two in lines], "P"),
        ("zip", draw.postcodes(120, 50), "D"),
        ("city", draw.of(TOWNS, 120), "D"),
    ]


@made
def numbers_used_again_at_every_site(draw):
    return [
        ("site", [f"Z{place // 30 + 1}" for place in range(300)], "D/E"),
        ("number", [place % 30 + 1 for place in range(300)], "P"),
        ("age", draw.whole(18, 90, 300), "D"),
        ("sex", draw.of(SEXES, 300), "D"),
        ("score", draw.whole(0, 40, 300), "M/D"),
    ]


@made
def study_of_25(draw):
    return [
        ("patient", [f"S-{place:02d}" for place in range(1, 26)], "P"),
        ("age", draw.whole(20, 60, 25), "D"),
        ("sex", draw.of(SEXES, 25), "D"),
        ("score", draw.whole(0, 100, 25), "M/D"),
    ]


@made
def wearables_of_30(draw):
    rows = draw.groups(30, 20, 40)
    hours = zip(draw.whole(1, 29, len(rows)), draw.whole(0, 24, len(rows)), strict=True)
    return [
        ("patient", spread(rows, [f"W{place:02d}" for place in range(30)]), "P"),
        ("time", [f"2024-05-{day:02d} {hour:02d}:15" for day, hour in hours], "E"),
        ("score", draw.whole(50, 160, len(rows)), "M/E"),
        ("sex", spread(rows, draw.of(SEXES, 30)), "D"),
    ]


@made
def panel_in_twelve_waves(draw):
    rows = draw.groups(70, 12, 13)
    return [
        ("employee", spread(rows, [f"E{number:04d}" for number in draw.different(1, 9999, 70)]), "P"),
        ("wave", [place % 12 + 1 for place in range(len(rows))], "E/D/M"),
        ("salary", draw.money(len(rows), 7), "M/S"),
        ("grade", spread(rows, draw.of(["A", "B", "C"], 70)), "D"),
    ]


@made
def daily_answers(draw):
    rows = draw.groups(60, 8, 14)
    return [
        ("number", spread(rows, range(201, 261)), "P"),
        ("day", [place % 13 + 1 for place in range(len(rows))], "E/D/M"),
        ("score", draw.whole(1, 8, len(rows)), "E/D/M"),
        ("notes", draw.sentences(len(rows), 8, 25), "F"),
    ]


# -- registers with national numbers


def register(draw, concept, values):
    return [
        (concept, values, "P"),
        ("age", draw.whole(18, 90, len(values)), "D"),
        ("city", draw.of(TOWNS, len(values)), "D"),
        ("amount", draw.money(len(values)), "M"),
    ]


@made
def register_with_pesel(draw):
    return register(draw, "social security", draw.pesels(200))


@made
def register_with_dni(draw):
    return register(draw, "social security", draw.dnis(200))


@made
def register_with_hetu(draw):
    return register(draw, "social security", draw.hetus(200))


@made
def register_with_iban(draw):
    return register(draw, "account", draw.ibans(200))


@made
def register_with_payment_cards(draw):
    return register(draw, "card", draw.cards(200))


@made
def social_security_in_several_rows(draw):
    rows = draw.groups(280, 1, 4)
    parts = zip(draw.whole(100, 800, 280), draw.whole(1, 99, 280), draw.whole(0, 9999, 280), strict=True)
    return [
        ("social security", spread(rows, [f"{one}-{two:02d}-{three:04d}" for one, two, three in parts]), "P"),
        ("drug", draw.of(DRUGS, len(rows), 0.8), "T/S"),
        ("price", draw.money(len(rows), 3), "M"),
    ]


# -- shops


@made
def orders_of_customers(draw):
    rows, whose = visits(draw, 150, 4, 8)
    marks = zip(draw.different(20_000, 90_000, 120), draw.of(["", "", "A", "B"], 120), strict=True)
    what = np.array(draw.of(range(120), len(rows), 1.0))
    return [
        ("invoice", spread(rows, range(536_365, 536_365 + len(whose))), "V"),
        ("article number", spread(what, [f"{number}{mark}" for number, mark in marks]), "T/K"),
        ("product", spread(what, [f"{good} {place} box" for place, good in enumerate(draw.of(GOODS, 120))]), "T/K"),
        ("quantity", draw.whole(1, 24, len(rows)), "M/E"),
        ("date", spread(rows, draw.days(len(whose))), "E"),
        ("price", spread(what, draw.money(120, 1)), "M"),
        ("customer", spread(whose[rows], draw.different(12_346, 18_287, 150)), "P"),
        ("country", spread(whose[rows], draw.of(["UK", "DE", "FR"], 150)), "D"),
    ]


@made
def loyalty_cards(draw):
    rows = draw.groups(200, 2, 12)
    return [
        ("card", spread(rows, [f"2{number:012d}" for number in draw.different(0, 10**8, 200)]), "P"),
        ("product", draw.of(GOODS, len(rows), 0.6), "T"),
        ("date", draw.days(len(rows)), "E"),
        ("amount", draw.money(len(rows), 2), "M"),
    ]


@made
def baskets_in_two_columns(draw):
    rows = draw.groups(300, 2, 8)
    return [("invoice", spread(rows, range(1, 301)), "P/V"), ("product", draw.of(GOODS, len(rows), 0.8), "T")]


@made
def ratings(draw):
    rows = draw.shuffled(draw.groups(400, 3, 20))
    return [
        ("user", spread(rows, range(1, 401)), "P"),
        ("product", draw.of(range(1, 151), len(rows), 0.9), "T"),
        ("score", draw.whole(1, 6, len(rows)), "M/E"),
        ("time", draw.whole(880_000_000, 890_000_000, len(rows)), "E"),
    ]


@made
def a_row_per_customer(draw):
    return [
        ("customer", [f"C-{number}" for number in draw.different(10_000, 99_999, 250)], "P"),
        ("name", draw.names(250), "P"),
        ("email", draw.emails(250), "P"),
        ("city", draw.of(TOWNS, 250), "D"),
        ("amount", draw.money(250, 6), "M"),
        ("status", draw.of(["gold", "silver"], 250), "D"),
    ]


@made
def library_loans(draw):
    rows = draw.groups(180, 1, 6)
    titles = [f"{name} {place}" for place, name in enumerate(draw.surnames(90))]
    return [
        ("user", spread(rows, draw.different(7_000_000, 7_999_999, 180)), "P"),
        ("book", draw.of(titles, len(rows), 0.6), "T"),
        ("date", draw.days(len(rows)), "E"),
        ("age", spread(rows, draw.whole(6, 90, 180)), "D"),
    ]


# -- the web


@made
def clicks_in_sessions(draw):
    rows, whose = visits(draw, 150, 4, 8)
    return [
        ("user", spread(whose[rows], [f"u{number}" for number in draw.different(100, 9999, 150)]), "P"),
        ("session", spread(rows, draw.hashes(len(whose), 12)), "V"),
        ("page", draw.of([f"/shop/{good}.html" for good in GOODS], len(rows), 0.8), "T"),
        ("time", draw.whole(1_700_000_000, 1_710_000_000, len(rows)), "E"),
        ("device", spread(rows, draw.of(["mobile", "desktop"], len(whose))), "E/D"),
    ]


@made
def search_log(draw):
    rows = draw.groups(200, 2, 9)
    words = GOODS + TOWNS + ["cheap", "near", "how", "to", "fix", "best", "open", "today"]
    clock = zip(*(draw.whole(low, high, len(rows)) for low, high in ((1, 29), (0, 24), (0, 60))), strict=True)
    return [
        ("user", spread(rows, draw.different(100, 99_999, 200)), "P"),
        ("query", [" ".join(draw.of(words, many)) for many in draw.whole(1, 4, len(rows))], "T/F/S"),
        ("time", [f"2006-03-{day:02d} {hour:02d}:11:{second:02d}" for day, hour, second in clock], "E"),
    ]


@made
def forum_with_nick_names(draw):
    rows = draw.shuffled(draw.groups(120, 2, 12))
    nicks = [f"{name.lower()}{number}" for name, number in zip(draw.surnames(120), draw.whole(0, 99, 120), strict=True)]
    return [
        ("user", spread(rows, nicks), "P"),
        ("notes", draw.sentences(len(rows), 8, 30), "F"),
        ("date", draw.days(len(rows)), "E"),
    ]


@made
def web_server_log(draw):
    rows = draw.shuffled(draw.groups(100, 2, 12))
    return [
        ("device", spread(rows, [".".join(map(str, draw.whole(1, 255, 4))) for _ in range(100)]), "P"),
        ("page", draw.of([f"/p/{place}" for place in range(40)], len(rows), 0.8), "T"),
        ("status", draw.of([200, 404, 500], len(rows), 2), "E"),
    ]


# -- schools, offices, cars


@made
def school_marks(draw):
    rows = draw.groups(150, 6, 7)
    return [
        ("pupil", spread(rows, draw.different(3_000_000, 3_999_999, 150)), "P"),
        ("subject", ["maths", "german", "art", "music", "sport", "physics"] * 150, "T/E"),
        ("grade", draw.whole(1, 7, len(rows)), "M/E"),
        ("birth year", spread(rows, draw.whole(2005, 2012, 150)), "D"),
    ]


@made
def staff_with_names(draw):
    return [
        ("employee", range(1001, 1321), "P"),
        ("name", draw.names(320), "P"),
        ("salary", draw.random.normal(48_000, 9000, 320).astype(int).tolist(), "S/M"),
        ("job", draw.of(JOBS, 320), "D"),
        ("date", draw.days(320, 2000, 8000), "E/D"),
    ]


@made
def staff_without_ids(draw):
    return [
        ("salary", draw.random.lognormal(10.6, 0.4, 300).astype(int).tolist(), "S/M"),
        ("sex", draw.of(SEXES, 300), "D"),
        ("age", draw.whole(18, 66, 300), "D"),
        ("job", draw.of(JOBS, 300), "D"),
    ]


@made
def insured_cars(draw):
    rows = draw.groups(220, 1, 4)
    towns, pairs = draw.of(["B", "HH", "M", "K"], 220), draw.of(["AB", "XY", "QR", "ST"], 220)
    plates = [f"{a}-{b} {c}" for a, b, c in zip(towns, pairs, draw.whole(100, 9999, 220), strict=True)]
    return [
        ("policy", spread(rows, [f"{number:09d}" for number in draw.different(10**7, 10**9, 220)]), "P"),
        ("plate", spread(rows, plates), "P"),
        ("amount", draw.money(len(rows), 6, comma=True), "M"),
        ("date", draw.days(len(rows), form="%d.%m.%Y"), "E"),
    ]


@made
def matriculation_numbers(draw):
    numbers = [f"{2018 + n % 5}/{n:04d}/{'ABCDEFGH'[n % 8]}" for n in draw.different(1, 9999, 260)]
    return [
        ("pupil", numbers, "P"),
        ("sex", draw.of(SEXES, 260), "D"),
        ("grade", draw.whole(1, 7, 260), "M/D"),
        ("region", draw.of(["north", "south", "east"], 260), "D"),
    ]


@made
def panel_by_year(draw):
    rows = draw.groups(200, 2, 5)
    return [
        ("number", spread(rows, draw.different(1, 5000, 200)), "P"),
        ("date", draw.whole(2000, 2012, len(rows)), "E"),
        ("sex", spread(rows, draw.of([1, 2], 200)), "D"),
        ("birth year", spread(rows, draw.whole(1940, 1990, 200)), "D"),
        ("income", draw.whole(800, 6000, len(rows)), "S/M"),
        ("marital", draw.of([1, 2, 3, 4], len(rows)), "D/E"),
    ]


@made
def households(draw):
    rows = draw.groups(90, 2, 7)
    inside = np.concatenate([np.arange(1, many + 1) for many in np.bincount(rows)]).tolist()
    return [
        ("number", spread(rows, draw.different(10_000, 99_999, 90)), "P"),
        ("row", inside, "D/E/M"),
        ("age", draw.whole(0, 95, len(rows)), "D/E"),
        ("sex", draw.of(SEXES, len(rows)), "D/E"),
        ("zip", spread(rows, draw.postcodes(90, 40)), "D"),
    ]


@made
def initials_and_birth_years(draw):
    letters = list("ABCDEFGHJKLMNPRST")
    pairs = zip(draw.of(letters, 300), draw.of(letters, 300), strict=True)
    return [
        ("name", [f"{one}.{two}." for one, two in pairs], "D/P"),
        ("birth year", draw.whole(1940, 2005, 300), "D"),
        ("diagnosis", draw.of(ICD, 300, 0.8), "S/D"),
    ]


# -- nobody is in these


@made
def sensors(draw):
    rows = np.tile(np.arange(12), 80)
    clock = [(place // 288 + 1, place // 12 % 24, place % 12 * 5) for place in range(len(rows))]
    return [
        ("sensor", spread(rows, [f"T{place:02d}" for place in range(12)]), "K/E"),
        ("time", [f"2024-01-{day:02d} {hour:02d}:{minute:02d}" for day, hour, minute in clock], "E"),
        ("temperature", draw.normal(20, 4, len(rows), 2), "M"),
        ("humidity", draw.whole(20, 100, len(rows)), "M"),
    ]


@made
def catalogue(draw):
    codes = zip(draw.of(["HX", "KL", "PO"], 300), draw.different(1000, 9999, 300), strict=True)
    names = zip(draw.of(["small", "large", "red"], 300), draw.of(GOODS, 300), draw.whole(1, 900, 300), strict=True)
    return [
        ("article number", [f"{one}-{two}" for one, two in codes], "K"),
        ("product", [f"{one} {two} {three}" for one, two, three in names], "K/F/D"),
        ("category", draw.of(["food", "home", "garden"], 300), "D/E"),
        ("price", draw.money(300, 2), "M"),
    ]


@made
def weather(draw):
    return [
        ("date", [(date(2020, 1, 1) + timedelta(place)).isoformat() for place in range(400)], "E/D"),
        ("temperature", draw.normal(10, 8, 400), "M"),
        ("humidity", draw.whole(20, 100, 400), "M/D"),
        ("status", draw.of(["sun", "rain", "cloud"], 400), "E/D"),
    ]


@made
def flowers(draw):
    return [
        ("temperature", draw.normal(5, 1, 500, 3), "M"),
        ("weight", draw.normal(3, 0.4, 500, 2), "M/D"),
        ("score", draw.whole(0, 30, 500), "M/D"),
        ("category", draw.of(["setosa", "virginica", "versicolor"], 500), "D/E"),
    ]


@made
def stock_of_shops(draw):
    shops = [f"Shop {town}" for town in [*TOWNS, "Bonn", "Nice", "Bari", "Vigo"]]
    rows = np.repeat(np.arange(20), 10)
    return [
        ("site", spread(rows, shops), "K/E/D"),
        ("product", GOODS[:10] * 20, "T/E/D/K"),
        ("quantity", draw.whole(0, 300, 200), "M"),
        ("price", draw.money(200, 2), "M"),
    ]
