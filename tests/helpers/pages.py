"""The tools that write and refresh the pages of the docs."""

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parent.parent.parent / "docs"


def make_reference():
    """`docs/make_reference.py` as a module."""
    return _load("make_reference")


def outputs():
    """`docs/outputs.py` as a module."""
    return _load("outputs")


def _load(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
