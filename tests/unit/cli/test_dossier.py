"""Dossier: a decision page, one table of what known terms reveal, utility, limits and an appendix."""

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
    "What known terms reveal, before and after",
    "Utility: what the release keeps",
    "What is not guaranteed",
    "The data",
    "What the verifier checked",
    "How it was made",
)
QUESTIONS = ["Does the guarantee hold?", "For whom?", "What remains learnable?", "Recommendation"]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "baskets.csv").write_text("\n".join(",".join(terms) for terms in SETS) + "\n")
    return tmp_path


def test_it_has_every_section_and_is_private(place, capsys):
    disjoin.disassociate(disjoin.read("baskets.csv"), k=3, m=2, sensitive=["tea"]).write("release")
    assert run(["dossier", "release", "--original", "baskets.csv", "-o", "dossier.html", "-q"]) == 0
    page = (place / "dossier.html").read_text(encoding="utf-8")
    headings = re.findall("<h2>(.*?)</h2>", page)
    assert [part for part in PARTS if part not in headings] == []
    assert "An example attack" in headings
    assert "not to be published" in page
    assert "<td>sensitive terms or columns</td><td>tea</td>" in page
    assert "The guarantee holds." in page
    assert "<script" not in page
    assert run(["dossier", "release", "--original", "baskets.csv", "-o", "dossier.html"]) == 2
    assert "exists already" in capsys.readouterr().err


def test_page_1_is_a_decision_page_with_fields_to_fill_in(place):
    disjoin.disassociate(disjoin.read("baskets.csv"), k=3, m=2).write("release")
    fields = [
        "--purpose",
        "Open <data>",
        "--recipients",
        "Clinics",
        "--legal-basis",
        "Consent",
        "--retention",
        "None",
    ]
    asked = ["dossier", "release", "--original", "baskets.csv", "-o", "dossier.html", "-q"]
    assert run([*asked, *fields]) == 0
    first, *_ = (place / "dossier.html").read_text(encoding="utf-8").split("<section>")
    assert re.findall("<dt>(.*?)</dt>", first) == QUESTIONS
    assert "An attacker who knows up to 2 terms of a record finds at least 3 candidates." in first
    assert [text for text in ("Open &lt;data&gt;", "Clinics", "Consent", "None") if f"<b>{text}</b>" not in first] == []
    assert first.count("<li>") == 3 and "signature" in first, "a decision is chosen and signed"


def table_rows(page):
    """Return the rows of the table of what known terms reveal, by label."""
    found = re.search(r'<div class="known">(.*?)</table>', page, re.DOTALL)[1]
    rows = [re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall("<tr>(.*?)</tr>", found)]
    return {label: cells for label, *cells in rows}


def test_up_to_m_known_terms_no_record_has_fewer_than_k_candidates_afterwards(place):
    disjoin.disassociate(disjoin.read("baskets.csv"), k=3, m=2).write("release")
    assert run(["dossier", "release", "--original", "baskets.csv", "-o", "dossier.html", "-q"]) == 0
    rows = table_rows((place / "dossier.html").read_text())
    assert rows["known terms of a record"][:2] == ["1", "2"]
    assert rows["After: records with fewer than 3 candidates"][:2] == ["0%", "0%"]


def test_there_is_one_table_of_known_terms_and_every_cell_has_one_number(place):
    data = disjoin.read("baskets.csv")
    release = disjoin.disassociate(data, k=3, m=2)
    page = dossier_of(release, data, disjoin.verify(release, original=data), name="baskets.csv")
    assert page.count('class="known"') == 1, "S8"
    cells = [cell for label, row in table_rows(page).items() if label != "known terms of a record" for cell in row]
    assert all(re.fullmatch(r"(&lt;|&gt;)?[0-9.]+%|not counted", cell) for cell in cells)
    assert "<td>0</td>" not in page, "S8: rows of nothing"
    assert page.index("Appendix") < page.index("What the verifier checked") < page.index("<td>numpy</td>")


@pytest.mark.parametrize("form", ["groups", "items", "noisy", "mixed"])
def test_every_form_has_a_dossier(place, form):
    if form == "mixed":
        rows = [f"{n},{20 + n % 2},{term}" for n in range(30) for term in ("flu", "gout")[: 1 + n % 2]]
        (place / "people.csv").write_text("\n".join(["id,age,term", *rows]) + "\n")
        data = disjoin.read_people("people.csv", columns=["age"], id="id", terms="term")
        release = disjoin.mixed(data, 3, 1, quasi=["age"])
    else:
        data = disjoin.read("baskets.csv")
        tree = disjoin.Hierarchy.from_rows([[term, "food", "*"] for term in ("bread", "milk", "eggs", "jam", "tea")])
        release = {
            "groups": lambda: disjoin.cahd(data, ["tea"], 3),
            "items": lambda: disjoin.generalize_items(data, 3, 2, hierarchy=tree),
            "noisy": lambda: disjoin.diffpart(data, 1, domain=["bread", "milk", "eggs", "jam", "tea"]),
        }[form]()
    page = dossier_of(release, data, disjoin.verify(release, original=data), name="data.csv")
    first, *_ = page.split("<section>")
    assert re.findall("<dt>(.*?)</dt>", first) == QUESTIONS
    assert re.search("Publish if|Try a stricter setting|The release is empty", first)
    assert [part for part in PARTS if part not in page] == []
    assert page.count("<figure>") <= 2 and len(table_rows(page)) > 1


def test_a_release_that_does_not_hold_is_not_recommended(place):
    data = disjoin.read("baskets.csv")
    release = disjoin.disassociate(data, k=3, m=2)
    other = disjoin.read([["bread", "milk"]] * 26)
    verdict = disjoin.verify(release, original=other)
    assert not verdict.holds
    page = dossier_of(release, data, verdict, name="baskets.csv")
    assert "Do not publish this release: the guarantee does not hold." in page


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
    assert [part for part in PARTS[1:] if part not in page] == []
    assert "What known columns reveal, before and after" in page
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
