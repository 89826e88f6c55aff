"""Games relayed through real servers, Dovecot (IMAP over TLS) and a mail server that takes mail
(SMTP over TLS), while whoever takes part is killed or stopped at random instants: the main
process, its workers, either server.

At the end everything is as in a run that nobody disturbed: the games, the verdicts, every mail by
its Message-ID in the order in which its reader got it. A mail came twice only if nobody could
know that it had come, and the store follows from its inputs.

    ZUGPOST_TEST_CRASHPROOF="SEED GAMES DISTURBANCES" crashproof.py [Killed | Stopped]
"""
import json
import os
import random
import re
import select
import signal
import subprocess
import sys
import time
import unittest
from collections import Counter, defaultdict
from datetime import datetime, timedelta, timezone
from functools import cached_property
from pathlib import Path

import club
import dovecot
import mailers
import smtp_server
from certificates import Certificates
from club import address_of, rfc3339
from imap import ImapClub
from loop import Daemon

SEED, GAMES, DISTURBANCES = map(int, os.environ.get("ZUGPOST_TEST_CRASHPROOF", "3 4 20").split())
LIMIT = 120.0  # so long nothing may happen
HASTE = {"ZUGPOST_TEST_DELIVERY_HASTE": "60", "ZUGPOST_TEST_MAIL_TIMING": "60000 5000 100 1000"}
WRITTEN = datetime(2026, 1, 10, 8, 0, tzinfo=timezone.utc)  # what players' mails say of their time
PLAYERS = [(f"p{i}", f"Player, Number {i}", zone)
           for i, (_, _, zone) in enumerate(club.PLAYERS * 5)]
FOOLS_MATE = ["f3", "e5", "g4", "Qh4#"]

# Who is killed or stopped, and how often.
VICTIMS = {"main": 3, "intake": 2, "delivery": 2, "reader": 1, "imap": 1, "smtp": 1}
WORKERS = ("intake", "delivery", "reader")
# After these nobody may know whether a mail has been taken.
UNKNOWN = {"main", "delivery", "smtp"}
# What tells of a disturbance is not part of the games.
NOTICES = {"admin"}
# Seconds of a pause: short ones, and one that is longer than anybody waits for the victim.
PAUSES, LONG_PAUSES = (0.01, 0.1, 0.3, 1.0), {"main": 3, "intake": 3, "delivery": 3, "reader": 11,
                                              "imap": 4, "smtp": 7}


# ---- The mail server that takes mail: a process of its own ----

class Taken:
    """Keeps each mail in a folder before the server says yes to it."""

    def __init__(self, folder):
        self.folder, self.count = folder, 0

    def append(self, mail):
        self.count += 1
        name = f"{time.time_ns()}.{os.getpid()}.{self.count}"
        path = self.folder / "tmp" / name
        path.write_bytes(f"Return-Path: <{mail.sender}>\nDelivered-To: {mail.recipients[0]}\n".encode()
                         + mail.data.replace(b"\r\n", b"\n"))
        path.rename(self.folder / "new" / name)


def serve_smtp(port, certificate, folder):
    """At the port where the last one was."""
    smtp_server.Server(certificate, implicit=True, auth="PLAIN", port=int(port), taken=Taken(Path(folder)))
    sys.stdin.read()  # until the test ends


class Sink:
    def __init__(self, certificates, folder):
        self.command = [sys.executable, "-B", __file__, "--smtp", dovecot.free_port(),
                        certificates.server("smtp"), folder]
        self.port = self.command[4]
        self.start()

    def start(self):
        self.process = subprocess.Popen(list(map(str, self.command)), stdin=subprocess.PIPE)

    def processes(self):
        return [self.process.pid]

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()


# ---- Dovecot, whose processes all end at once ----

class Mortal(dovecot.Dovecot):
    own_session = True

    def processes(self):
        """Everyone of the session that it was started in, the master first."""
        found = []
        for status in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = status.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[3]) == self.process.pid and fields[0] != "Z":
                found.append(int(status.parent.name))
        return sorted(found, key=lambda pid: pid != self.process.pid)

    def end(self):
        """A power failure, as far as the server's processes can tell."""
        while self.process and (rest := self.processes()):
            for pid in rest:
                send(pid, signal.SIGKILL)
            self.process.poll()
        self.process.wait()
        self.process.stderr.close()
        self.process = None


def send(pid, number):
    """False if it has gone."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def worker_of(main, kind):
    """The process of that worker, or None."""
    try:
        children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        for pid in children:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if words[1:3] == [b"--worker", kind.encode()]:
                return int(pid)
    except OSError:
        pass
    return None


# ---- The games ----

def typed(line, ply, move, more=""):
    """A move with the one before it, which has to be repeated."""
    number = ply // 2 + 1
    if ply % 2:
        return f"{number}. {line[ply - 1]} {move}{more}"
    return f"{f'{number - 1}... {line[ply - 1]} ' if ply else ''}{number}. {move}{more}"


def script_of(number, games):
    """What the players of a game write: for each ply the texts, all but the last refused."""
    line = FOOLS_MATE if number % 4 == 0 else games[number % len(games)]["san"]
    texts = [[typed(line, ply, san)] for ply, san in enumerate(line)]
    if number % 4 == 0:
        return [[typed(line, 0, "Ke2"), *texts[0]], *texts[1:]]
    if number % 4 == 1:
        return texts
    if number % 4 == 2:
        return [*texts[:3], [typed(line, 3, "Ke4"), *texts[3]], *texts[4:6], ["I resign"]]
    return [*texts[:4], [typed(line, 4, line[4], "\ndraw")], ["I accept the draw"]]


class Run:
    """One season of all games, disturbed or not."""

    def __init__(self, test, place, mailbox, server, sink, scripts):
        self.test, self.place, self.mailbox, self.server, self.sink = test, place, mailbox, server, sink
        self.scripts = scripts
        self.watch = club.Watch(place.top / "out/new")
        test.addCleanup(self.watch.close)
        self.daemon = None
        self.arrived = defaultdict(list)  # Message-ID: mails, in the order of their coming
        self.answers = []                 # (file name, bytes) that players have written, not sent
        self.sent = 0
        self.refused = Counter()
        self.done = Counter()             # disturbances by victim
        self.log = []                     # (instant in ns, victim) of each, the end of a pause too
        self.progress = time.monotonic()
        self.set_aside = 0

    # ---- Players ----

    def answer(self, mail):
        """The player who is on the move answers a move, a pairing or a refusal."""
        if mail.kind not in ("pairing", "move", "refusal") or mail.to == club.DIRECTOR:
            return
        number, ply = int(mail.game.split("/")[1]), mail.ply or 0
        script = self.scripts[number]
        white = mail.to == address_of(self.test.pairs[number - 1][0])
        if ply >= len(script) or white != (ply % 2 == 0):
            return
        if mail.kind == "refusal":
            self.refused[number, ply] += 1
        attempt = self.refused[number, ply]
        self.test.assertLess(attempt, len(script[ply]), mail.text)
        when = WRITTEN + timedelta(hours=ply, minutes=attempt)
        name = f"{number}.{ply}.{attempt}"
        raw = mailers.letter(mail, mail.to, when, script[ply][attempt], quote=False,
                             Message_ID=f"<{name}@players.example>")
        self.answers.append((name, raw))

    def take_arrivals(self):
        """True if anything came."""
        fresh = self.place.new_mails()
        for mail in fresh:
            self.arrived[mail.id].append(mail)
            if len(self.arrived[mail.id]) == 1 and mail.kind not in NOTICES:
                self.answer(mail)
        if fresh:
            self.progress = time.monotonic()
        return bool(fresh)

    def drop(self, name, raw):
        """As Dovecot's delivery would do it: no server need be there, and the outcome is known."""
        temporary = self.mailbox / "tmp" / name
        temporary.write_bytes(raw)
        if os.geteuid() == 0:
            os.chown(temporary, *self.test.owner)
        temporary.rename(self.mailbox / "new" / name)
        self.sent += 1

    # ---- The daemon ----

    def start(self):
        self.daemon = Daemon(self.place, HASTE)
        self.test.addCleanup(self.daemon.kill)
        self.ready = False

    def await_ready(self):
        """Before that zugpostctl would take the store for itself."""
        if not self.ready:
            self.daemon.notified("READY=1")
            self.ready = True

    def look_after(self):
        """It never ends by itself."""
        self.test.assertIsNone(self.daemon.process.poll(), self.daemon.log)

    def retry_set_aside(self):
        """A reader that is killed twice over the same mail is no fault of the mail."""
        self.await_ready()
        for message in self.place.json("messages", "--verdict", "unparsable-mail"):
            self.place.control("message", message["id"], "--retry")
            self.set_aside += 1
        self.progress = time.monotonic()

    # ---- Disturbances ----

    def processes(self, victim):
        if victim == "main":
            return [self.daemon.process.pid]
        if victim in WORKERS:
            pid = worker_of(self.daemon.process.pid, victim)
            return [pid] if pid else []
        return (self.server if victim == "imap" else self.sink).processes()

    def note(self, victim):
        self.log.append((time.time_ns(), victim))
        self.progress = time.monotonic()

    def kill(self, victim):
        if victim in WORKERS:
            if not any(send(pid, signal.SIGKILL) for pid in self.processes(victim)):
                return
        elif victim == "main":
            if self.daemon.process.poll() is not None:
                return
            self.daemon.kill()
            self.start()
        else:
            server = self.server if victim == "imap" else self.sink
            server.end()
            server.start()
        self.done[victim] += 1
        self.note(victim)

    def stop(self, victim):
        """Stops it for a while, sometimes for longer than anybody waits for it."""
        pids = [pid for pid in self.processes(victim) if send(pid, signal.SIGSTOP)]
        if not pids:
            return
        self.done[victim] += 1
        self.note(victim)
        lengths = (*PAUSES, LONG_PAUSES[victim])
        end = time.monotonic() + self.test.random.choices(lengths, (4, 4, 4, 3, 1))[0]
        while (left := end - time.monotonic()) > 0:
            self.wait(left)
            self.take_arrivals()
            self.release()
        for pid in pids:
            send(pid, signal.SIGCONT)
        self.note(victim)

    # ---- Play ----

    def wait(self, seconds):
        try:
            self.watch.wait(min(seconds, 0.5))
        except TimeoutError:
            pass

    def await_mail(self, seconds):
        """The very next one."""
        try:
            while True:
                self.watch.wait(0)
        except TimeoutError:
            pass
        try:
            self.watch.wait(seconds)
        except TimeoutError:
            pass

    def release(self):
        """Answers go out as fast as disturbances allow: these are spread over all of them."""
        allowed = self.test.total
        if self.count:
            allowed = self.test.total * (sum(self.done.values()) + 1) // self.count + 1
        while self.answers and self.sent < allowed:
            self.drop(*self.answers.pop(0))

    def disturbed(self):
        """The next disturbance comes after some mails or seconds, and then at any moment."""
        rng = self.test.random
        victim, = rng.choices(list(VICTIMS), list(VICTIMS.values()))
        end = time.monotonic() + rng.uniform(0.2, 2)
        before, wanted = len(self.arrived), rng.randrange(5)
        self.release()
        while len(self.arrived) - before < wanted and (left := end - time.monotonic()) > 0:
            self.wait(left)
            self.take_arrivals()
            self.release()
        if rng.random() < 0.6:
            # In the middle of the work: a mail has just come, and may not be on record yet.
            self.await_mail(2)
            select.select([], [], [], rng.choice((0, 0.003, 0.02)) * rng.random())
        else:
            select.select([], [], [], rng.choice((0.02, 0.1, 0.4)) * rng.random())
        self.disturb(victim)

    def play(self, wanted=None, disturb=None, count=0):
        """Until the mails WANTED (or the results of all games) are there; COUNT times DISTURB."""
        self.disturb, self.count = disturb and getattr(self, disturb), count
        began = time.monotonic()
        self.start()
        while True:
            self.take_arrivals()
            self.look_after()
            self.release()
            if sum(self.done.values()) < count:
                self.disturbed()
                continue
            if self.finished(wanted):
                break
            self.wait(0.5)
            quiet = time.monotonic() - self.progress
            if quiet > 5 and self.done["reader"]:
                self.retry_set_aside()
            if time.monotonic() - self.moved() > LIMIT:
                self.test.fail(self.state())
        self.rest()
        self.seconds = time.monotonic() - began

    def moved(self):
        """When it last got any further."""
        known = (len(self.arrived), self.sent, self.inbox())
        if known != getattr(self, "known", None):
            self.known, self.known_at = known, time.monotonic()
        return self.known_at

    def state(self):
        games = [(game["id"], game["ply"], game["state"]) for game in self.place.json("games")]
        return "\n".join(map(str, (games, self.place.json("outbox"), self.place.json("status"),
                                   self.known, self.done, self.log[-20:], self.daemon.words()[-6000:])))

    def inbox(self):
        return sum(len(os.listdir(self.mailbox / part)) for part in ("new", "cur"))

    def finished(self, wanted):
        if self.answers or self.inbox():
            return False
        if wanted is not None:
            return wanted <= set(self.arrived)
        results = Counter(mail[0].game for mail in self.arrived.values() if mail[0].kind == "result")
        return len(results) == len(self.scripts) and min(results.values()) == 3

    def rest(self):
        """What is taken is on record; then the daemon ends."""
        self.await_ready()
        end = time.monotonic() + LIMIT
        while any(row["state"] == "waiting" for row in self.place.json("outbox")):
            if time.monotonic() > end:
                self.test.fail(self.state())
            self.wait(0.2)
        self.test.assertEqual(self.daemon.stop(), 0)
        self.take_arrivals()

    # ---- What came of it ----

    @cached_property
    def outcome(self):
        """All that must not depend on disturbances."""
        games = []
        for number in sorted(self.scripts):
            game = self.place.game(number)
            kept = {name: game[name] for name in
                    ("id", "state", "result", "termination", "ply", "to_move", "fen", "uci", "san",
                     "draw_offer", "held", "deadline")}
            kept["ledger"] = [(row["ply"], row["by"], row["penalty"]) for row in game["ledger"]]
            kept["penalties"] = [game[side]["clock"]["penalties"] for side in ("white", "black")]
            games.append(kept)
        sequences = defaultdict(list)
        for mails in self.arrived.values():
            if mails[0].kind not in NOTICES:
                sequences[mails[0].game, mails[0].to].append((*mails[0].identity, mails[0].verdict))
        messages = Counter((message["verdict"], message["game"]) for message in self.place.messages())
        return {"games": games, "mails": dict(sequences), "messages": messages}


class CrashproofTest(club.ClubTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        base = Path(club.tempfile.mkdtemp(prefix="zugpost-test-", dir=club.scratch_folder()))
        cls.addClassCleanup(club.shutil.rmtree, base, ignore_errors=True)
        cls.certificates = Certificates(base / "certificates")
        cls.server = Mortal(base / "dovecot", cls.certificates)
        cls.addClassCleanup(lambda: cls.server.process and cls.server.end())
        cls.owner = (base / "dovecot/mail").stat().st_uid, (base / "dovecot/mail").stat().st_gid

    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        sources = sorted(club.real_games(), key=lambda game: len(game["san"]))
        sources = [game for game in sources if len(game["san"]) < 18 and game["end"] == "checkmate"]
        idents = [ident for ident, _, _ in PLAYERS]
        self.pairs = [(idents[i % 40], idents[(i * 7 + 1 + i // 40) % 40]) for i in range(GAMES)]
        self.pairs = [(a, b if a != b else idents[(i + 20) % 40]) for i, (a, b) in enumerate(self.pairs)]
        self.scripts = {number: script_of(number, sources) for number in range(1, GAMES + 1)}
        self.total = sum(len(texts) for script in self.scripts.values() for texts in script)
        # One store for all runs: the same secret makes the same Message-IDs.
        self.first = self.club("first")
        begun = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(hours=1)
        self.first.import_text(club.tournament_text(self.pairs, start=rfc3339(begun), players=PLAYERS))

    def run_of(self, name):
        """A run with the same store, an account and a mail server of its own."""
        place = ImapClub(self.folder / name, self.server)
        self.addCleanup(self.verify, place)
        club.shutil.copytree(self.first.top / "store", place.top / "store", dirs_exist_ok=True)
        sink = Sink(self.certificates, place.top / "out")
        self.addCleanup(sink.end)
        (place.top / "secret").write_text(smtp_server.PASSWORD, encoding="utf-8")
        text = place.config.read_text(encoding="utf-8")
        text = text.replace(f"target = maildir:{place.top}/out", "\n".join([
            f"target = smtps://{smtp_server.USER}@localhost:{sink.port}", "auth = plain",
            f"password = file:{place.top}/secret", f"ca-file = {self.server.ca_file}", "timeout = 1s"]))
        place.config.write_text(text.replace("timeout = 5s", "timeout = 2s"), encoding="utf-8")
        mailbox = self.server.top / "mail" / place.user
        for part in ("", "new", "cur", "tmp"):
            (mailbox / part).mkdir()
            if os.geteuid() == 0:
                os.chown(mailbox / part, *self.owner)
        return Run(self, place, mailbox, self.server, sink, self.scripts)

    def check(self, run, calm):
        for what, wanted in calm.outcome.items():
            self.assertEqual(run.outcome[what], wanted)
        self.assertEqual(run.place.json("outbox"), [])
        self.check_archive(run)
        self.check_deliveries(run)
        words = run.daemon.words()
        for secret in (dovecot.PASSWORD, smtp_server.PASSWORD, "players.example"):
            self.assertNotIn(secret, words)
        self.assertEqual(re.findall(r"\b[a-z2-7]{20}\b", words), [])

    def check_archive(self, run):
        """Each mail of a player has left the inbox for the archive, and none was lost."""
        kept = set()
        for folder in (run.mailbox / ".Archive", run.mailbox / ".Rejected"):
            for path in [*folder.glob("new/*"), *folder.glob("cur/*")]:
                kept.add(re.search(rb"^Message-ID: <(.*)@", path.read_bytes(), re.M)[1].decode())
        wanted = {f"{number}.{ply}.{attempt}" for number, script in self.scripts.items()
                  for ply, texts in enumerate(script) for attempt in range(len(texts))}
        self.assertEqual(kept, wanted)
        self.assertEqual((run.inbox(), run.sent), (0, len(wanted)))

    def check_deliveries(self, run):
        """Each mail is on record once, after it came; what came again was the same mail, after
        something that left its fate unknown, and never after it was on record."""
        folder = run.place.top / "export"
        run.place.control("export", folder)
        recorded = {}
        for line in (folder / "events.jsonl").read_text(encoding="utf-8").splitlines():
            event = json.loads(line)
            if event["kind"] == "delivered":
                mail_id = f"<{event['data']['message_id']}>"
                self.assertNotIn(mail_id, recorded)
                recorded[mail_id] = event["at"]
        self.assertEqual(set(recorded), set(run.arrived))
        run.doubled = 0
        for mail_id, mails in run.arrived.items():
            came = [int(mail.path.name.split(".")[0]) for mail in mails]
            self.assertEqual(len({mail.raw for mail in mails}), 1, mail_id)
            self.assertLessEqual(came[-1] // 1_000_000, recorded[mail_id], (mail_id, run.log))
            for before, after in zip(came, came[1:]):
                run.doubled += 1
                self.assertTrue(any(before - 500_000_000 <= when <= after and victim in UNKNOWN
                                    for when, victim in run.log), (mail_id, before, after, run.log))

    def calm_and(self, disturb):
        calm = self.run_of("calm")
        calm.play()
        self.assertEqual({len(mails) for mails in calm.arrived.values()}, {1})
        self.check(calm, calm)
        run = self.run_of("disturbed")
        run.play(set(calm.arrived), disturb, DISTURBANCES)
        self.check(run, calm)
        self.assertGreaterEqual(sum(run.done.values()), DISTURBANCES)
        print(f"{disturb}, seed {SEED}: {GAMES} games, {run.sent} mails in, {len(run.arrived)} out "
              f"({run.doubled} came again), {sum(run.done.values())} disturbances {dict(run.done)}, "
              f"{run.set_aside} set aside and read again, {run.seconds:.0f} s "
              f"({calm.seconds:.0f} s undisturbed)", flush=True)


class Killed(CrashproofTest):
    def test_killed(self):
        self.calm_and("kill")


class Stopped(CrashproofTest):
    def test_stopped(self):
        self.calm_and("stop")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--smtp"]:
        serve_smtp(*sys.argv[2:])
    else:
        unittest.main()
