"""Nothing is printed, and no foreign text is marked up, except through the doors that make it harmless."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent.parent / "src" / "disjoin"
FILES = sorted(SOURCE.rglob("*.py"))
COMMANDS = [file for file in sorted((SOURCE / "cli").glob("*.py")) if file.name != "screen.py"]
PRINTING = {"echo", "secho", "echo_via_pager", "print_exception", "print_exc", "print_stack", "pprint", "showwarning"}
MARKING_UP = {"from_markup", "from_ansi", "render_markup"}
STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__"}
PIPES_OF_CHILDREN = {"charts/chart_worker.py", "files/first_look_child.py"}  # they answer to their parent there


def nodes_of(file, *, with_types=True):
    """Every node of a file; without those that only the type checker sees, if asked so."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    unseen = set()
    if not with_types:
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
                unseen |= {id(each) for part in node.body for each in ast.walk(part)}
    return [node for node in ast.walk(tree) if id(node) not in unseen]


def called(node):
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def calls_of(file):
    return [node for node in nodes_of(file) if isinstance(node, ast.Call)]


@pytest.mark.parametrize("file", COMMANDS, ids=lambda file: file.name)
def test_commands_print_through_the_door_only(file):
    for call in calls_of(file):
        assert called(call) not in PRINTING, f"line {call.lineno}: say it with disjoin.cli.screen"
        assert not (isinstance(call.func, ast.Name) and call.func.id in ("print", "Console")), f"line {call.lineno}"
    for node in nodes_of(file, with_types=False):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            module = getattr(node, "module", "") or ""
            names = {alias.name for alias in node.names}
            assert not module.startswith("rich.console"), f"line {node.lineno}: ask disjoin.cli.screen for a console"
            assert not (module in ("rich", "click") and names & {"print", *PRINTING}), f"line {node.lineno}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_no_text_is_taken_for_markup(file):
    for call in calls_of(file):
        assert called(call) not in MARKING_UP, f"line {call.lineno}: styles go beside the text, not into it"
        for keyword in call.keywords:
            if keyword.arg in ("markup", "emoji"):
                assert ast.unparse(keyword.value) == "False", f"line {call.lineno}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_nobody_writes_to_the_streams_directly(file):
    if file.relative_to(SOURCE).as_posix() in PIPES_OF_CHILDREN:
        return
    for call in calls_of(file):
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("write", "writelines"):
            stream = call.func.value
            is_stream = isinstance(stream, ast.Attribute) and stream.attr in STREAMS
            assert not is_stream, f"line {call.lineno}: say it with disjoin.cli.screen"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_foreign_text_is_made_harmless_in_one_place(file):
    if file.name == "escaping.py":
        return
    for node in nodes_of(file):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = {alias.name for alias in node.names}
            assert "html" not in names, "disjoin.escaping.in_html does it"
            assert getattr(node, "module", "") not in ("html", "xml.sax.saxutils"), "disjoin.escaping.in_html does it"
        if isinstance(node, ast.Call):
            assert called(node) != "isprintable", f"line {node.lineno}: disjoin.escaping.legible does it"
            assert not any(k.arg == "ensure_ascii" for k in node.keywords), f"line {node.lineno}: json_text does it"
