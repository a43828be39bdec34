"""The names that people import, and the room that can be called."""

import subprocess
import sys

import pytest

import disjoin


def test_every_public_name_is_there():
    for name in disjoin.__all__:
        assert getattr(disjoin, name) is not None
    assert set(disjoin.__all__) <= set(dir(disjoin))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'anonymise'"):
        _ = disjoin.anonymise


@pytest.mark.parametrize(
    "code",
    [
        "import disjoin; disjoin.verify(disjoin.disassociate([['a']] * 9, k=2))",
        "from disjoin import verify; import disjoin; verify(disjoin.disassociate([['a']] * 9, k=2))",
        "from disjoin.verify import check; import disjoin; disjoin.verify(disjoin.disassociate([['a']] * 9, k=2))",
        "import disjoin.verify; disjoin.verify.check; disjoin.verify(disjoin.disassociate([['a']] * 9, k=2))",
    ],
)
def test_verify_is_a_room_and_a_call_whatever_is_imported_first(code):
    result = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
