import pytest

from disjoin.model import DifferentialPrivacy, KAnonymity, KmAnonymity, PrivacyDegree
from disjoin.model.guarantees import names_of
from disjoin.model.k_anonymity import Closeness


@pytest.mark.parametrize(
    ("guarantee", "names"),
    [
        (KAnonymity(5, "age"), "5-anonymous"),
        (KAnonymity(5, "age", "ill", alpha="1/2", l=3), "(0.5,5)-anonymous, 3-diverse"),
        (KAnonymity(5, "age", "ill", l=3, closeness=Closeness(c=2)), "5-anonymous, recursively (2,3)-diverse"),
        (
            KAnonymity(5, "age", "ill", entropy_l=2, closeness=Closeness(t="0.2", beta=1, delta=3)),
            "5-anonymous, entropy 2-diverse, 0.2-close, 1-like, 3-disclosure private",
        ),
        (KmAnonymity(5, 2), "k^m-anonymous (k = 5, m = 2)"),
        (PrivacyDegree(8), "privacy degree 8"),
        (DifferentialPrivacy("1/2"), "0.5-differentially private"),
    ],
)
def test_every_promise_has_the_name_that_the_literature_gives_it(guarantee, names):
    assert names_of(guarantee.to_json()) == names
