"""The values of the make-believe census, and what they generalise to.

People, postcodes and shares are invented; only their proportions are meant to look like those of a country.
"""

from __future__ import annotations

ANY = "*"
AGES = range(16, 96)
HOURS = (0, 8, 10, 12, 16, 20, 24, 28, 30, 32, 35, 37, 38, 40, 42, 45, 48, 50, 55, 60)
SEXES = ("female", "male")
INCOMES = ("below 20k", "20k-40k", "40k-70k", "70k and more")
REGIONS, AREAS, DISTRICTS = 9, 6, 8

EDUCATION = {
    "no certificate": "basic",
    "lower secondary": "basic",
    "upper secondary": "secondary",
    "apprenticeship": "secondary",
    "associate degree": "tertiary",
    "bachelor": "tertiary",
    "master": "tertiary",
    "doctorate": "tertiary",
}
MARITAL = {
    "single": "never married",
    "married": "in a couple",
    "civil partnership": "in a couple",
    "separated": "no longer in a couple",
    "divorced": "no longer in a couple",
    "widowed": "no longer in a couple",
}
# Those who work come first, in the order of the tables of `census_shares`.
OCCUPATION = {
    "manager": "professional",
    "physician": "professional",
    "engineer": "professional",
    "teacher": "professional",
    "analyst": "office",
    "office clerk": "office",
    "nurse": "service",
    "police officer": "service",
    "sales assistant": "service",
    "cook": "service",
    "cleaner": "service",
    "electrician": "manual",
    "mechanic": "manual",
    "construction worker": "manual",
    "driver": "manual",
    "farmer": "manual",
    "student": "not employed",
    "retired": "not employed",
    "not working": "not employed",
}
DIAGNOSIS = {
    "no finding": "healthy",
    "influenza": "respiratory",
    "bronchitis": "respiratory",
    "asthma": "respiratory",
    "pneumonia": "respiratory",
    "hypertension": "circulatory",
    "coronary heart disease": "circulatory",
    "stroke": "circulatory",
    "diabetes": "metabolic",
    "thyroid disorder": "metabolic",
    "back pain": "musculoskeletal",
    "arthritis": "musculoskeletal",
    "fracture": "musculoskeletal",
    "depression": "mental",
    "anxiety disorder": "mental",
    "dementia": "mental",
    "breast cancer": "cancer",
    "prostate cancer": "cancer",
    "colon cancer": "cancer",
    "HIV": "infectious",
    "hepatitis C": "infectious",
    "pregnancy": "pregnancy",
}


def postcodes() -> list[str]:
    """Return all postcodes, region by region and area by area: the first digit is the region, the first two the area.

    >>> len(postcodes()), postcodes()[0]
    (432, '10103')
    """
    places = [(r, a, d) for r in range(1, REGIONS + 1) for a in range(AREAS) for d in range(DISTRICTS)]
    return [f"{r}{a}{d + 1}{(37 * d + 11 * a + 3) % 100:02}" for r, a, d in places]


COLUMNS: dict[str, tuple[str, ...]] = {
    "age": tuple(map(str, AGES)),
    "sex": SEXES,
    "postcode": tuple(postcodes()),
    "education": tuple(EDUCATION),
    "marital_status": tuple(MARITAL),
    "occupation": tuple(OCCUPATION),
    "hours": tuple(map(str, HOURS)),
    "income": INCOMES,
    "diagnosis": tuple(DIAGNOSIS),
}


def census_hierarchies() -> dict[str, list[tuple[str, ...]]]:
    """Return what every column generalises to: one row per value, from the value up to `*`.

    >>> census_hierarchies()["age"][7], census_hierarchies()["postcode"][0]
    (('23', '20-24', '20-29', '16-39', '*'), ('10103', '10***', '1****', '*'))
    """
    return {
        "age": [(str(age), _band(age, 5), _band(age, 10), _generation(age), ANY) for age in AGES],
        "sex": [(sex, ANY) for sex in SEXES],
        "postcode": [(code, code[:2] + "***", code[0] + "****", ANY) for code in postcodes()],
        "education": [(value, group, ANY) for value, group in EDUCATION.items()],
        "marital_status": [(value, group, ANY) for value, group in MARITAL.items()],
        "occupation": [(value, group, _employment(group), ANY) for value, group in OCCUPATION.items()],
        "hours": [(str(hours), _working_time(hours), "none" if not hours else "some", ANY) for hours in HOURS],
        "income": [(income, "below 40k" if income in INCOMES[:2] else "40k and more", ANY) for income in INCOMES],
        "diagnosis": [(value, group, ANY) for value, group in DIAGNOSIS.items()],
    }


def _band(age: int, width: int) -> str:
    first = age - age % width
    return f"{max(first, AGES.start)}-{min(first + width, AGES.stop) - 1}"


def _generation(age: int) -> str:
    first, last = next(bounds for bounds in ((16, 39), (40, 59), (60, 95)) if age <= bounds[1])
    return f"{first}-{last}"


def _employment(group: str) -> str:
    return group if group == "not employed" else "employed"


def _working_time(hours: int) -> str:
    return "none" if hours == 0 else "part time" if hours < 35 else "full time" if hours <= 42 else "long hours"
