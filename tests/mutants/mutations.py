"""Mutants of a file: every small change of a function, with a name that survives edits elsewhere.

A mutant is named by its file, function, change and, where the same change is possible more than once, a number. Line
numbers are not part of the name.
"""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef
COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
COMPUTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
CALLED = {"any": "all", "all": "any", "min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}
SMALL = (ast.UnaryOp, ast.Slice, ast.Tuple)  # too small to show where an operator is changed
PLAIN = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return | ast.Expr  # statements that have no others in them
DROPPED = (ast.Expr, ast.Assign, ast.AugAssign, ast.Raise, ast.Continue, ast.Break, ast.Delete)
SKIPPED = (ast.Assert, ast.Import, ast.ImportFrom, ast.JoinedStr)  # the last: words of messages
UNREAD = {
    "annotation",
    "returns",
    "decorator_list",
    "args",
    "format_spec",
    "type_params",
}  # fields that stay as they are
FREE_KEYWORDS = {"strict"}  # of calls: they guard against mistakes of ours


@dataclass(frozen=True)
class Site:
    """A place in a tree: the parent's field, and which element of it where it is a list."""

    parent: ast.AST
    field: str
    at: int | None

    def put(self, node: ast.AST) -> ast.AST:
        """Put a node there and return the one that was there."""
        held = getattr(self.parent, self.field)
        if self.at is None:
            setattr(self.parent, self.field, node)
            return held
        old, held[self.at] = held[self.at], node
        return old


@dataclass(frozen=True)
class Mutant:
    """A small change of a function."""

    file: Path
    text: str  # of the file
    place: str  # the file as it is named in lists
    function: str
    digest: str  # of the function as it is
    change: str
    number: int
    lines: range
    number_in_file: int

    @property
    def name(self) -> str:
        """What it is called in lists and results."""
        return f"{self.place}::{self.function}: {self.change}" + (f" #{self.number}" if self.number > 1 else "")

    def tree(self) -> ast.Module:
        """Return the changed file."""
        tree = ast.parse(self.text)
        for at, (_, site, new, _) in enumerate(_changes(tree)):
            if at == self.number_in_file:
                site.put(new)
                return ast.fix_missing_locations(tree)
        raise LookupError(self.name)


def mutants_of(file: Path, root: Path) -> list[Mutant]:
    """Return all mutants of a file."""
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    digests: dict[str, str] = {}
    times: Counter[tuple[str, str]] = Counter()
    found = []
    for at, ((name, function), site, new, shown) in enumerate(_changes(tree)):
        if name not in digests:
            digests[name] = hashlib.sha256(ast.unparse(function).encode()).hexdigest()[:12]
        change = _words(site, new, shown)
        times[name, change] += 1
        old = getattr(site.parent, site.field)
        old = old if site.at is None else old[site.at]
        near = old if hasattr(old, "lineno") else site.parent
        lines = range(near.lineno, near.end_lineno + 1)
        place = file.relative_to(root).as_posix()
        found.append(Mutant(file, text, place, name, digests[name], change, times[name, change], lines, at))
    return found


Change = tuple[tuple[str, Function], Site, ast.AST, ast.AST | None]  # function, site, new node, what to show of it


def _changes(tree: ast.Module) -> Iterator[Change]:
    for name, function in functions_of(tree):
        for statement_at, statement in enumerate(function.body):
            if statement_at == 0 and _is_docstring(statement):
                continue
            for site, new, shown in _of_node(statement, Site(function, "body", statement_at), function):
                yield (name, function), site, new, shown


def functions_of(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Give the functions of a module and of its classes, those inside functions aside."""
    for child in getattr(node, "body", ()):
        if isinstance(child, Function):
            yield prefix + child.name, child
        elif isinstance(child, ast.ClassDef):
            yield from functions_of(child, f"{prefix}{child.name}.")


def _of_node(node: ast.AST, site: Site, scope: ast.AST) -> Iterator[tuple[Site, ast.AST, ast.AST | None]]:
    """Give the changes at a node and below it; what is shown of a change is that node of the tree, or the new one."""
    if isinstance(node, SKIPPED):
        return
    for new in _instead_of(node, site):
        yield site, new, scope if _is_small(node, new) else None
    inside = node if isinstance(node, ast.expr | PLAIN) and not isinstance(node, SMALL) else scope
    for field, value in ast.iter_fields(node):
        if field in UNREAD and not (field == "args" and isinstance(node, ast.Call)):
            continue
        for at, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST) and not _is_free(child):
                yield from _of_node(child, Site(node, field, at), inside)


def _is_small(node: ast.AST, new: ast.AST) -> bool:
    """Whether a change is shown with what is around it: operators and names of functions."""
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(new, ast.Constant):
        return False  # a condition
    return isinstance(node, ast.Constant | ast.operator | ast.cmpop | ast.Name | ast.Attribute)


def _is_free(node: ast.AST) -> bool:
    return isinstance(node, ast.keyword) and node.arg in FREE_KEYWORDS


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _instead_of(node: ast.AST, site: Site) -> Iterator[ast.AST]:
    kind = type(node)
    if kind in COMPARED:
        yield COMPARED[kind]()
    elif kind in COMPUTED:
        yield COMPUTED[kind]()
    elif isinstance(node, ast.And | ast.Or):
        yield ast.Or() if isinstance(node, ast.And) else ast.And()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
        yield from _other_calls(node, site)
    elif isinstance(node, ast.Starred) and isinstance(site.parent, ast.List | ast.Tuple) and site.field == "elts":
        yield ast.Starred(ast.Tuple([], ast.Load()), ast.Load())
    elif isinstance(node, ast.stmt):
        yield from _other_statements(node)
    if isinstance(node, ast.expr) and _is_condition(site):
        for value in (True, False) if not isinstance(site.parent, ast.While) else (False,):
            if not (isinstance(node, ast.Constant) and node.value is value):
                yield ast.Constant(value)


def _other_calls(node: ast.Name | ast.Attribute, site: Site) -> Iterator[ast.AST]:
    if not (isinstance(site.parent, ast.Call) and site.field == "func"):
        return
    if isinstance(node, ast.Name) and node.id in CALLED:
        yield ast.Name(CALLED[node.id], ast.Load())
    elif isinstance(node, ast.Attribute) and node.attr in CALLED:
        yield ast.Attribute(node.value, CALLED[node.attr], ast.Load())


def _other_statements(node: ast.stmt) -> Iterator[ast.AST]:
    names = isinstance(node, ast.Assign) and any(isinstance(target, ast.Name | ast.Tuple) for target in node.targets)
    if isinstance(node, DROPPED) and not names:  # without a name, the next line would fail anyway
        yield ast.Pass()
    elif isinstance(node, ast.Return) and _is_list_of_findings(node.value):
        yield ast.Return(ast.List([], ast.Load()))


def _is_list_of_findings(node: ast.AST | None) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add) and (_is_list_of_findings(node.left) or _is_list_of_findings(node.right))
    return isinstance(node, ast.ListComp) or (isinstance(node, ast.Name) and "finding" in node.id)


def _is_condition(site: Site) -> bool:
    if isinstance(site.parent, ast.If | ast.IfExp | ast.While):
        return site.field == "test"
    return isinstance(site.parent, ast.comprehension) and site.field == "ifs"


def _words(site: Site, new: ast.AST, shown: ast.AST | None) -> str:
    """Say what is changed: the smallest expression or statement that shows it, before and after."""
    whole = shown if isinstance(shown, ast.expr | PLAIN) else None
    if whole is None and isinstance(site.parent, ast.expr | ast.stmt) and not isinstance(new, ast.expr | ast.stmt):
        whole = site.parent  # an operator
    if whole is None:
        old = getattr(site.parent, site.field)
        old = old if site.at is None else old[site.at]
        if isinstance(new, ast.Pass):
            return f"drop `{_text(old)}`"
        return f"{_context(site)}`{_text(old)}` -> `{_text(new)}`"
    before = _text(whole)
    old = site.put(new)
    try:
        return f"`{before}` -> `{_text(deepcopy(whole))}`"
    finally:
        site.put(old)


def _context(site: Site) -> str:
    return {ast.If: "if ", ast.While: "while ", ast.IfExp: "... if ", ast.comprehension: "for ... if "}.get(
        type(site.parent), ""
    )


def _text(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())
