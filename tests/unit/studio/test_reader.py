"""What a reader says of the parts of a release: found by term without looking at each, and all of them drawn."""

import pyarrow as pa
import pytest

import disjoin
from disjoin.forms.registry import FORMS
from disjoin.studio.reader import ReleaseDesk, _holds
from helpers.group_releases import sealed_groups, shop
from helpers.item_releases import pantry, rumours, sealed_items, sealed_noisy
from helpers.releases import figure_3, sealed

PEOPLE = disjoin.MixedRecords.from_people(
    {"age": ["30", "31", "30", "31"], "sex": list("ffff")}, [{"a", "b"}, {"a"}, {"a", "c"}, {"b"}]
)
ROWS = pa.table({"age": ["30", "31", "50", "51"], "ill": ["flu", "cold", "flu", "30"]})
RELEASES = {
    "clusters": lambda: sealed(figure_3()),
    "groups": lambda: sealed_groups(shop()),
    "items": lambda: sealed_items(pantry()),
    "mixed": lambda: disjoin.mixed(PEOPLE, quasi=["age", "sex"], k=2, m=1),
    "noisy": lambda: sealed_noisy(rumours()),
    "table": lambda: disjoin.generalize(ROWS, quasi=["age"], sensitive=["ill"], k=2, l=2),
}


@pytest.fixture(params=RELEASES)
def desk(request, tmp_path):
    return ReleaseDesk(RELEASES[request.param]().write(tmp_path / "release"))


def test_parts_with_a_term_are_those_in_which_it_stands(desk):
    show = FORMS[desk.report.form].show
    told = [show.as_json(desk.parts, number) for number in range(len(desk.parts))]
    texts = {text for array in desk.form.texts(desk.release.published) for text in array.to_pylist()}
    for term in [*texts, "no such term"]:
        assert desk._with_term(term) == [number for number, part in enumerate(told) if _holds(part, term)]


def test_every_part_is_drawn_or_told_and_listed_shortly(desk):
    for number in range(len(desk.parts)):
        found = desk.part({"number": number})
        assert bool(found["html"]) != bool(found["facts"])
        assert desk.part({"number": number, "plain": True})["facts"]
    listed = desk.list_parts({})
    assert [each["number"] for each in listed["parts"]] == list(range(len(desk.parts)))
    desk.get_ready()
