"""No name that a stranger chose commands a terminal, a page or a program, whatever command meets it."""

import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from html.parser import HTMLParser

import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.engine import Local
from disjoin.methods.cahd import Cahd
from disjoin.methods.diffpart import DiffPart
from disjoin.model import Hierarchy
from disjoin.pipeline import publish
from disjoin.readers.read import as_transactions
from helpers.tampering import edit

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),  # what users are told is tested by itself
]

HOSTILE = [
    "a\x1b[2J\x1b[H\x1b[32mThe guarantee holds.",
    "b\x1b]0;title\x07",
    "c\x9b2J",
    "d\rThe guarantee holds.",
    "e\b\b\b",
    "f\u202eevil\u2066",
    "[/]",
    "[red]g",
    "[link=http://evil.example]h[/link]",
    "<script>alert(1)</script>",
    "i|j`k`",
    "l](http://evil.example)",
    'm" onload="alert(1)',
    "</title><img src=x onerror=alert(1)>",
    "\x7fn\nThe guarantee holds. # p",
    "=cmd|' /C calc'!A0",
]
FORMS = ("clusters", "groups", "table", "items", "noisy")
OWN_STYLE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Write a release of every form in which everything that can be named has a hostile name."""
    place = tmp_path_factory.mktemp("hostile")
    baskets = [[HOSTILE[n % 16], HOSTILE[(n + 1) % 16], HOSTILE[(n * 7) % 16]] for n in range(64)]
    secret = [[*set(basket), *(["pills\x1b[2J<b>"] if n % 16 == 0 else [])] for n, basket in enumerate(baskets)]
    tree = [[name, f"group {number % 3}\x1b[2J<b>", "*"] for number, name in enumerate(HOSTILE)]
    first, second, third = HOSTILE[0], HOSTILE[9], HOSTILE[14]
    rows = [
        {first: str(20 + n % 3), second: HOSTILE[n % 2], third: HOSTILE[n % 16], HOSTILE[11]: "x", "[/]": "x"}
        for n in range(32)
    ]
    trees = {second: Hierarchy.from_rows([[HOSTILE[0], "any\x1b[2J"], [HOSTILE[1], "any\x1b[2J"]])}
    about = {"sensitive": (third,), "l": 2, "hierarchies": trees}
    made = {
        "clusters": disjoin.disassociate(baskets, k=3, m=2, sensitive=HOSTILE[9]),
        "groups": publish(as_transactions(secret), Cahd(p=4, sensitive=("pills\x1b[2J<b>",)), Local(1)).release,
        "table": disjoin.generalize(rows, k=2, quasi=(first, second), others=(HOSTILE[11], "[/]"), **about),
        "items": disjoin.generalize_items(baskets, k=3, m=2, hierarchy=Hierarchy.from_rows(tree)),
        "noisy": publish(as_transactions(baskets), DiffPart(epsilon=20, domain=tuple(HOSTILE)), Local(1)).release,
    }
    for form, release in made.items():
        release.write(place / form)
    (place / "baskets.jsonl").write_text("\n".join(json.dumps(basket) for basket in baskets) + "\n")
    (place / "table\x1b[2J.csv").write_text('"age","[/]\x1b[2J","<b>"\n' + "20,7,NULL\n" * 4, newline="")
    return place


def raw(text):
    """Characters that move the cursor, leave the line or turn the direction."""
    return [c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c != "\n"]


def told(capfdbinary, *arguments):
    """Run a command; whatever it says is harmless, and it does not end with a mistake of ours."""
    capfdbinary.readouterr()
    code = run([str(argument) for argument in arguments])
    captured = capfdbinary.readouterr()
    said = [OWN_STYLE.sub("", stream.decode()) for stream in captured]
    assert code in (0, 2, 3, 4, 5), said
    assert not raw("".join(said))
    assert "Traceback" not in said[1]
    assert "\nThe guarantee holds." not in said[0].replace("The guarantee holds. ", "", 1)
    return code, "".join(said)


@pytest.mark.parametrize("colours", ["", "1"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "command", [("verify",), ("verify", "--json"), ("show",), ("show", "--json"), ("show", "--typical")], ids=" ".join
)
def test_whoever_looks_at_a_release_is_safe(place, capfdbinary, monkeypatch, command, form, colours):
    if colours:
        monkeypatch.setenv("FORCE_COLOR", colours)
    code, said = told(capfdbinary, command[0], place / form, *command[1:])
    assert code == 0, said


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("command", ["mine", "support", "evaluate", "reconstruct"])
def test_whoever_works_with_a_release_is_safe(place, tmp_path, capfdbinary, command, form):
    more = {
        "mine": [],
        "support": [HOSTILE[9], HOSTILE[0]],
        "evaluate": [place / "baskets.jsonl"],
        "reconstruct": ["-o", tmp_path / "worlds\x1b[2J"],
    }[command]
    told(capfdbinary, command, place / form, *more)
    told(capfdbinary, command, place / form, *more, "--json")


@pytest.mark.parametrize("colours", ["", "1"])
def test_whoever_publishes_is_safe(place, tmp_path, capfdbinary, monkeypatch, colours):
    if colours:
        monkeypatch.setenv("FORCE_COLOR", colours)
    table = place / "table\x1b[2J.csv"
    asked = ("--quasi", '"[/]\x1b[2J"', "--others", "age,<b>", "-k", "2")
    code, said = told(capfdbinary, "generalize", table, *asked, "-o", tmp_path / "out\x1b[2J")
    assert code == 0, said
    told(capfdbinary, "generalize", table, *asked, "-o", tmp_path / "out\x1b[2J")  # it is taken
    told(capfdbinary, "inspect", table, "--quasi", '"[/]\x1b[2J"')
    told(capfdbinary, "inspect", place / "baskets.jsonl")
    told(capfdbinary, "hierarchy", "build", table, "--column", "no\x1b[2J", "--mask", "-o", tmp_path / "x.csv")
    told(capfdbinary, "verify", place / "no\x1b[2J")
    told(capfdbinary, "verify\x1b[2J")
    told(capfdbinary, "verify", "--no\x1b[2J")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("member", ["method", "version", "parameters", "file"])
def test_a_descriptor_full_of_escapes_is_harmless(place, tmp_path, capfdbinary, form, member):
    copy = tmp_path / "copy"
    shutil.copytree(place / form, copy)
    evil = "\x1b[2J\u202e[/]<b>\nThe guarantee holds."
    if member == "file":
        (copy / "no\x1b[2J.txt").write_text("x")
    else:
        value = {evil: evil} if member == "parameters" else evil
        edit(copy, lambda package: package["disjoin"].update({member: value}))
    assert told(capfdbinary, "verify", copy)[0] in (2, 3)
    told(capfdbinary, "verify", copy, "--json")
    told(capfdbinary, "show", copy)


class Elements(HTMLParser):
    """Collects the elements, and the names of their attributes."""

    def __init__(self):
        super().__init__()
        self.found, self.links = set(), []

    def handle_starttag(self, tag, attrs):
        self.links += [target for name, target in attrs if tag == "a" and name == "href"]
        self.found |= {tag, *(f"{tag} {name}" for name, _ in attrs)}


@pytest.mark.parametrize("form", FORMS)
def test_no_page_of_a_release_has_an_element_of_the_data(place, form):
    page = (place / form / "report.html").read_text(encoding="utf-8")
    elements = Elements()
    elements.feed(page)
    assert not elements.found & {"script", "img", "b"}
    assert set(elements.links) <= {"#guarantee", "#reading", "#limits"}  # our own, within the page
    assert not [name for name in elements.found if " on" in name]
    assert not raw(page)


@pytest.mark.parametrize("form", FORMS)
def test_no_text_of_a_release_is_marked_up_by_the_data(place, form):
    readme = (place / form / "README.md").read_text(encoding="utf-8")
    assert not raw(readme)
    assert "<" not in re.sub(r"(?s)```.*?```", "", readme)
    assert not re.search(r"(?<!\\)\]\(http|//evil", re.sub(r"`[^`\n]*`", "", readme.replace("\\://", "")))
    assert not re.search(r"(?m)^(The guarantee holds|\|[^|]*\|[^|]*[^\\]\|[^|]+\|$)", readme)
    for name in ("report.json", "datapackage.json"):
        assert not raw((place / form / name).read_text(encoding="utf-8"))


def test_names_are_still_there(place):
    facts = json.loads((place / "table" / "datapackage.json").read_text(encoding="utf-8"))
    assert facts["disjoin"]["guarantee"]["quasi"] == [HOSTILE[0], HOSTILE[9]]


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_on_a_terminal_only_our_own_codes_arrive(place):
    import pty

    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "disjoin", "show", str(place / "table")]
    child = subprocess.Popen(command, stdout=follower, stderr=follower, stdin=follower)
    os.close(follower)
    said = b""
    try:
        while piece := os.read(leader, 65536):
            said += piece
    except OSError:  # the other end is closed
        pass
    os.close(leader)
    assert child.wait() == 0
    text = OWN_STYLE.sub("", said.decode()).replace("\r\n", "\n")
    assert not raw(text)
    assert "\\x1b[2J" in text
