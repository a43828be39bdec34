"""Nothing is printed, and no foreign text is marked up, except through the doors that make it harmless."""

import ast

from helpers.source_files import FILES, SOURCE, nodes_of

COMMANDS = [file for file in sorted((SOURCE / "cli").glob("*.py")) if file.name != "screen.py"]
PRINTING = {"echo", "secho", "echo_via_pager", "print_exception", "print_exc", "print_stack", "pprint", "showwarning"}
MARKING_UP = {"from_markup", "from_ansi", "render_markup"}
STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__"}
PIPES_OF_CHILDREN = {"parquet/untrusted_child.py"}  # it answers to its parent there


def nodes_that_run(file):
    """Every node of a file but those that only the type checker sees."""
    unseen = set()
    for node in nodes_of(file):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            unseen |= {id(each) for part in node.body for each in ast.walk(part)}
    return [node for node in nodes_of(file) if id(node) not in unseen]


def called(node):
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def calls_of(file):
    return [node for node in nodes_of(file) if isinstance(node, ast.Call)]


def offences(files, objections):
    """Where files do what they should not, all of them: file, line and what to do instead."""
    return [f"{file.relative_to(SOURCE)}:{line}: {words}" for file in files for line, words in objections(file)]


def own_printing(file):
    for call in calls_of(file):
        if called(call) in PRINTING or (isinstance(call.func, ast.Name) and call.func.id in ("print", "Console")):
            yield call.lineno, "say it with disjoin.cli.screen"
    for node in nodes_that_run(file):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            module = getattr(node, "module", "") or ""
            names = {alias.name for alias in node.names}
            if module.startswith("rich.console") or (module in ("rich", "click") and names & {"print", *PRINTING}):
                yield node.lineno, "ask disjoin.cli.screen for a console"


def markup(file):
    for call in calls_of(file):
        wanted = [k for k in call.keywords if k.arg in ("markup", "emoji") and ast.unparse(k.value) != "False"]
        if called(call) in MARKING_UP or wanted:
            yield call.lineno, "styles go beside the text, not into it"


def writing_to_streams(file):
    if file.relative_to(SOURCE).as_posix() in PIPES_OF_CHILDREN:
        return
    for call in calls_of(file):
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("write", "writelines"):
            stream = call.func.value
            if isinstance(stream, ast.Attribute) and stream.attr in STREAMS:
                yield call.lineno, "say it with disjoin.cli.screen"


def own_escaping(file):
    if file.name == "text.py":
        return
    for node in nodes_of(file):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = {alias.name for alias in node.names}
            if "html" in names or getattr(node, "module", "") in ("html", "xml.sax.saxutils"):
                yield node.lineno, "disjoin.text.in_html does it"
        if isinstance(node, ast.Call) and called(node) == "isprintable":
            yield node.lineno, "disjoin.text.legible does it"
        if isinstance(node, ast.Call) and any(k.arg == "ensure_ascii" for k in node.keywords):
            yield node.lineno, "json_text does it"


def test_commands_print_through_the_door_only():
    assert COMMANDS
    assert offences(COMMANDS, own_printing) == []


def test_no_text_is_taken_for_markup():
    assert offences(FILES, markup) == []


def test_nobody_writes_to_the_streams_directly():
    assert offences(FILES, writing_to_streams) == []


def test_foreign_text_is_made_harmless_in_one_place():
    assert offences(FILES, own_escaping) == []


FORBIDDEN = """\
import html
import sys
from rich import print
click.echo("a")
Text.from_markup("a")
Console(markup=True)
sys.stdout.write("a")
"a".isprintable()
json.dumps("a", ensure_ascii=False)
"""


def test_the_rules_see_what_they_forbid(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "SOURCE", tmp_path)
    (tmp_path / "bad.py").write_text(FORBIDDEN)
    rules = (own_printing, markup, writing_to_streams, own_escaping)
    lines = {rule: sorted(line for line, _ in rule(tmp_path / "bad.py")) for rule in rules}
    assert lines == {own_printing: [3, 4, 6], markup: [5, 6], writing_to_streams: [7], own_escaping: [1, 8, 9]}
