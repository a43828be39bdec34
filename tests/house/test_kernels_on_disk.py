"""A compiled kernel is kept exactly as long as everything that it is made of stays the same."""

import os

import pytest

from kernels_on_disk import SOURCE, fingerprints, forget_stale, remember

FILES = {
    "jit/compiled.py": "kernel = inner = 1\n",
    "jit/order.py": "from disjoin.jit.compiled import inner\nfrom disjoin.model.sizes import MOST\n",
    "model/sizes.py": "MOST = 3\n",
    "model/words.py": "WORD = 'tea'\n",
    "methods/cut.py": "from disjoin.jit.compiled import kernel\nfrom disjoin.jit import order\n",
    "methods/pack.py": "from disjoin.jit.compiled import kernel\n",
    "verify/counting/__init__.py": "compiled = 1\n",
    "verify/counting/rows.py": "from disjoin.verify.counting import compiled, inner\n",
}
KERNELS = ("jit/order", "methods/cut", "methods/pack", "verify/counting/rows")


@pytest.fixture
def house(tmp_path):
    source = tmp_path / "disjoin"
    for name, text in FILES.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text)
    for name in KERNELS:
        of_kernel(source, name).parent.mkdir(parents=True, exist_ok=True)
        of_kernel(source, name).touch()
    remember(source)
    return source


def of_kernel(source, name):
    file = source / name
    return file.parent / "__pycache__" / f"{file.name}.run-1.py311.1.nbc"


def kept(source):
    return {name for name in KERNELS if of_kernel(source, name).exists()}


@pytest.mark.parametrize(
    ("changed", "lost"),
    [
        ("methods/pack.py", {"methods/pack"}),
        ("jit/order.py", {"jit/order", "methods/cut"}),
        ("model/sizes.py", {"jit/order", "methods/cut"}),
        ("jit/compiled.py", {"jit/order", "methods/cut", "methods/pack"}),
        ("verify/counting/__init__.py", {"verify/counting/rows"}),
        ("model/words.py", set()),
    ],
)
def test_what_calls_something_that_has_changed_is_compiled_again_and_nothing_else(house, changed, lost):
    (house / changed).write_text(FILES[changed] + "more = 1\n")
    assert forget_stale(house) is bool(lost)
    assert kept(house) == set(KERNELS) - lost


def test_a_new_date_is_no_change(house):
    for name in FILES:
        os.utime(house / name, (2**31, 2**31))
    assert not forget_stale(house)
    assert kept(house) == set(KERNELS)


@pytest.mark.parametrize("stamp", [None, "", "[]", '{"numba": "0.1"}'])
def test_kernels_of_which_nobody_knows_the_sources_are_compiled_again(house, stamp):
    file = house / "__pycache__" / "kernels.json"
    file.unlink() if stamp is None else file.write_text(stamp)
    assert forget_stale(house)
    assert kept(house) == set()


def test_every_file_with_compiled_loops_is_watched():
    marks = ("\n@kernel\n", "\n@inner\n", "\n@compiled\n")
    files = [file for file in SOURCE.rglob("*.py") if any(mark in file.read_text(encoding="utf-8") for mark in marks)]
    assert {file.relative_to(SOURCE).as_posix() for file in files} <= fingerprints().keys()
