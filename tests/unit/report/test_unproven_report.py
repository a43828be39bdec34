"""Whatever a person or a program sees of an unproven release, it cannot be taken for a proven one."""

from __future__ import annotations

import json
import re

import pytest

from disjoin.model import Clusters, KmAnonymity, Release, Report
from disjoin.release.reader import write_release
from disjoin.report.documents import documents_of, summary_of
from disjoin.report.facts import facts_of, shortfalls
from disjoin.verify import certify
from disjoin.verify.clusters import reconstructions
from oracle.inspection import canonical
from unit.report.noisy_releases import figure, sealed
from unit.report.pages import summary_text
from unit.verify.forests import joint, leaf

ALL = {"clusters": {f"V{number}" for number in range(1, 13)}, "noisy": {f"N{number}" for number in range(1, 5)}}
CLAIMS = re.compile(r"verified:|guarantee holds|what is guaranteed|release: verified|release: made as", re.IGNORECASE)


def a_release(trees, proven=False) -> Release:
    guarantee = KmAnonymity(2, 2, proven=proven)
    clusters = Clusters.from_nested(canonical(trees))
    parameters = {"k": 2, "m": 2} | ({} if proven else {"refine_mode": "paper"})
    return certify(clusters, guarantee, method="disassociation", parameters=parameters)


def missing_v7() -> Release:
    return a_release([joint([leaf(4, [{"a": 2}, {"b": 2}]), leaf(3, [{"d": 2}])], [{"t": 3}])])


def missing_v9() -> Release:
    return a_release([joint([leaf(2, [{"p": 2}]), leaf(3, [{"y": 3}])], [{"p": 2}])])


def missing_nothing() -> Release:
    return a_release([leaf(3, [{"a": 3}], "t")])


def missing_n4() -> Release:
    return sealed(figure(), terms="seen")


@pytest.fixture(params=[missing_v7, missing_v9, missing_nothing, missing_n4], ids=["V7", "V9", "nothing", "N4"])
def unproven(request) -> Release:
    return request.param()


def test_no_document_claims_what_is_not_proven_and_each_says_so(unproven):
    for name, text in documents_of(unproven).items():
        assert "not proven" in text.lower(), name
        assert not CLAIMS.search(text.split("</style>")[-1]), name


def test_a_proven_release_does_claim_it_and_says_nothing_of_doubts():
    release = a_release([leaf(3, [{"a": 3}], "t")], proven=True)
    for name, text in documents_of(release).items():
        assert "not proven" not in text.lower(), name
        if name != "report.json":
            assert CLAIMS.search(text), name


def test_the_facts_for_programs_do_not_hold(unproven):
    facts = json.loads(facts_of(unproven).to_json())
    assert facts["verdict"]["holds"] is False
    assert facts["guarantee"]["proven"] is False
    assert facts["sentence"].startswith("Not proven: ")
    missing = {name for name, count in facts["verdict"]["unproven"].items() if count}
    assert not missing & set(facts["verdict"]["checked"])
    every = ALL[facts["form"]]
    assert missing | set(facts["verdict"]["checked"]) == every
    assert Report.from_json(facts_of(unproven).to_json()) == facts_of(unproven)


def test_the_descriptor_says_it_where_catalogues_look(unproven, tmp_path):
    folder = write_release(unproven, tmp_path / "release", documents=documents_of(unproven))
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    assert package["title"].startswith("Records, not proven anonymous")
    assert package["description"].startswith("Not proven: ")
    assert package["disjoin"]["guarantee"]["proven"] is False


def test_the_seal_of_the_page_is_a_warning(unproven):
    page = documents_of(unproven)["report.html"]
    assert '<p class="seal doubt">' in page
    assert "<title>Not proven: " in page
    assert page.index("What is not proven") < page.index("What is kept")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (missing_v7, ["V7", "2 clusters without a term chunk and with too few subrecords to fill all records."]),
        (missing_v9, ["V9", "1 shared chunk with a term that is in another chunk below, too."]),
    ],
)
def test_what_is_missing_is_named_and_counted(make, words):
    release = make()
    assert shortfalls(facts_of(release)) == [tuple(words)]
    for name in ("README.md", "report.html"):
        text = documents_of(release)[name]
        assert words[1] in text
        assert "not enough for a proof" in text
        assert "is not known" in text


def test_where_the_terms_were_seen_no_factor_is_promised_by_any_page():
    release = missing_n4()
    for name in ("README.md", "report.html"):
        text = documents_of(release)[name]
        assert "it is not differentially private" in text
        assert "not known independently of the data, but taken from them" in text
        assert not re.search(r"proven on paper|times as likely|can rise|factor at most|73\.1%", text), name
    assert "Still learnable" not in dict(summary_of(facts_of(release)))


def test_what_could_not_be_decided_is_named_too(monkeypatch):
    monkeypatch.setattr(reconstructions, "MOST_LINKS", 0)
    report = facts_of(missing_v9())
    assert [name for name, _ in shortfalls(report)] == ["V9", "V10"]
    assert "1 joint cluster too large to decide" in dict(summary_of(report))["Not proven"]


def test_where_nothing_is_missing_the_page_says_that_the_release_does_not_claim_it():
    text = documents_of(missing_nothing())["README.md"]
    assert "the release does not claim it" in text
    assert "is not known" not in text
    assert "not enough for a proof" not in text


def test_the_summary_begins_with_not_proven(unproven):
    rows = dict(summary_of(facts_of(unproven)))
    assert "Not proven" in rows
    assert "holds" not in summary_text(facts_of(unproven))
