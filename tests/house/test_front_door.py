"""The names that people import, and the rooms that can be called."""

import inspect
import pydoc
import re
import subprocess
import sys

import pytest

import disjoin
from disjoin.cli.main import commands

SAME_NOUNS = ("inspect", "advise", "compare", "evaluate", "verify", "show", "hierarchy")


def test_every_public_name_is_there():
    for name in disjoin.__all__:
        assert getattr(disjoin, name) is not None
    assert set(disjoin.__all__) <= set(dir(disjoin))


def test_names_that_are_not_listed_are_still_found():
    assert len(disjoin.__all__) <= 48
    for name in ("Clusters", "Disassociation", "Evaluation", "Survey"):
        assert name not in disjoin.__all__
        assert getattr(disjoin, name).__name__ == name


def test_help_shows_no_names_but_the_listed_ones():
    shown = pydoc.plain(pydoc.render_doc(disjoin))
    assert "modules of the package are private" in shown
    classes = re.findall(r"^    class (\w+)\(", shown, flags=re.MULTILINE)
    assert classes
    assert {*classes} <= {*disjoin.__all__}


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'anonymise'"):
        _ = disjoin.anonymise


ORDERS = [
    "import disjoin; disjoin.verify(disjoin.disassociate([['a']] * 9, k=2))",
    "from disjoin import verify; import disjoin; verify(disjoin.disassociate([['a']] * 9, k=2))",
    "from disjoin.verify import check; import disjoin; disjoin.verify(disjoin.disassociate([['a']] * 9, k=2))",
    "import disjoin.verify; disjoin.verify.check; disjoin.verify(disjoin.disassociate([['a']] * 9, k=2))",
    *(
        f"import disjoin.{name}; import disjoin; assert disjoin.{name}.__path__; assert callable(disjoin.{name})"
        for name in ("verify", "advise")
    ),
]
ONE_AFTER_THE_OTHER = """
import sys

for code in {orders!r}:
    for name in [name for name in sys.modules if name.partition(".")[0] == "disjoin"]:
        del sys.modules[name]
    try:
        exec(code, {{}})
    except BaseException as error:
        raise AssertionError(code) from error
"""


def test_a_room_that_is_a_verb_is_a_room_and_a_call_whatever_is_imported_first():
    """One process forgets the package before each order, so that arrays are loaded once."""
    code = ONE_AFTER_THE_OTHER.format(orders=ORDERS)
    result = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("name", ["verify", "advise"])
def test_a_room_that_is_a_verb_shows_the_arguments_of_the_call(name):
    verb = getattr(disjoin, name)
    parameters = inspect.signature(verb).parameters
    assert "progress" in parameters or "original" in parameters
    with pytest.raises(TypeError, match="unexpected keyword argument 'nonsense'"):
        verb([["tea"]], nonsense=1)


@pytest.mark.parametrize("name", SAME_NOUNS)
def test_what_the_command_line_can_do_python_can_do_by_the_same_name(name):
    assert name in commands()
    assert name in disjoin.__all__
    assert getattr(disjoin, name) is not None


def test_hierarchies_are_built_and_checked_by_the_names_of_the_commands():
    from disjoin.cli.hierarchy import hierarchy_command

    for name in hierarchy_command.commands:
        assert callable(getattr(disjoin.hierarchy, name))
