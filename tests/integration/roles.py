"""Roles at the control socket: other accounts of this machine ask, and get what is theirs.

The daemon is root's here, and its socket is opened for everybody, so that only the roles stand
between an account and the store. Accounts that every Debian has lend their names.
"""
import json
import os
import pwd
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

import arbiter
import club
import control
import loop
import mailers
from alerts import await_true
from club import address_of, rfc3339

ADMIN, INSIDE, OUTSIDE, STRANGER = "daemon", "games", "man", "nobody"
ROLES = f"""
[account {ADMIN}]
role = admin

[account {INSIDE}]
role = arbiter
events = KO-*

[account {OUTSIDE}]
role = arbiter
events = CUP
"""
# Who plays in CUP alone, and what must not be seen of it by the arbiter of KO-*.
FOREIGN = re.compile(r"CUP|emi\b|finn|gita|Tanaka|O'Neil|Rao", re.I)
TOKEN = re.compile(r"\b[a-z2-7]{20}\b")
NOT_HIS = re.compile(r"there is no (game( in)?|tournament|player|message) (\S+)\n")

LOCAL = "local"
# What comes of it: for an admin, the arbiter of the event, another arbiter. `absent`: the same
# line as for what is not there.
COMMANDS = {
    "import": [("{file}", "done admin admin")],
    "games": [("", "done done done"), ("--tournament KO-50.2", "done done done")],
    "game": [("KO-50.2/1", "done done absent")],
    "log": [("KO-50.2/1", "done done absent")],
    "crosstable": [("KO-50.2", "done done absent")],
    "pgn": [("", "done done done"), ("KO-50.2/1", "done done absent"),
            ("--tournament KO-50.2", "done done absent")],
    "players": [("", "done done done")],
    "player": [("anna", "done done absent"), ("carla", "done done done"),
               ("anna --language fi", "done admin admin")],
    "messages": [("", "done done done")],
    "message": [("{message}", "done done absent"), ("{message} --raw", "done admin admin"),
                ("{message} --retry", "done admin admin"),
                ("{message} --as KO-50.2/1", "done admin admin"), ("{stray}", "done absent absent")],
    "outbox": [("", "done done done")],
    "retry": [("{mail}", "done admin admin")],
    "rule": [("KO-50.2/1 penalty white 1", "done done absent"),
             ("KO-50.2/1 accept-address white {role}@new.example", "done done absent"),
             ("KO-50.2/2 accept-address white {role}@other.example", "done reach absent"),
             ("KO-50.2/1 result 2-0", "usage usage usage")],
    "leave": [("anna {leave}", "done done absent"), ("carla {leave}", "done reach reach")],
    "stop": [("KO-M/1 white {stop} --grant", "done done absent"),
             ("KO-M/2 white {stop} --grant", "done reach absent"),
             ("KO-M/2 white {stop}", "rules reach absent"),
             ("KO-M/2 white --withdraw 0", "done reach absent")],
    "lotto": [("KO-M/1 --drawn 7", "rules rules absent")],
    "bulletin": [("KO-M", "done done absent")],
    "announce": [("KO-50.2 Good luck", "done done absent"), ("KO-50.2 Hello --now {soon}", "done admin admin")],
    "withdraw": [("{withdraws}", "done done absent"), ("carla", "done reach reach")],
    "read": [("{file}", "opens opens opens")],
    "status": [("", "done done done")],
    "export": [("{new}", "opens opens opens")],
    "verify": [("", "opens opens opens")],
    "backup": [("{new}", "opens opens opens")],
    "pause": [("", "done admin admin")],
    "resume": [("", "done admin admin")],
    "reload": [("", "done admin admin")],
    # Nobody's store is looked at.
    "replay": [("{new} --into {new}", LOCAL)],
    "move": [("--fen {fen} e4", LOCAL)],
    "perft": [("{fen} 1", LOCAL)],
    "draws": [("{fen}", LOCAL)],
    "validate": [("{file}", LOCAL)],
    "clock": [("", LOCAL)],
}


def accounts_are_there():
    try:
        return os.geteuid() == 0 and all(pwd.getpwnam(name).pw_uid for name in (ADMIN, INSIDE, OUTSIDE, STRANGER))
    except KeyError:
        return False


@unittest.skipUnless(accounts_are_there(), "only root can be other accounts, and these must be there")
class RolesTest(club.ClubTest):
    def setUp(self):
        super().setUp()
        # Where every account can get at them.
        programs = Path(tempfile.mkdtemp(prefix="zugpost-test-"))
        self.addCleanup(shutil.rmtree, programs, ignore_errors=True)
        self.program = shutil.copy(club.CONTROL, programs / "zugpostctl")
        programs.chmod(0o755)
        self.place = self.club()
        for folder in (self.folder, self.place.top, self.place.top / "store"):
            folder.chmod(0o711)
        self.configure(ROLES)
        self.now = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(hours=1)
        self.play()
        self.daemon = loop.Daemon(self.place)
        self.addCleanup(self.daemon.kill)
        self.daemon.notified("READY=1")
        os.chmod(self.place.top / "store/control.sock", 0o666)

    def configure(self, roles):
        text = club.CONFIGURATION.format(top=self.place.top, otherwise="confirm")
        self.place.config.write_text(text + roles, encoding="utf-8")

    def play(self):
        """Three events with something of everything, and mails that wait."""
        begun = self.now - timedelta(hours=1)
        for text in (club.tournament_text([("anna", "bruno"), ("carla", "dmitri")], start=rfc3339(begun)),
                     arbiter.mclink_text([("anna", "bruno"), ("carla", "dmitri")], code="KO-M",
                                         start=rfc3339(begun), players=club.PLAYERS[:4]),
                     club.tournament_text([("carla", "emi"), ("finn", "gita")], code="CUP",
                                          start=rfc3339(begun))):
            # MC-link's codes are of the whole club.
            code = re.search(r"\[tournament (.*)\]", text)[1]
            for number in (1, 2):
                text = text.replace(f"[game {number}]", f"[game {number}]\ncode = {code[-1]}{number}00")
            self.place.import_text(text)
        mails = self.place.once(self.now)
        for serial, (player, game, words) in enumerate((
                ("anna", "KO-50.2/1", "1. e5"), ("carla", "CUP/1", "1. e5"), ("finn", "CUP/2", "Hello!"),
                ("carla", "KO-50.2/2", "1. e4"))):
            mail, = club.find(mails, "pairing", address_of(player), game)
            self.place.drop(mailers.letter(mail, address_of(player), self.now, words, serial=serial), self.now)
        self.place.drop(b"From: spam@elsewhere.example\nTo: moves@club.example\nSubject: hi\n\nHello emi\n", self.now)
        self.now += timedelta(minutes=1)
        self.place.once(self.now)
        (self.place.top / "out").rename(self.place.top / "away")
        for game in ("KO-50.2/1", "CUP/1"):
            self.place.control("rule", game, "penalty", "white", 1, "--now", rfc3339(self.now))
        self.by_game = {message["game"]: message["id"] for message in self.place.messages()}

    def ask(self, account, *operands, code=None):
        entry = pwd.getpwnam(account)
        done = subprocess.run(
            [self.program, "--config", self.place.config, *map(str, operands)], env=self.place.environment(),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/", check=False,
            timeout=club.PASS_TIMEOUT, user=entry.pw_uid, group=entry.pw_gid, extra_groups=[])
        done.stdout, done.stderr = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        if code is not None:
            self.assertEqual(done.returncode, code, (account, operands, done.stdout, done.stderr))
        return done

    def json(self, account, *operands):
        return json.loads(self.ask(account, *operands, "--json", code=0).stdout)

    def events(self, kind="command"):
        """Of the log: the data of one kind."""
        with sqlite3.connect(f"file:{self.place.top}/store/zugpost.db?mode=ro", uri=True) as store:
            rows = store.execute("SELECT data FROM event WHERE kind = ? ORDER BY id", (kind,)).fetchall()
        store.close()
        return [json.loads(data) for data, in rows]

    # ---- Every command ----

    def fill_in(self, operands, role):
        later = datetime.now(timezone.utc) + timedelta(days={ADMIN: 20, INSIDE: 40}.get(role, 60))
        values = {
            "file": self.place.top / "tournament.ini", "new": self.place.top / "not-there",
            "message": self.by_game["KO-50.2/1"], "stray": self.by_game[None], "mail": self.mail, "role": role,
            "leave": f"{later:%Y-%m-%d} {later + timedelta(days=2):%Y-%m-%d}",
            "stop": f"{rfc3339(later)} {rfc3339(later + timedelta(days=3))}",
            "withdraws": {ADMIN: "anna"}.get(role, "bruno"),
            "soon": rfc3339(datetime.now(timezone.utc) + timedelta(seconds=5)), "fen": "4k3/8/8/8/8/8/4P3/4K3_w_-_-_0_1",
        }
        return [word.replace("_", " ") if "/8/" in word else word for word in operands.format(**values).split()]

    def word_for(self, done, role, operands):
        """What came of it, in a word of the table."""
        if done.returncode == 2:
            self.assertRegex(done.stderr, "^usage: ")
            return "usage"
        if done.returncode == 0:
            return "done"
        self.assertEqual(done.returncode, 1, operands)
        if (role, operands[0]) != (ADMIN, "stop"):  # what the rules say of each game
            self.assertEqual(done.stdout, "", operands)
        self.assertRegex(done.stderr, r"\A[^\n]+\n\Z")
        for word, said in (("admin", "is for administrators"), ("stranger", "no [account NAME] in"),
                           ("reach", "this reaches all unfinished games of"),
                           ("opens", "is for root and the daemon's own account")):
            if said in done.stderr:
                return word
        absent = NOT_HIS.fullmatch(done.stderr)
        if not absent:
            return "rules"
        # Word by word what is said of something that nobody has.
        name = absent[3]
        other = {"game": "NONE/1", "message": "99999"}.get(absent[1], "NONE")
        again = self.ask(role, *(other if word == name else word for word in operands))
        self.assertEqual(again.stderr.replace(other, name), done.stderr)
        return "absent"

    def test_every_command(self):
        listed = re.findall(r"^  (\S+)", self.place.control("--help"), re.M)
        self.assertEqual(sorted(listed), sorted(COMMANDS))
        self.mail = self.place.json("outbox")[0]["id"]
        entered = []
        for command, cases in COMMANDS.items():
            for operands, wanted in cases:
                for role in (OUTSIDE, STRANGER, INSIDE, ADMIN):
                    with self.subTest(command=command, operands=operands, role=role):
                        self.check(command, operands, role, wanted, entered)
        # Who has entered what is kept; what was refused is not.
        kept = [(data.get("by"), data["command"][0]) for data in self.events() if "by" in data]
        self.assertEqual(kept, entered)
        self.assertEqual(set(by for by, _ in kept), {ADMIN, INSIDE})
        self.assertEqual(self.daemon.stop(), 0)

    def check(self, command, operands, role, wanted, entered):
        before = self.events()
        words = self.fill_in(operands, role)
        done = self.ask(role, command, *words)
        if wanted == LOCAL:
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertNotRegex(done.stderr, "administrators|no .account NAME|own account")
            return
        got = self.word_for(done, role, [command, *words])
        if role == STRANGER:
            self.assertEqual(got, "opens" if wanted.startswith("opens") else "stranger", done.stderr)
        else:
            self.assertEqual(got, wanted.split()[[ADMIN, INSIDE, OUTSIDE].index(role)], done.stderr)
        new = self.events()[len(before):]
        if got != "done" and not (command == "stop" and got == "rules"):
            self.assertEqual(new, [])
        for data in new:
            self.assertEqual(data["by"], role)
            entered.append((role, data["command"][0]))
        changes = command in ("import", "retry", "rule", "leave", "stop", "bulletin", "announce", "withdraw",
                              "pause", "resume") or "--retry" in operands or "--language" in operands
        if got == "done" and changes and command != "import":
            self.assertEqual(len(new), 1)

    # ---- What an arbiter sees ----

    def test_nothing_of_other_events(self):
        """No list, no field and no fault shows the arbiter of KO-* that there is CUP."""
        self.place.control("leave", "carla", "2030-01-01", "2030-01-05", "--approve")
        everything = [["games"], ["pgn"], ["players"], ["messages"], ["outbox"], ["status"],
                      ["crosstable", "KO-50.2"], ["player", "carla"], ["games", "--player", "carla"],
                      ["games", "--player", "emi"], ["games", "--tournament", "CUP"]]
        for game in ("KO-50.2/1", "KO-50.2/2", "KO-M/1", "KO-M/2"):
            everything += [["game", game], ["log", game], ["pgn", game]]
        everything += [["message", number] for number in range(1, 8)]
        for words in everything:
            for form in ([], ["--json"]):
                with self.subTest(words=words, form=form):
                    done = self.ask(INSIDE, *words, *form)
                    seen = done.stdout + done.stderr
                    self.assertIsNone(FOREIGN.search(seen), seen)
                    self.assertIsNone(TOKEN.search(seen), seen)
        self.assertEqual([game["id"] for game in self.json(INSIDE, "games")],
                         ["KO-50.2/1", "KO-50.2/2", "KO-M/1", "KO-M/2"])
        self.assertEqual([game["id"] for game in self.json(OUTSIDE, "games")], ["CUP/1", "CUP/2"])
        self.assertEqual([one["id"] for one in self.json(INSIDE, "players")], ["anna", "bruno", "carla", "dmitri"])
        carla = self.json(INSIDE, "player", "carla")
        self.assertEqual(carla["games"], ["KO-50.2/2", "KO-M/2"])
        self.assertEqual({leave["tournament"] for leave in carla["leaves"]}, {"KO-50.2"})
        self.assertEqual({leave["tournament"] for leave in self.place.json("player", "carla")["leaves"]},
                         {"KO-50.2", "CUP"})
        self.assertEqual({message["game"] for message in self.json(INSIDE, "messages")},
                         {"KO-50.2/1", "KO-50.2/2"})
        self.assertEqual({mail["game"][:3] for mail in self.json(INSIDE, "outbox")}, {"KO-"})
        self.assertEqual({mail["game"][:3] for mail in self.json(ADMIN, "outbox") if mail["game"]}, {"KO-", "CUP"})
        self.assertEqual(len(self.json(INSIDE, "pgn")), 4)
        status = self.json(INSIDE, "status")
        self.assertEqual(status["games"], {"scheduled": 0, "active": 4, "suspended": 0, "finished": 0})
        self.assertEqual(self.json(ADMIN, "status")["games"]["active"], 6)
        for role, start in ((INSIDE, "KO-"), (OUTSIDE, "CUP")):
            status = self.json(role, "status")
            self.assertTrue(status["next"]["game"].startswith(start))
            self.assertEqual(status["next"]["at"], status["next_deadline"])
        # Even where only the words of a fault could tell.
        taken = self.ask(INSIDE, "rule", "KO-50.2/1", "accept-address", "white", address_of("emi"), code=1)
        self.assertIsNone(re.search("CUP|player emi", taken.stderr), taken.stderr)
        self.assertEqual(self.daemon.stop(), 0)

    # ---- Who entered it ----

    def test_the_log_names_the_account(self):
        self.ask(INSIDE, "rule", "KO-50.2/1", "penalty", "white", 2, "--reason", "late", code=0)
        self.place.control("rule", "KO-50.2/1", "penalty", "black", 1)
        self.ask(INSIDE, "leave", "anna", "2030-02-01", "2030-02-03", "--approve", code=0)
        self.ask(INSIDE, "stop", "KO-M/1", "white", "2030-03-01T00:00:00Z", "2030-03-04T00:00:00Z", "--grant", code=0)
        self.ask(ADMIN, "withdraw", "bruno", code=0)
        texts = {game: [(entry["by"], entry["text"]) for entry in self.json(INSIDE, "log", game)]
                 for game in ("KO-50.2/1", "KO-M/1", "KO-50.2/2")}
        one, other, third = texts.values()
        for entry in ((INSIDE, "ruling: penalty white 2 (late); entered by games"), (None, "ruling: penalty black 1"),
                      (INSIDE, "leave of anna: 2030-02-01 to 2030-02-03; entered by games"),
                      (ADMIN, "bruno withdraws; entered by daemon")):
            self.assertEqual(one.count(entry), 1, one)
        self.assertEqual([by for by, text in other if text.startswith("order to grant a stop of white")], [INSIDE])
        self.assertEqual(other.count((ADMIN, "bruno withdraws; entered by daemon")), 1)
        self.assertEqual({by for by, _ in third}, {None})
        self.assertIn("penalty white 2 (late); entered by games", self.ask(OUTSIDE, "log", "KO-50.2/1", code=1).stdout
                      or self.ask(INSIDE, "log", "KO-50.2/1", code=0).stdout)
        # It all follows from the inputs, on machines too that know no such account.
        self.assertEqual(self.daemon.stop(), 0)
        export, copy = self.place.top / "export", self.place.top / "copy.db"
        self.place.control("export", export)
        text = (export / "events.jsonl").read_text(encoding="utf-8")
        self.assertEqual(text.count('"by":"games"'), 3)
        self.place.control("replay", export, "--into", copy)
        self.assertTrue(copy.exists())

    # ---- The configuration ----

    def test_roles_come_and_go(self):
        """From the reload on, without an end to the daemon."""
        self.ask(STRANGER, "games", code=1)
        told = self.ask(STRANGER, "status", code=1).stderr
        self.assertIn(f"no [account NAME] in {self.place.config} gives a role to the account with uid 65534", told)
        self.configure(ROLES.replace("events = CUP", "events = KO-50.2").replace(ADMIN, STRANGER)
                       + "[account no-such-account]\nrole = admin\n")
        self.ask(ADMIN, "reload", code=0)
        await_true(lambda: self.ask(STRANGER, "games").returncode == 0, "a new admin")
        self.ask(ADMIN, "games", code=1)
        self.assertEqual({game["tournament"] for game in self.json(OUTSIDE, "games")}, {"KO-50.2"})
        line = self.place.config.read_text(encoding="utf-8").split("\n").index("[account no-such-account]") + 1
        self.assertIn(f"{self.place.config}:{line}: account no-such-account: this machine has none of that name",
                      self.daemon.words())
        done = self.place.run(club.DAEMON, "--config", self.place.config, "--check")
        self.assertEqual((done.returncode, done.stderr),
                         (78, f"{self.place.config}:{line}: account no-such-account: this machine has none of that "
                              "name\n"))
        # A faulty one leaves every role as it is.
        good = self.place.config.read_text(encoding="utf-8")
        self.configure(ROLES.replace("events = CUP", ""))
        self.daemon.process.send_signal(signal.SIGHUP)
        await_true(lambda: "the old one stays" in self.daemon.words(), "a word on the reload")
        self.place.config.write_text(good, encoding="utf-8")
        self.ask(STRANGER, "games", code=0)
        self.configure("")
        self.assertEqual(self.place.run(club.DAEMON, "--config", self.place.config, "--check").returncode, 0)
        self.assertEqual(self.daemon.stop(), 0)

    def hold(self, account):
        """Opens 30 connections as that account: what each is told, and who holds them."""
        entry = pwd.getpwnam(account)
        text = ("import socket, sys\n"
                "held = [socket.socket(socket.AF_UNIX) for _ in range(30)]\n"
                "for one in held: one.connect(sys.argv[1]); print(one.recv(5)[4])\n"
                "sys.stdout.flush(); sys.stdin.read()\n")
        process = subprocess.Popen(["/usr/bin/python3", "-c", text, self.place.top / "store/control.sock"], text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/", user=entry.pw_uid,
                                   group=entry.pw_gid, extra_groups=[])
        self.addCleanup(process.communicate)
        return [int(process.stdout.readline()) for _ in range(30)]

    def test_one_account_leaves_room(self):
        """However many connections it opens and holds; all together leave room for root."""
        self.assertEqual(self.hold(INSIDE), [control.READY] * 8 + [control.BUSY] * 22)
        began = time.monotonic()
        self.ask(OUTSIDE, "games", code=0)
        self.assertEqual(self.hold(OUTSIDE), [control.READY] * 8 + [control.BUSY] * 22)
        self.place.control("pause")
        self.assertLess(time.monotonic() - began, 5)
        self.assertEqual(self.daemon.stop(), 0)

    def test_without_a_daemon(self):
        """An account that may not open the store is told so, and does not wait for long."""
        self.assertEqual(self.daemon.stop(), 0)
        for words in (["games"], ["rule", "KO-50.2/1", "penalty", "white", 1], ["verify"]):
            done = self.ask(INSIDE, *words, code=1)
            self.assertRegex(done.stderr, r"\A[^\n]*Permission denied[^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main()
