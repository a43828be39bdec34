"""Sensitive means sensitive: no spelling of a declared term is published as an ordinary one, and none is overlooked."""

from itertools import product

import pytest

import disjoin
from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.methods.cahd import Cahd
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.sensitive_terms import chosen_terms
from disjoin.model import Transactions

FULL_WIDTH = "\uff22\uff12\uff10"
SPELLINGS = ["b20", "B20 ", " B20", FULL_WIDTH, "B20\u200b", "B2\u00ad0"]
for_each_method = pytest.mark.parametrize("publish", [disjoin.disassociate, disjoin.cahd])


def visits(*secrets, plain=40):
    """Records with a few ordinary terms; each of the secrets is in one of them."""
    rows = [[("tea", "milk", "bread")[n % 3], "salt"] for n in range(plain)]
    return [[*rows[n], secrets[n]] if n < len(secrets) else rows[n] for n in range(plain)]


def chosen(records, *declared, **settings):
    data = records if isinstance(records, Transactions) else Transactions.from_sets(records)
    return chosen_terms(Disassociation(sensitive=declared, **settings), data)


def listed(release):
    """The terms that a release treats as sensitive."""
    published = release.published
    return release.guarantee.sensitive or published.sensitive_terms()


@for_each_method
@pytest.mark.parametrize("other", SPELLINGS)
def test_another_spelling_of_a_sensitive_term_is_refused_and_named_with_its_records(publish, other):
    with pytest.raises(InvalidParameter) as refused:
        publish(visits("B20", other, other), sensitive=["B20"])
    assert f"{other!r} (2 records)" in str(refused.value)
    assert "Correct the data" in str(refused.value)
    assert "sensitive_match='loose'" in str(refused.value)


@for_each_method
@pytest.mark.parametrize("other", SPELLINGS)
@pytest.mark.filterwarnings("ignore:sensitive terms are kept out")
def test_or_it_is_taken_along(publish, other):
    release = publish(visits("B20", other), sensitive=["B20"], sensitive_match="loose")
    assert listed(release) == tuple(sorted(["B20", other]))
    alone = publish(visits(other), sensitive=["B20"], sensitive_match="loose")
    assert listed(alone) == (other,)


@for_each_method
def test_if_only_another_spelling_is_there_the_message_is_about_that(publish):
    with pytest.raises(InvalidParameter, match="the data have others: 'b20' "):
        publish(visits("b20"), sensitive=["B20", "nowhere"])


@for_each_method
def test_terms_that_occur_nowhere_are_an_error_that_names_them_all(publish):
    with pytest.raises(InvalidParameter, match=r"nothing is found for the terms 'C\*', 'X1'\. Check") as refused:
        publish(visits("B20"), sensitive=["B20", "X1", "C*"])
    assert "allow_missing_sensitive=True" in str(refused.value)
    with pytest.raises(InvalidParameter, match=r"nothing is found for the term 'X1'\."):
        publish(visits("B20"), sensitive="X1")


@for_each_method
@pytest.mark.filterwarnings("ignore:sensitive terms are kept out")
def test_missing_terms_can_be_allowed_and_the_release_says_nothing_of_them(publish, tmp_path):
    with pytest.warns(UserWarning, match=r"ignored: the sensitive terms 'C\*', 'secret-of-mine'\.$"):
        release = publish(visits("B20"), sensitive=["B20", "secret-of-mine", "C*"], allow_missing_sensitive=True)
    plain = publish(visits("B20"), sensitive="B20")
    folder = release.write(tmp_path / "r")
    assert all(b"secret-of-mine" not in file.read_bytes() for file in folder.iterdir())
    assert listed(release) == ("B20",)
    assert not {"sensitive_match", "allow_missing_sensitive", "sensitive"} & set(release.parameters)
    assert plain.published == release.published


@for_each_method
def test_other_spellings_are_refused_even_if_terms_may_be_missing(publish):
    with pytest.raises(InvalidParameter, match="'b20'"):
        publish(visits("b20"), sensitive=["B20"], allow_missing_sensitive=True)


def test_with_nothing_left_disassociation_goes_on_and_tells():
    with pytest.warns(UserWarning, match="nothing is treated as sensitive"):
        release = disjoin.disassociate(visits(), sensitive=["X1"], l=3, allow_missing_sensitive=True)
    assert release.guarantee.sensitive == ()


def test_with_nothing_left_cahd_has_nothing_to_protect():
    with pytest.raises(InvalidParameter, match="nothing to protect: none of the sensitive items occurs"):
        disjoin.cahd(visits(), sensitive=["X1"], allow_missing_sensitive=True)


@for_each_method
@pytest.mark.filterwarnings("ignore:sensitive terms are kept out")
def test_a_prefix_stands_for_all_terms_that_begin_so_and_the_release_names_these(publish):
    release = publish(visits("B20.1", "B20*", "B20", "B2"), sensitive=["B20*"])
    assert listed(release) == ("B20", "B20*", "B20.1")


@for_each_method
def test_other_spellings_of_what_a_prefix_stands_for_are_refused_or_taken_along(publish):
    records = visits("B20.1", "b20.7", FULL_WIDTH)
    with pytest.raises(InvalidParameter, match=r"'b20\.7' \(1 record\), "):
        publish(records, sensitive=["B20*"])
    found = chosen(records, "B20*", sensitive_match="loose")
    assert found.terms == tuple(sorted(["B20.1", "b20.7", FULL_WIDTH]))
    assert found.missing == ()


def test_blanks_before_the_star_belong_to_the_beginning():
    assert chosen(visits("hiv test", "hivtest"), "hiv *").terms == ("hiv test",)
    with pytest.raises(InvalidParameter, match="'HIV unit'"):
        chosen(visits("hiv test", "HIV unit"), "hiv *")


@pytest.mark.parametrize("method", [Disassociation, Cahd])
@pytest.mark.parametrize("nothing", ["*", " *", "\u200b*"])
def test_a_star_alone_is_refused(method, nothing):
    with pytest.raises(InvalidParameter, match="would mean all terms"):
        method(sensitive=["B20", nothing])


@pytest.mark.parametrize("method", [Disassociation, Cahd])
def test_the_settings_are_born_valid(method):
    with pytest.raises(InvalidParameter, match="sensitive_match must be one of exact, loose, got 'lose'"):
        method(sensitive=["x"], sensitive_match="lose")
    with pytest.raises(InvalidParameter, match="allow_missing_sensitive must be true or false, got str"):
        method(sensitive=["x"], allow_missing_sensitive="yes")


@for_each_method
def test_marks_that_come_with_the_data_have_no_other_spellings_either(publish):
    data = Transactions.from_sets(visits("B20", "b20")).with_sensitive(["B20"])
    with pytest.raises(InvalidParameter, match="'b20' \\(1 record\\)"):
        publish(data)
    assert chosen(data, sensitive_match="loose").terms == ("B20", "b20")


def test_numbers_are_read_as_they_are_written():
    assert chosen(visits("1", "1.0"), "1").terms == ("1",)


def test_of_very_many_spellings_the_first_are_named():
    _, *others = map("".join, product("aA", repeat=5))
    with pytest.raises(InvalidParameter, match="and 19 more"):
        chosen(visits("aaaaa", *others), "aaaaa")


def test_all_spellings_declared_are_all_sensitive():
    assert chosen(visits("B20", "b20"), "B20", "b20").terms == ("B20", "b20")


def test_spellings_count_together_for_l():
    records = [["tea", "B20"]] * 6 + [["tea", "b20"]] * 6 + [["tea"]] * 12
    for wanted in ({"sensitive": ["B20"], "sensitive_match": "loose"}, {"sensitive": ["B20", "b20"]}):
        with pytest.raises(GuaranteeUnreachable, match="'B20' is in 12 of 24 records, more than one in 3"):
            disjoin.disassociate(records, k=2, l=3, **wanted)
        assert disjoin.disassociate(records, k=2, l=2, **wanted).guarantee.sensitive == ("B20", "b20")


def test_a_record_with_two_spellings_counts_once_for_l():
    records = [["tea", "B20", "b20"]] * 6 + [["tea"]] * 12
    release = disjoin.disassociate(records, k=2, l=3, sensitive=["B20"], sensitive_match="loose")
    assert release.guarantee.sensitive == ("B20", "b20")


def test_items_count_together_for_p():
    records = [["tea", "B20"]] * 6 + [["tea", "b20"]] * 6 + [["tea"]] * 12
    with pytest.raises(GuaranteeUnreachable, match=r"'B20' is in 12 of 24 records.* p can be at most 2"):
        disjoin.cahd(records, "B20", p=3, sensitive_match="loose")
    release = disjoin.cahd(records, "B20", p=2, sensitive_match="loose")
    assert release.verdict.facts["degree"] == [2, 1]


def test_cahd_refuses_a_record_with_two_spellings_of_an_item():
    with pytest.raises(InvalidParameter, match="1 have one in several spellings: 'B20', 'b20'"):
        disjoin.cahd([*visits("B20"), ["tea", "B20", "b20"]], "B20", sensitive_match="loose")
