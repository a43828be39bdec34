"""What attackers find, as measures: sure inference, from the release alone and with the original, and harm by draws."""

from __future__ import annotations

from disjoin.attack.simulated import HALF, SURE_ENOUGH, simulate
from disjoin.attack.sure_inference import MOST_KNOWN, expected_share, sure_inference
from disjoin.errors import InvalidParameter
from disjoin.measure.evidence import Evidence
from disjoin.measure.record import Finding, Measure

SURE, HARM = "Records with a sure inference", "Records harmed by one more term (H)"
UNPROVEN = "What is sure is computed for proven releases only."


def _sure(evidence: Evidence) -> Finding:
    try:
        found = sure_inference(evidence.published, evidence.original, known=evidence.m)
    except InvalidParameter as refusal:
        return Finding(None, (str(refusal),))
    notes = [found.sentence()]
    details: dict[str, float] = {"terms_known": found.known, "sampled": found.is_sampled}
    if found.known < MOST_KNOWN:  # what is asked of clusterings that are compared
        more = sure_inference(evidence.published, evidence.original, known=found.known + 1)
        notes.append(f"With one more known term: {more.sentence()}")
        details["with_one_more"] = round(more.share, 6)
    return Finding(found.share, tuple(notes), details)


def _harm(evidence: Evidence) -> Finding:
    if evidence.m is None:
        return Finding(None, ("Nobody said how many terms are promised to be no clue (m).",))
    settings = {"terms": evidence.m + 1, "seed": evidence.settings.seed, "k": evidence.k}
    found = simulate(evidence.published, evidence.original, **settings)
    return Finding(found.share, (found.sentence(),), found.to_json())


SURE_INFERENCE = Measure(
    name="sure_inference",
    title=SURE,
    direction="lower",
    least=0.0,
    largest=1.0,
    sign="≈",
    meaning="For about this share of the records, some {m} of their terms surely tell another one.",
    unit="share",
    page="sure_inference",
    needs_original=False,
    compute=expected_share,
    counts_shared=False,
    not_computed=UNPROVEN,
)

SURE_INFERENCE_SHOWN = Measure(
    name="sure_inference",
    title=SURE,
    direction="lower",
    least=0,
    largest=1,
    unit="share",
    meaning="For this share of the records, up to m known terms surely tell another.",
    page="sure_inference",
    compute=_sure,
)

HARMED_RECORDS = Measure(
    name="harmed_records",
    title=HARM,
    direction="lower",
    least=0,
    largest=1,
    unit="share",
    meaning=(
        "Anyone who knows m + 1 random terms of a record finds it among fewer than k "
        f"(at least {HALF:.0%} of the expected candidates), or learns a further term with {SURE_ENOUGH:.0%} confidence "
        "that the other records do not give, for this share of the records."
    ),
    page="harmed_records",
    compute=_harm,
)
