"""What a setting declares is what its method takes: no bound and no choice is there for show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disjoin.errors import InvalidParameter
from disjoin.methods import METHODS
from disjoin.methods.settings import Setting, settings_of

NEEDED: dict[str, dict[str, Any]] = {"diffpart": {"domain": ["tea"]}, "cahd": {"sensitive": ["pills"]}}
DECLARED = [(name, setting) for name in METHODS for setting in settings_of(METHODS[name])]


def named(wanted: list[tuple[str, Setting]]) -> Any:
    return pytest.mark.parametrize(
        ("method", "setting"), wanted, ids=[f"{method} {setting.name}" for method, setting in wanted]
    )


def made(method: str, setting: Setting, value: object) -> Any:
    needed = {"sensitive": ["pills"]} if (method, setting.name) == ("disassociation", "l") else NEEDED.get(method, {})
    if setting.name == "random_sensitive":
        needed = {}
    return METHODS[method](**{**needed, setting.name: value})


@named([(method, setting) for method, setting in DECLARED if setting.least is not None])
def test_a_number_below_the_least_is_refused_and_so_is_what_is_no_number(method: str, setting: Setting) -> None:
    assert setting.least is not None
    for value in (setting.least - 1, "many", True, 2.5):
        with pytest.raises(InvalidParameter, match=f"{setting.name} must be"):
            made(method, setting, value)


@named([(method, setting) for method, setting in DECLARED if setting.why])
def test_a_number_is_kept_as_a_plain_one(method: str, setting: Setting) -> None:
    assert type(getattr(made(method, setting, np.int32(11)), setting.name)) is int


@named([(method, setting) for method, setting in DECLARED if setting.choices])
def test_what_is_no_choice_is_refused(method: str, setting: Setting) -> None:
    for value in ("another", None, ["exact"], 1):
        with pytest.raises(InvalidParameter, match=f"{setting.name} must be one of {', '.join(setting.choices)}, got"):
            made(method, setting, value)


@named([(method, setting) for method, setting in DECLARED if isinstance(setting.default, bool)])
def test_a_flag_is_true_or_false(method: str, setting: Setting) -> None:
    for value in ("no", 1, None):
        with pytest.raises(InvalidParameter, match=f"{setting.name} must be true or false, got"):
            made(method, setting, value)
