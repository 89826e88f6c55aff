"""A club for tests: configuration, Maildirs, the two programs, and what they wrote.

Nothing here knows the insides of the programs: configuration, mails and JSON are those of
the outer contract.
"""
import ctypes
import email
import email.policy
import email.utils
import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import unittest
from datetime import datetime, timezone
from pathlib import Path

DAEMON = os.environ.get("ZUGPOSTD", str(Path(__file__).resolve().parents[2] / "build/dev/zugpostd"))
CONTROL = os.environ.get("ZUGPOSTCTL", str(Path(__file__).resolve().parents[2] / "build/dev/zugpostctl"))
DATA = Path(__file__).resolve().parents[1] / "data"
PASS_TIMEOUT = 300

ADDRESS = "moves@club.example"
ARBITER = "arbiter@club.example"
DIRECTOR = "td@club.example"

CONFIGURATION = """\
[club]
name = Demo Chess Club
address = moves@club.example
separator = +
arbiter = arbiter@club.example
admin = postmaster@club.example
timezone = Europe/Rome
language = en

[store]
directory = {top}/store

[mailbox moves]
source = maildir:{top}/in

[delivery]
target = maildir:{top}/out

[trust]
authserv-id = mail.club.example
otherwise = {otherwise}
confirm-within = 72h

[limits]
message-size = 256K
answers-per-day = 20
"""

# Enough zones to tell every kind of mistake about dates apart.
PLAYERS = [
    ("anna", "Virtanen, Anna", "Europe/Helsinki"),
    ("bruno", "Rossi, Bruno", "Europe/Rome"),
    ("carla", "Souza, Carla", "America/Sao_Paulo"),
    ("dmitri", "Petrov, Dmitri", "Europe/Moscow"),
    ("emi", "Tanaka, Emi", "Asia/Tokyo"),
    ("finn", "O'Neil, Finn", "Pacific/Auckland"),
    ("gita", "Rao, Gita", "Asia/Kolkata"),
    ("hugo", "Perez, Hugo", "America/Havana"),
]
ZONES = {ident: zone for ident, _, zone in PLAYERS}
NAMES = {ident: name for ident, name, _ in PLAYERS}


def address_of(ident: str) -> str:
    return f"{ident}@players.example"


def player_of(address: str) -> str:
    return address.split("@")[0]


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(timezone.utc)


def rfc3339(when: datetime) -> str:
    return when.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def tournament_text(pairs, code="KO-50.2", start="2026-01-10T09:00:00+02:00", extra="",
                    players=PLAYERS, name="Knockout 50, group 2") -> str:
    """A tournament file; PAIRS holds (white, black) ids, numbered from 1."""
    lines = [f"[tournament {code}]", f"name = {name}", "rules = iecc",
             f"start = {start}", "arbiter = Director, Tarmo <td@club.example>", "site = IECC"]
    if extra:
        lines.append(extra)
    for ident, full_name, zone in players:
        lines += ["", f"[player {ident}]", f"name = {full_name}", f"email = {address_of(ident)}",
                  f"timezone = {zone}", "language = en"]
    for number, (white, black) in enumerate(pairs, 1):
        lines += ["", f"[game {number}]", f"white = {white}", f"black = {black}"]
    return "\n".join(lines) + "\n"


class Mail:
    """One mail that the programs delivered."""

    def __init__(self, path: Path):
        self.path = path
        self.raw = path.read_bytes()
        self.message = email.message_from_bytes(self.raw, policy=email.policy.default)

        def header(name):
            return str(self.message[name]) if self.message[name] is not None else None

        self.id = header("Message-ID")
        self.kind = header("Zugpost-Kind")
        self.game = header("Zugpost-Game")
        self.ply = int(header("Zugpost-Ply")) if header("Zugpost-Ply") else None
        self.verdict = header("Zugpost-Verdict")
        self.subject = header("Subject")
        self.to = header("Delivered-To")
        self.reply_to = header("Reply-To")
        self.references = header("References")
        self.in_reply_to = header("In-Reply-To")
        self.return_path = header("Return-Path")
        self.auto_submitted = header("Auto-Submitted")

    @property
    def reply_address(self) -> str:
        return email.utils.parseaddr(self.reply_to)[1]

    @property
    def text(self) -> str:
        return self.message.get_content().replace("\r\n", "\n")

    @property
    def identity(self):
        """What must not depend on how the work was cut into passes."""
        return (self.id, self.kind, self.to, self.game, self.ply, self.subject)

    def __repr__(self):
        return f"<{self.kind} {self.game} ply {self.ply} to {self.to} {self.verdict or ''}>"


class Watch:
    """Waits for files that appear in a folder (inotify by hand: the library has none)."""

    CREATE, MOVED_TO = 0x100, 0x80

    def __init__(self, folder: Path):
        libc = ctypes.CDLL(None, use_errno=True)
        self.fd = libc.inotify_init1(os.O_CLOEXEC)
        if self.fd < 0 or libc.inotify_add_watch(self.fd, os.fsencode(folder),
                                                 self.CREATE | self.MOVED_TO) < 0:
            raise OSError(ctypes.get_errno(), "inotify", str(folder))

    def wait(self, seconds: float):
        """Returns when something has appeared, or fails."""
        if not select.select([self.fd], [], [], max(seconds, 0))[0]:
            raise TimeoutError("nothing was delivered")
        os.read(self.fd, 65536)

    def close(self):
        os.close(self.fd)


class ProgramError(Exception):
    pass


class Club:
    def __init__(self, top: Path, otherwise="confirm", configuration=None):
        self.top = Path(top)
        self.config = self.top / "club.conf"
        for box in ("in", "out"):
            for sub in ("new", "cur", "tmp"):
                (self.top / box / sub).mkdir(parents=True, exist_ok=True)
        (self.top / "store").mkdir(exist_ok=True)
        text = configuration or CONFIGURATION.format(top=self.top, otherwise=otherwise)
        self.config.write_text(text, encoding="utf-8")
        self.seen = set()
        self.serial = 0

    def environment(self, extra=None):
        kept = {name: value for name, value in os.environ.items()
                if name in ("PATH", "HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")}
        # A zone of the machine that no test expects.
        return {**kept, "TZ": "Pacific/Kiritimati", "LC_ALL": "C.UTF-8", **(extra or {})}

    def run(self, program, *operands, env=None, stdin=None):
        return subprocess.run([program, *map(str, operands)], env=self.environment(env),
                              input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=PASS_TIMEOUT, text=True, check=False)

    def control(self, *operands, code=0, stdin=None):
        """zugpostctl with this club's configuration; its standard output."""
        done = self.run(CONTROL, "--config", self.config, *operands, stdin=stdin)
        if done.returncode != code:
            raise ProgramError(f"zugpostctl {operands}: exit {done.returncode}, not {code}\n"
                               f"{done.stdout}{done.stderr}")
        return done.stdout

    def json(self, *operands):
        return json.loads(self.control(*operands, "--json"))

    def import_text(self, text, name="tournament.ini", code=0):
        path = self.top / name
        path.write_text(text, encoding="utf-8")
        return self.control("import", path, code=code)

    def once(self, now, code=0, env=None):
        """One pass at NOW; the mails that it delivered, in the order of their file names."""
        done = self.run(DAEMON, "--config", self.config, "--once", "--now", rfc3339(now), env=env)
        if done.returncode != code:
            raise ProgramError(f"zugpostd --once --now {rfc3339(now)}: exit {done.returncode}, "
                               f"not {code}\n{done.stderr}")
        return self.new_mails()

    def new_mails(self):
        names = sorted(set(os.listdir(self.top / "out/new")) - self.seen)
        self.seen.update(names)
        return [Mail(self.top / "out/new" / name) for name in names]

    def all_mails(self):
        return [Mail(path) for path in sorted((self.top / "out/new").iterdir())]

    def drop(self, raw: bytes, arrival: datetime, name=None):
        """A message arrives: RAW gets into the Maildir as a delivery agent would put it."""
        self.serial += 1
        name = name or f"{int(arrival.timestamp())}.M{self.serial:06}P1.mx"
        temporary = self.top / "in/tmp" / name
        temporary.write_bytes(raw)
        temporary.rename(self.top / "in/new" / name)
        return name

    def game(self, number, code="KO-50.2"):
        return self.json("game", f"{code}/{number}")

    def messages(self):
        return self.json("messages")

    def copy_to(self, top: Path):
        """Another club with the same store, configuration and mail."""
        shutil.copytree(self.top, top)
        text = self.config.read_text(encoding="utf-8").replace(str(self.top), str(top))
        other = Club(top, configuration=text)
        other.seen = set(os.listdir(other.top / "out/new"))
        other.serial = self.serial
        return other


def scratch_folder():
    """Where there is room in memory, there: thousands of mails wait for the disk otherwise."""
    memory = Path("/dev/shm")
    if "TMPDIR" in os.environ or not os.access(memory, os.W_OK):
        return None
    room = os.statvfs(memory)
    return memory if room.f_bavail * room.f_frsize > 1 << 30 else None


class ClubTest(unittest.TestCase):
    """A test with a folder of its own, removed at the end."""
    maxDiff = None
    verified = True  # False: a test makes stores that do not follow from their inputs

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="zugpost-test-", dir=scratch_folder()))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def club(self, name="club", **options) -> Club:
        place = Club(self.folder / name, **options)
        if self.verified:
            self.addCleanup(self.verify, place)
        return place

    def verify(self, place):
        """Whatever a test has done: the store is what follows from its inputs."""
        if (place.top / "store/zugpost.db").exists():
            done = place.run(CONTROL, "--config", place.config, "verify")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


def find(mails, kind=None, to=None, game=None):
    """The mails that match."""
    return [mail for mail in mails
            if (kind is None or mail.kind == kind) and (to is None or mail.to == to)
            and (game is None or mail.game == game)]


def pgn_of(text: str):
    """The one PGN game inside of a text: its tags, its moves (SAN), its result."""
    tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', text, re.M))
    begin = max(found.end() for found in re.finditer(r'^\[\w+ ".*"\]$', text, re.M))
    moves = []
    for word in text[begin:].split():
        if word in ("1-0", "0-1", "1/2-1/2", "*"):
            return tags, moves, word
        word = re.sub(r"^\d+\.+", "", word)
        if word:
            moves.append(word)
    raise ValueError("a PGN without a result at its end")


def real_games():
    """The games of tests/data/games: dictionaries of white, black, result, san, uci, end, fen."""
    text = (DATA / "games/games.pgn").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in
            (DATA / "games/games.tsv").read_text(encoding="utf-8").splitlines()
            if not line.startswith("#")]
    games = []
    for chunk, row in zip(re.split(r"\n\n(?=\[Event )", text.strip()), rows):
        tags, san, result = pgn_of(chunk)
        games.append({"white": tags["White"], "black": tags["Black"], "result": result, "san": san,
                      "uci": row[4].split(), "end": row[2], "fen": row[3]})
        assert len(san) == len(games[-1]["uci"]) == int(row[1])
    assert len(games) == len(rows)
    return games
