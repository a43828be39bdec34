"""The files of the package and what they consist of, parsed once for all rules of the house."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parent.parent.parent / "src" / "disjoin"
FILES = sorted(SOURCE.rglob("*.py"))


@cache
def tree_of(file: Path) -> ast.Module:
    """Return a file as Python reads it."""
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def nodes_of(file: Path) -> tuple[ast.AST, ...]:
    """Return every node of a file."""
    return tuple(ast.walk(tree_of(file)))
