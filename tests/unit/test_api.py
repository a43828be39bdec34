"""The functions that people type say what they take: each setting of a method, with its type, default and a word."""

import inspect
import re
import typing
from collections.abc import Mapping
from fractions import Fraction

import pytest

import disjoin
from disjoin import api
from disjoin.methods import METHODS
from disjoin.methods.settings import settings_of
from disjoin.model import Hierarchy, MixedRecords

FUNCTIONS = {
    "disassociation": api.disassociate,
    "cahd": api.cahd,
    "generalization": api.generalize,
    "apriori": api.generalize_items,
    "diffpart": api.diffpart,
    "mixed": api.mixed,
}
BESIDES = {
    "data",
    "hierarchies",
    "population",
    "threads",
    "progress",
    "items",
    "id",
    "terms",
    "split",
}  # what is no setting of a method
PLAIN = {bool: bool, int: int, str: str}
BY_KIND = {
    "terms": {str},
    "columns": {str},
    "column": {str},
    "roles": {str, Mapping},
    "fraction": {Fraction, float, str},
    "hierarchy": {Hierarchy, str},
    "domain": {Hierarchy, str},
}
cases = pytest.mark.parametrize("name", METHODS)


def parameters_of(function):
    return {n: p for n, p in inspect.signature(function).parameters.items() if n not in BESIDES}


def types_of(hint):
    """The types that a hint names, unions and aliases taken apart; of an iterable, itself."""
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal or not arguments:
        return {hint}
    return {part for argument in arguments for part in types_of(argument)} | {typing.get_origin(hint)}


def test_every_method_has_a_function():
    assert FUNCTIONS.keys() == METHODS.keys()
    for function in FUNCTIONS.values():
        assert getattr(disjoin, function.__name__) is function


@cases
def test_a_function_takes_every_setting_of_its_method_with_the_same_default_and_nothing_more(name):
    defaults = {n: p.default for n, p in parameters_of(FUNCTIONS[name]).items()}
    assert defaults == {setting.name: setting.default for setting in settings_of(METHODS[name])}


@cases
def test_only_a_few_arguments_may_be_given_without_their_names(name):
    kinds = [p.kind for p in inspect.signature(FUNCTIONS[name]).parameters.values()]
    assert set(kinds) <= {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    assert kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) <= 3


@cases
def test_the_types_are_those_of_the_settings(name):
    hints = typing.get_type_hints(FUNCTIONS[name])
    for setting in settings_of(METHODS[name]):
        hint, named = hints[setting.name], types_of(hints[setting.name])
        if setting.choices:
            assert typing.get_args(hint) == setting.choices, setting.name
        elif setting.kind != "number":
            assert BY_KIND[setting.kind] <= named, setting.name
        else:
            assert (bool if isinstance(setting.default, bool) else int) in named, setting.name
        assert (type(None) in named) == (setting.default is None), setting.name


@cases
def test_the_docstring_has_a_line_for_every_parameter(name):
    function = FUNCTIONS[name]
    lines = re.findall(r"^((?:\w+, )*\w+): \S", inspect.getdoc(function), flags=re.MULTILINE)
    named = [parameter for line in lines for parameter in line.split(", ")]
    assert sorted(named) == sorted(inspect.signature(function).parameters)


@cases
def test_an_unknown_keyword_is_a_type_error(name):
    with pytest.raises(TypeError, match="unexpected keyword argument 'kk'"):
        FUNCTIONS[name]([["tea"]] * 9, kk=3)


@cases
def test_what_is_given_reaches_the_method(name, monkeypatch):
    made = []
    monkeypatch.setattr(api, "_run", lambda plan, progress: made.append(plan.method))
    given = {"domain": ("tea",), "sensitive": ("tea",), "quasi": ("age",)}
    given |= {s.name: s.choices[0] for s in settings_of(METHODS[name]) if s.choices}
    given |= {s.name: not s.default for s in settings_of(METHODS[name]) if isinstance(s.default, bool)}
    given |= {"published_check": False, "similar_ids": "error", "k": 7, "m": 3, "p": 7, "l": 2, "beta": 2}
    wanted = {n: value for n, value in given.items() if n in parameters_of(FUNCTIONS[name])}
    data = {"age": ["31", "34"], "tea": ["a", "b"]} if name == "generalization" else [["tea"]]
    data = MixedRecords.from_people({"age": ["31"]}, [["tea"]]) if name == "mixed" else data
    FUNCTIONS[name](data, **wanted)
    assert made == [METHODS[name](**wanted)]
