"""The values of the make-believe census, and what they generalise to.

People, postcodes and shares are invented; only their proportions are meant to look like those of a country.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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


Floats = NDArray[np.float64]

STAGES = (16, 19, 25, 35, 50, 66, 80)  # the ages at which a stage of life begins

_MARITAL = """
single            99.5  92   52   25   13    7    5
married            0.3   6   38   56   60   58   35
civil partnership  0     0.5  3    4    3    2    1
separated          0.1   0.8  2.5  4    3.5  2    1
divorced           0.1   0.6  4   10   17   13    7
widowed            0     0.1  0.5  1    3.5 18   51
"""
_EDUCATION = """
no certificate    30    4    4    5    7   11   16
lower secondary   62   12    9   11   17   28   36
upper secondary    8   50   20   18   18   16   14
apprenticeship     0   20   25   27   30   26   22
associate degree   0    6    9   10    9    6    4
bachelor           0    8   20   16   10    7    5
master             0    0   11   11    7    5    2.5
doctorate          0    0    2    2    2    1    0.5
"""
_STATUS = """
working           14   55   88   91   80   14    1
student           84   38    6    0.5  0    0    0
retired            0    0    0    0    9   85   99
not working        2    7    6    8.5 11    1    0
"""
# By education, from no certificate to doctorate; the last number is how many women there are to a man.
_OCCUPATION = """
manager            1    2    6    6   12   17   20   14   0.5
physician          0    0    0    0    0    0    9   22   0.9
engineer           0    0    2    2   12   18   21   24   0.25
teacher            0    0    1    1    6   18   24   30   2.4
analyst            0    0    2    1    6   12   12    8   0.9
office clerk       3    9   24   17   18   15    9    2   2
nurse              0    2    6   11   14    8    2    0   6
police officer     0    1    6    5    5    4    1    0   0.4
sales assistant   14   18   17   11    7    4    1    0   1.8
cook              12   11    6    7    2    1    0    0   0.9
cleaner           25   12    3    1    0.5  0    0    0   3
electrician        1    4    5   14    6    1    0    0   0.05
mechanic           2    5    4   11    4    0    0    0   0.06
construction      20   17    5    7    2    0    0    0   0.06
driver            16   14    8    5    2    1    0.5  0   0.12
farmer             6    5    3    4    3    1    0.5  0   0.5
"""
# By stage of life, the last number is how many women there are to a man.
_DIAGNOSIS = """
no finding              70   62   52   40   25   12    6   1
influenza                9    8    7    6    5    4    4   1
bronchitis               4    4    4    4    4    5    5   1
asthma                   7    6    5    4    4    3    2   1.2
pneumonia                1    1    1    1    2    4    7   0.8
hypertension             0.2  0.7  2.5  9   20   27   27   0.9
coronary heart disease   0    0    0.2  1.5  6   11   14   0.5
stroke                   0    0.1  0.2  0.6  2    5    8   0.8
diabetes                 0.3  0.5  1    3.5  9   13   12   0.8
thyroid disorder         0.8  1.2  2    3    4    4    3   4
back pain                1.5  4    8   13   13    9    6   1
arthritis                0.1  0.2  0.7  2.5  7   12   13   1.7
fracture                 2.5  2    1.5  1.5  2    3    5   1
depression               3    5    6    6    6    4    4   1.8
anxiety disorder         4    5    5    4.5  4    2    2   1.9
dementia                 0    0    0    0    0.2  3   17   1.4
breast cancer            0    0    0.2  0.9  1.6  1.8  1.8 100
prostate cancer          0    0    0    0.1  1    2.5  3   0
colon cancer             0    0    0.1  0.3  0.8  1.6  2   0.8
HIV                      0    0.1  0.2  0.3  0.2  0.1  0   0.3
hepatitis C              0    0.1  0.2  0.3  0.4  0.3  0.2 0.6
pregnancy                0.6  4    8    2    0    0    0   1e9
"""
LONG_DAYS = (0, 1, 15)  # manager, physician, farmer: who works long
_PART_TIME = (0.42, 0.11)  # of women, of men
_OFTEN = {20: 3.0, 30: 3.0, 38: 5.0, 40: 10.0, 45: 1.5}  # hours that contracts like


def _weights(text: str) -> Floats:
    """Return the numbers of a table (lines, numbers): what follows the name, which may have blanks."""
    cells = [[cell for cell in line.split() if not cell.isalpha()] for line in text.strip().splitlines()]
    return np.array(cells, dtype=np.float64)


def _by_sex(shares: Floats, women_to_a_man: Floats) -> Floats:
    """Return shares (sex, what is known, values) from (values, what is known)."""
    women = women_to_a_man / (1 + women_to_a_man)
    return np.stack([(shares * share[:, None]).T for share in (women, 1 - women)])


def _ages() -> Floats:
    ages = np.array(AGES, dtype=np.float64)
    return np.interp(ages, [16, 25, 35, 45, 58, 65, 75, 85, 95], [10, 12, 13.5, 13, 15, 11.5, 8, 3.5, 0.4])


def _postcodes() -> Floats:
    regions, areas, districts = (1 / np.arange(2, count + 2) for count in (REGIONS, AREAS, DISTRICTS))
    whole: Floats = (np.sqrt(regions)[:, None, None] * areas[:, None] * districts).ravel()
    return whole


def _hours() -> Floats:
    """Return weights (sex, works long, hours)."""
    hours = np.array(HOURS)
    often = np.array([_OFTEN.get(value, 1.0) for value in HOURS])
    part, full = often * ((hours > 0) & (hours < 35)), often * ((hours >= 35) & (hours <= 45))
    long = often * (hours >= 42)
    tables = [
        [share * part / part.sum() + (1 - share) * most / most.sum() for most in (full, long + 0.3 * full)]
        for share in _PART_TIME
    ]
    return np.array(tables)


AGE = _ages()  # (ages,)
POSTCODE = _postcodes()  # (postcodes,)
EDUCATION_OF = _weights(_EDUCATION).T  # (stages, education)
MARITAL_OF = _weights(_MARITAL).T  # (stages, marital status)
STATUS_OF = _weights(_STATUS).T  # (stages, working or why not)
OCCUPATION_OF = _by_sex(_weights(_OCCUPATION)[:, :-1], _weights(_OCCUPATION)[:, -1])  # (sex, education, occupations)
DIAGNOSIS_OF = _by_sex(_weights(_DIAGNOSIS)[:, :-1], _weights(_DIAGNOSIS)[:, -1])  # (sex, stages, diagnoses)
HOURS_OF = _hours()  # (sex, works long, hours)
WOMEN = 0.51
PAY = np.array([3.2, 4.0, 2.6, 1.8, 2.0, 0.8, 1.0, 1.2, 0.1, 0.0, -0.5, 1.0, 0.7, 0.5, 0.4, 0.3])  # (occupations,)
PENSION = np.array([-1.0, 0.6, -0.6])  # of students, the retired, those without work
