"""Every command line of the manuals, guides, README, CONTRIBUTING, examples and the journal's catalog is carried out as
it stands, in root's home folder on a machine where the club "demo" plays. (The administrators' guide has a test of its
own.)

Environment: see box.py. Exits with 77 where no box can be made.
"""
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
DOCS = TOP / "docs"
sys.path.insert(0, str(HERE.parent / "integration"))

from box import BUILD, BoxTest, run_tests, wait_for
from service import MAIN, Served

PROGRAMS = ("zugpostd", "zugpostctl", "systemctl", "journalctl", "systemd-run", "install", "rm", "cmake", "ctest",
            "./setup")

# What is not run here, and why; with what is looked at instead.
ELSEWHERE = {
    r"\./setup demo": "it builds everything anew; test_demo plays what it plays",
    r"\./setup test( --slow)?": "it runs this test among all others",
    r"\./setup (install|package)": "it builds everything anew; setup.py, which is slow, runs it",
    r"cmake --preset \S+ && cmake --build --preset \S+( && ctest --preset \S+)?": "it builds everything anew; "
    "test_presets looks whether the presets exist",
    r"ctest --preset \S+( -L \S+)?": "it runs this test among others; test_presets looks whether preset and label exist",
}

# What stands for a number or name that only the reader knows, in the catalog and in running text.
PLACEHOLDERS = {"@CLUB@": "demo", "@ZUGPOST_MESSAGE@": "1", "@ZUGPOST_GAME@": "KO-50.2/1", "message ID": "message 1",
                "message NUMBER": "message 1"}


@dataclass
class Line:
    where: str
    text: str
    first: bool = True  # of its block: the lines of a block belong together


def unescaped(text):
    """A line of mdoc as a reader sees it."""
    return text.replace("\\&", "").replace("\\-", "-").replace("\\(dq", '"').replace("\\e", "\\")


def of_manual(path):
    """`.Dl` lines and literal blocks. A prompt makes a line one to be typed."""
    literal, first = False, True
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path.name}:{number}"
        if re.match(r"\.Bd -literal", line):
            literal, first = True, True
        elif line == ".Ed":
            literal = False
        elif line.startswith(".Dl ") or literal:
            text = unescaped(line.removeprefix(".Dl "))
            if text.startswith(("# ", "$ ")):
                yield Line(where, text[2:], first or not literal)
                first = False
            elif text.split(" ")[0] in PROGRAMS:
                yield Line(where, f"a command line without a prompt: {text}")


def of_markdown(path):
    """Indented blocks, fenced blocks of shell, and what stands in the text with operands."""
    text = path.read_text(encoding="utf-8")
    before = None
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"    (\S.*?)(?:\s{2,}#.*)?$", line)
        if found and found[1].split(" ")[0] in PROGRAMS:
            yield Line(f"{path.name}:{number}", found[1], before != number - 1)
            before = number
    for match in re.finditer(r"`([^`\n]+)`", text):
        words = match[1].split(" ")
        if len(words) > 1 and words[0] in PROGRAMS:
            yield Line(f"{path.name}:{text.count(chr(10), 0, match.start()) + 1}", match[1])


def of_catalog(path):
    """What it puts in quotes, which may go over the end of a line."""
    text = path.read_text(encoding="utf-8")
    for match in re.finditer(r'"((?:zugpostctl|zugpostd|systemctl|journalctl) [^"]+)"', text):
        words = " ".join(match[1].split())
        yield Line(f"{path.name}:{text.count(chr(10), 0, match.start()) + 1}", words)


def of_sample(path):
    """What the comments of a file put between backquotes."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for found in re.findall(r"`((?:zugpostctl|zugpostd|systemctl) [^`]+)`", line):
            yield Line(f"{path.name}:{number}", found)


def all_lines():
    for path in sorted(DOCS.glob("*.[1-8]")):
        yield from of_manual(path)
    for path in (TOP / "README.md", TOP / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md")),
                 *sorted(DOCS.glob("guides/*.md")), *sorted(DOCS.glob("decisions/*.md"))):
        if path.name != "administrators.md":
            yield from of_markdown(path)
    yield from of_catalog(TOP / "systemd/zugpost.catalog")
    for path in (TOP / "config/zugpost.conf.sample", *sorted((TOP / "systemd/examples").iterdir()),
                 *sorted((DOCS / "examples").iterdir())):
        yield from of_sample(path)


class DocsTest(BoxTest):
    needed = ("postdrop",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.box.run("dpkg", "--install", "/opt/zugpost.deb")
        cls.prepare()

    @classmethod
    def prepare(cls):
        """A club that plays: two moves are made, the mails of a third wait for delivery; files to name."""
        box = cls.box
        cls.served = served = Served(box, "demo")
        # Who names no club means this one.
        box.path("/etc/zugpost/zugpost.conf").symlink_to("demo.conf")
        cls.root("openssl rand -hex 16 >/etc/zugpost/demo.imap; cp /etc/zugpost/demo.imap /etc/zugpost/demo.smtp")
        served.systemctl("start")
        served.import_game()
        mail = served.play(moves=("e4", "e5"))
        box.run("mv", f"{served.top}/out", f"{served.top}/gone")
        served.answer(mail, "anna", ["e4", "e5", "Nf3"])
        waiting = wait_for(lambda: json.loads(served.control("outbox", "--json").stdout), "mails that wait")
        PLACEHOLDERS["retry ID"] = f"retry {waiting[0]['id']}"
        raw = next(path for path in box.path(f"{served.top}/in/cur").iterdir())
        box.path("/root/letter.eml").write_bytes(raw.read_bytes())
        cls.root("cp /tmp/demo.ini ko-50.2.ini")
        # Enough for sendmail.
        box.path("/etc/postfix/main.cf").write_text(MAIN)
        cls.root("install -d -o zugpost -g zugpost /var/lib/zugpost-backup/demo")
        for day in range(1, 8):
            cls.root(f"zugpostctl --club demo backup /var/lib/zugpost-backup/demo/{day}.db; "
                     f"chown root:root /var/lib/zugpost-backup/demo/{day}.db")

    @classmethod
    def root(cls, script, check=True):
        return cls.box.run("sh", "-c", f"cd /root\n{script}", env=("HOME=/root",), check=check)

    def test_every_line(self):
        known = self.commands()
        run, elsewhere = 0, set()
        for line in all_lines():
            text = line.text
            for name, value in PLACEHOLDERS.items():
                text = re.sub(rf"{re.escape(name)}(?![A-Z])", value, text)
            reasons = [pattern for pattern in ELSEWHERE if re.fullmatch(pattern, text)]
            if reasons:
                elsewhere.update(reasons)
                continue
            with self.subTest(where=line.where, text=text):
                words = text.split(" ")
                if len(words) == 2 and words[0] == "zugpostctl" and known.get(words[1]):
                    continue  # the name of a command that wants operands
                if line.first:
                    self.box.run("systemctl", "start", self.served.unit)
                done = self.root(text, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                run += 1
        self.assertGreater(run, 25)
        self.assertEqual(elsewhere, set(ELSEWHERE), "the table has lines that nobody needs")

    def commands(self):
        """zugpostctl's commands, and which operands they want."""
        text = self.root("zugpostctl --help").stdout
        return {name: operands for name, operands in re.findall(r"^  ([a-z]+) ?(.*)$", text, re.M)}

    def test_files_of_manuals(self):
        """The example of a configuration is one, and serves a trial, also with the example of roles; the example of a
        tournament is imported by it."""
        blocks = {}
        for path in sorted(DOCS.glob("*.5")):
            for block in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed$", path.read_text(encoding="utf-8"), re.M | re.S):
                if block.startswith("["):
                    blocks[re.match(r"\[(\S+?)[\] ]", block)[1]] = unescaped(block)
        self.assertEqual(set(blocks), {"club", "account", "tournament"})
        for name in re.findall(r"\[account (\S+)\]", blocks["account"]):
            self.box.run("useradd", "--groups", "zugpost", name)
        self.box.path("/root/trial.conf").write_text(f"{blocks['club']}\n{blocks['account']}")
        self.box.path("/root/trial.ini").write_text(blocks["tournament"])
        self.root("mkdir -p /tmp/demo/in/new /tmp/demo/in/cur /tmp/demo/in/tmp")
        self.root("zugpostd --config trial.conf --check --online")
        self.root("zugpostctl --config trial.conf import trial.ini")
        self.root("zugpostd --config trial.conf --once")
        self.assertEqual(len(list(self.box.path("/tmp/demo/out/new").iterdir())), 2)

    def test_samples(self):
        """Sample and examples are without faults."""
        self.root("zugpostd --config /usr/share/doc/zugpost/zugpost.conf --check")
        self.root("zugpostd --config /usr/share/doc/zugpost/examples/demo.conf --check")

    def test_demo(self):
        """What `./setup demo` plays, and the commands that it shows for going on by hand."""
        done = subprocess.run(["/usr/bin/python3", "-B", TOP / "tests/demo/play.py", "--programs", BUILD], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        script = re.search(r"^cat > .*^ls -t [^\n]*$", done.stdout, re.M | re.S)[0]
        done = subprocess.run(["sh", "-ec", script], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("accepted", done.stdout)
        self.assertIn("receipt", done.stdout)

    def test_presets(self):
        """Presets and labels that the documents name exist."""
        presets = json.loads((TOP / "CMakePresets.json").read_text(encoding="utf-8"))
        configure, build, test = ({preset["name"] for preset in presets[f"{kind}Presets"]}
                                  for kind in ("configure", "build", "test"))
        labels = subprocess.run(["ctest", "--print-labels"], cwd=BUILD, check=True, stdout=subprocess.PIPE,
                                text=True).stdout.split()
        for line in all_lines():
            for name in re.findall(r"cmake --preset (\S+)", line.text):
                self.assertIn(name, configure, line.where)
            for name in re.findall(r"cmake --build --preset (\S+)", line.text):
                self.assertIn(name, build, line.where)
            for name in re.findall(r"ctest --preset (\S+)", line.text):
                self.assertIn(name, test, line.where)
            for name in re.findall(r"-L (\S+)", line.text):
                self.assertIn(name, labels, line.where)


if __name__ == "__main__":
    run_tests()
