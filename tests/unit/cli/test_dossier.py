"""The dossier: everything that whoever signs wants to know, on one private page."""

import re

import pytest

import disjoin
from disjoin.advise.settings_tried import settings_tried
from disjoin.cli.main import run
from disjoin.report.dossier import dossier_of
from disjoin.report.facts import facts_of

SETS = [["bread", "milk"], ["bread", "eggs"], ["bread", "milk", "eggs"], ["milk", "jam"], ["eggs"]] * 5 + [
    ["jam", "tea"]
]
PARTS = (
    "What the data is",
    "Who is singled out, before and after",
    "What is not promised",
    "Sensitive terms or columns",
    "The verdict",
    "How it was made",
    "Signed",
)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "baskets.csv").write_text("\n".join(",".join(terms) for terms in SETS) + "\n")
    return tmp_path


def test_it_says_what_whoever_signs_wants_to_know(place, capsys):
    disjoin.disassociate(disjoin.read("baskets.csv"), k=3, m=2, sensitive=["tea"]).write("release")
    assert run(["dossier", "release", "--original", "baskets.csv", "-o", "dossier.html", "-q"]) == 0
    page = (place / "dossier.html").read_text(encoding="utf-8")
    headings = re.findall("<h2>(.*?)</h2>", page)
    assert [part for part in PARTS if part not in headings] == []
    assert "A worked attack" in headings
    assert "not to be published" in page
    assert "<p>tea</p>" in page
    assert "The guarantee holds." in page
    assert "<script" not in page
    assert run(["dossier", "release", "--original", "baskets.csv", "-o", "dossier.html"]) == 2
    assert "exists already" in capsys.readouterr().err


def test_up_to_m_known_terms_nobody_is_among_fewer_than_k_afterwards(place):
    disjoin.disassociate(disjoin.read("baskets.csv"), k=3, m=2).write("release")
    assert run(["dossier", "release", "--original", "baskets.csv", "-o", "dossier.html", "-q"]) == 0
    rows = re.findall("<tr><td>([12])</td>.*?<td>([^<]*)</td></tr>", (place / "dossier.html").read_text())
    assert dict(rows) == {"1": "0%", "2": "0%"}


def test_a_table_has_one_too(place):
    rows = [f"p{n},{20 + n % 9},{'mf'[n % 2]},{('flu', 'cold')[n % 2]}" for n in range(40)]
    (place / "people.csv").write_text("\n".join(["name,age,sex,diagnosis", *rows]) + "\n")
    about = {"sensitive": ["diagnosis"], "others": ["sex"], "identifiers": ["name"]}
    disjoin.generalize(disjoin.read_table("people.csv"), 4, ["age"], l=2, **about).write("table")
    advise = [
        "advise",
        "people.csv",
        "--quasi",
        "age",
        "--sensitive",
        "diagnosis",
        "--identifiers",
        "name",
        "-k",
        "4,8",
    ]
    assert run([*advise, "-o", "advice", "-q"]) == 0
    more = ["--identifiers", "name", "--tried", "advice/advice.json", "-o", "dossier.html", "-q"]
    assert run(["dossier", "table", "--original", "people.csv", *more]) == 0
    page = (place / "dossier.html").read_text(encoding="utf-8")
    assert [part for part in PARTS if part not in page] == []
    assert "The guarantee holds." in page
    assert "Known: age=20. " in page and "diagnosis=flu" in page
    assert "could be this person (guaranteed: at least 4)" in page, "U7"
    assert "Chosen: k = 4, l = 2." in page and "<td>8</td><td>t = 0.2</td><td>0.01</td>" in page, "P16"


def test_settings_that_were_tried_come_from_advice_and_from_nothing_else(place, capsys):
    disjoin.disassociate(disjoin.read("baskets.csv"), k=3, m=2).write("release")
    assert run(["advise", "baskets.csv", "-k", "3", "--clusterings", "horpart", "-o", "advice", "-q"]) == 0
    asked = ["dossier", "release", "--original", "baskets.csv", "-o", "dossier.html", "-q", "--tried"]
    assert run([*asked, "advice/advice.json"]) == 0
    assert "Chosen: horpart, k = 3, m = 2, which is the recommended one." in (place / "dossier.html").read_text()
    assert run([*asked, "baskets.csv", "--overwrite"]) == 2
    assert "advice.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("k", "words"),
    [(3, "which is the recommended one"), (4, "not the recommended one"), (5, "not among those that were tried")],
)
def test_it_says_which_of_the_settings_was_chosen_and_leaves_room_for_why(place, k, words):
    data = disjoin.read("baskets.csv")
    numbers = dict.fromkeys(("pair_mass", "weighted_pair_error", "exposed", "singled_out", "harmed"), 0.5)
    rows = [{"clustering": "horpart", "k": tried, "m": 2, "recommended": tried == 3} | numbers for tried in (3, 4)]
    tried = {"rows": rows, "columns": {name: {"title": name} for name in numbers}, "advice": ["Take it."]}
    section = settings_tried(tried, facts_of(disjoin.disassociate(data, k=k, m=2)))
    assert f"Chosen: horpart, k = {k}, m = 2, " in section
    assert words in section
    assert "Why this one was chosen" in section


def test_every_invariant_that_was_checked_is_listed(place):
    data = disjoin.read("baskets.csv")
    release = disjoin.disassociate(data, k=3, m=2)
    page = dossier_of(release, data, disjoin.verify(release, original=data), name="baskets.csv", tried="<p>Tried</p>")
    assert "<p>Tried</p>" in page
    [number] = re.findall(r"(\d+) invariants were checked", page)
    assert len(re.findall("<li><abbr>", page)) == int(number)
