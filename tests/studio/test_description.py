"""Asked everything that its description allows, and more, the studio never fails (B27)."""

import json
import re
from importlib.resources import files

import pytest
from hypothesis import HealthCheck, Phase, settings

schemathesis = pytest.importorskip("schemathesis", reason="`make test-studio` installs schemathesis")
DESCRIPTION = json.loads(files("disjoin.studio").joinpath("openapi.json").read_text(encoding="utf-8"))
schema = schemathesis.openapi.from_dict(DESCRIPTION)


@pytest.fixture(scope="module")
def entered(served):
    """The address, and the headers of somebody who was let in."""
    import httpx

    answer = httpx.get(served.another_link(), follow_redirects=False)
    cookie = re.match(r"[^;]+", answer.headers["set-cookie"])[0]
    return served.address, {"cookie": cookie, "origin": served.address, "sec-fetch-site": "same-origin"}


@schema.parametrize()
@settings(
    max_examples=6, deadline=None, derandomize=True, database=None, phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
def test_no_question_makes_it_fail(case, entered):
    address, headers = entered
    answer = case.call(base_url=address, headers=headers)
    assert answer.status_code < 500, answer.text
    assert "Traceback" not in answer.text
