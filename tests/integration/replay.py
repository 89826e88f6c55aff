"""A store follows from its inputs: export, replay, verify; backup, pause, reload, status; outages."""
import json
import os
import sqlite3
import subprocess
import unittest
from contextlib import closing
from datetime import datetime, timedelta, timezone

import club
import mailers
from club import address_of, instant, rfc3339
from loop import Daemon

START = instant("2026-03-02T09:00:00Z")
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
IECC, RAZSH, MCLINK = "KO-50.2/1", "WT-7/1", "ML-1/1"
FINE = ("accepted", "accepted-with-warning")

SYSTEMS = {
    "KO-50.2": ("rules = iecc", [("anna", "bruno"), ("gita", "hugo")]),
    "WT-7": ("rules = razsh", [("carla", "dmitri")]),
    "ML-1": ("rules = mclink\nmoves-per-manche = 10\nstandard-hours = 480", [("emi", "finn")]),
}

# What a store holds that is not of its inputs: see daemon/store/compare.h.
VOLATILE = {"inbox": {"moved", "reads"}}
FACTS = "('secret', 'last_pass', 'alive', 'target_down_since')"


def tournament(code):
    rules, pairs = SYSTEMS[code]
    text = club.tournament_text(pairs, code=code, start=rfc3339(START), name=f"Event {code}")
    return text.replace("rules = iecc", rules) + ("code = ml01\n" if code == "ML-1" else "")


def contents(path):
    """Every table of a store, row by row."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        tables = [name for name, in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        found = {}
        for table in sorted(tables):
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")
                       if row[1] not in VOLATILE.get(table, ())]
            where = f" WHERE name NOT IN {FACTS}" if table == "fact" else ""
            found[table] = sorted(database.execute(f"SELECT {', '.join(columns)} FROM {table}{where}"),
                                  key=repr)
        return found


class Season:
    """A club with an event of each system, and what its players have before them."""

    def __init__(self, place):
        self.place = place
        for code in SYSTEMS:
            place.import_text(tournament(code), f"{code}.ini")
        self.now = START
        self.serial = 0
        self.mails = []
        self.desk = {}
        self.step(timedelta(minutes=5))

    def step(self, time, code=0):
        self.now += time
        self.mails = self.place.once(self.now, code)
        for mail in self.mails:
            if mail.kind in ("pairing", "move", "repeat") and mail.to.endswith("@players.example"):
                self.desk[mail.game, club.player_of(mail.to)] = mail
        return self.mails

    def say(self, game, who, text, mail=None, **fields):
        """WHO answers his last mail of the game; the verdict."""
        self.serial += 1
        raw = mailers.letter(mail or self.desk[game, who], address_of(who), self.now, text,
                             serial=self.serial, **fields)
        self.place.drop(raw, self.now)
        self.step(timedelta(minutes=1))
        return self.place.messages()[-1]["verdict"]

    def rule(self, *operands, code=0):
        return self.place.control("rule", *operands, "--now", rfc3339(self.now), code=code)

    def play(self, test):
        """Months with nearly everything that can happen."""
        say, step, place = self.say, self.step, self.place
        test.assertEqual(say(IECC, "anna", "1. e4"), "accepted")
        step(6 * HOUR)
        test.assertEqual(say(RAZSH, "carla", "1. d4"), "accepted")
        test.assertIn(say(MCLINK, "emi", "1. c4"), FINE)
        step(DAY)
        # Refused, with and without a penalty, and the same again.
        test.assertEqual(say(IECC, "bruno", "1... Ke6"), "illegal-move")
        test.assertEqual(say(IECC, "bruno", "Nice move! How is the weather?"), "no-move")
        test.assertEqual(say(RAZSH, "dmitri", "1... Qh4"), "illegal-move")
        test.assertIn(say(MCLINK, "finn", "1... e5"), FINE)
        step(DAY)
        # A move that nothing proves, and its confirmation.
        plain = {"Delivered_To": club.ADDRESS, "To": club.ADDRESS, "In_Reply_To": None,
                 "References": None, "Subject": "[KO-50.2 #1]", "quote": False}
        test.assertEqual(say(IECC, "bruno", "1. e4 e5", **plain), "held")
        confirm, = club.find(self.mails, "confirm")
        step(12 * HOUR)
        test.assertEqual(say(IECC, "bruno", "yes", mail=confirm), "command")
        test.assertEqual(place.game(1)["ply"], 2)
        # Another, that is never confirmed.
        test.assertEqual(say(IECC, "anna", "1... e5 2. Nf3", **plain), "held")
        step(4 * DAY)
        # By hand: another player's message, read as one of the game; a leave; a ruling.
        test.assertEqual(say(IECC, "anna", "2. Nf3", **{**plain, "Subject": "[KO-50.2 #7]"}), "unknown-game")
        place.control("message", place.messages()[-1]["id"], "--as", IECC, "--now", rfc3339(self.now))
        place.control("message", place.messages()[-1]["id"], "--retry", "--now", rfc3339(self.now))
        place.control("leave", "gita", "2026-03-20", "2026-03-25", "--approve", "--now", rfc3339(self.now))
        test.assertEqual(say(RAZSH, "dmitri", "1... d5 draw"), "accepted")
        test.assertEqual(say(RAZSH, "carla", "2. c4"), "accepted")
        self.rule(RAZSH, "penalty", "black", "2", "--reason", "told off")
        self.rule(RAZSH, "lift", "black", "2")
        self.rule(RAZSH, "lift", "black", "2", code=1)
        place.control("stop", MCLINK, "white", "2026-03-16T08:00:00Z", "2026-03-18T08:00:00Z",
                      "--now", rfc3339(self.now))
        # The mailbox is away for a pass, and the target for another.
        step(DAY)
        (place.top / "in").rename(place.top / "gone")
        step(DAY, code=75)
        (place.top / "gone").rename(place.top / "in")
        step(2 * HOUR)
        test.assertEqual(say(RAZSH, "dmitri", "2... c6"), "accepted")
        (place.top / "out").rename(place.top / "gone")
        self.serial += 1
        place.drop(mailers.letter(self.desk[MCLINK, "emi"], address_of("emi"), self.now, "2. Nc3",
                                  serial=self.serial), self.now)
        place.run(club.DAEMON, "--config", place.config, "--once", "--now", rfc3339(self.now + HOUR))
        (place.top / "gone").rename(place.top / "out")
        step(2 * HOUR)
        # A bounce, an address that changes, another configuration, a pause.
        place.drop(mailers.bounce(self.desk[MCLINK, "finn"], self.now), self.now)
        step(timedelta(minutes=1))
        place.import_text("[tournament KO-50.2]\n[player hugo]\nemail = hugo@elsewhere.example\n", "hugo.ini")
        text = place.config.read_text(encoding="utf-8")
        place.config.write_text(text.replace("otherwise = confirm", "otherwise = accept"), encoding="utf-8")
        place.control("pause", "--until", rfc3339(self.now + 2 * HOUR), "--now", rfc3339(self.now))
        test.assertIsNone(say(MCLINK, "finn", "2... Nf6", **{**plain, "Subject": "[ML-1 #1]"}))
        step(3 * HOUR)
        test.assertNotIn(place.messages()[-1]["verdict"], (None, "held"))
        # Oversteps, and what is ruled on one; a message that was too late is heard then.
        step(20 * DAY)
        test.assertEqual(place.game(1)["state"], "suspended")
        test.assertEqual(say(IECC, "anna", "2. Nf3"), "held")
        self.rule(IECC, "resume", "--days", "3")
        test.assertEqual(place.game(1)["ply"], 3)
        place.control("withdraw", "carla", "--now", rfc3339(self.now))
        step(30 * DAY)
        test.assertEqual(place.messages()[0]["verdict"], "accepted")


class ReplayTest(club.ClubTest):
    def setUp(self):
        super().setUp()
        self.place = self.club()

    def replay(self, place, name="again"):
        """Another club with a store that is rebuilt from PLACE's inputs."""
        place.control("export", self.folder / f"{name}.export")
        other = place.copy_to(self.folder / name)
        for file in (other.top / "store").iterdir():
            file.unlink()
        other.control("replay", self.folder / f"{name}.export", "--into", other.top / "store/zugpost.db")
        return other

    def test_season(self):
        season = Season(self.place)
        season.play(self)
        self.assertTrue(self.place.json("verify")["identical"])
        other = self.replay(self.place)
        wanted = contents(self.place.top / "store/zugpost.db")
        self.assertEqual(contents(other.top / "store/zugpost.db"), wanted)
        for table in ("address", "event", "fact", "game", "inbox", "leave", "ledger", "outage", "outbox",
                      "player", "stop", "timer", "token", "tournament"):
            self.assertGreater(len(wanted[table]), 0, table)
        # Both go on alike.
        season.now += DAY
        for place in (self.place, other):
            place.drop(mailers.letter(season.desk[IECC, "bruno"], address_of("bruno"), season.now, "2... Nc6",
                                      serial=900), season.now, name=f"{int(season.now.timestamp())}.M900P1.mx")
        mails = [sorted(mail.identity for mail in place.once(season.now + HOUR))
                 for place in (self.place, other)]
        self.assertEqual(mails[0], mails[1])
        self.assertGreater(len(mails[0]), 2)
        self.assertTrue(other.json("verify")["identical"])

    def test_export(self):
        season = Season(self.place)
        season.say(IECC, "anna", "1. e4")
        folder = self.folder / "export"
        folder.mkdir()
        (folder / "mine").write_text("")
        self.place.control("export", folder, code=1)
        (folder / "mine").unlink()
        counts = self.place.json("export", folder)
        lines = (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()
        self.assertEqual((counts["events"], counts["messages"]), (len(lines), 1))
        self.assertEqual(oct((folder / "secret").stat().st_mode & 0o777), "0o600")
        self.assertEqual(len(list((folder / "messages").iterdir())), 1)
        kinds = [json.loads(line)["kind"] for line in lines]
        self.assertLessEqual({"configuration", "command", "import", "mail", "message", "timer", "scan",
                              "delivered"}, set(kinds))
        self.place.control("export", folder, code=1)
        # A store that is there is never overwritten.
        self.place.control("replay", folder, "--into", self.place.top / "store/zugpost.db", code=1)
        self.assertTrue(self.place.json("verify")["identical"])

    def refused(self, folder, *words):
        done = self.place.run(club.CONTROL, "replay", folder, "--into", self.folder / "never.db")
        self.assertEqual(done.returncode, 1, done.stdout)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse((self.folder / "never.db").exists())
        self.assertEqual([path for path in self.folder.iterdir() if path.name.startswith("never")], [])

    def test_damaged_export(self):
        season = Season(self.place)
        season.say(IECC, "anna", "1. e4")
        season.say(IECC, "bruno", "1... e5")
        folder = self.folder / "export"
        self.place.control("export", folder)
        events, whole = folder / "events.jsonl", (folder / "events.jsonl").read_text(encoding="utf-8")
        lines = whole.splitlines(keepends=True)
        mail = next(n for n, line in enumerate(lines) if json.loads(line)["kind"] == "mail")
        for name, damaged, at, words in (
                ("another instant", [line.replace('"arrival":1', '"arrival":2', 1) if n == mail else line
                                     for n, line in enumerate(lines)], mail + 1, "chain"),
                ("no JSON", lines[:4] + ["{\n"] + lines[5:], 5, "JSON"),
                ("one is missing", lines[:3] + lines[4:], 4, "chain"),
                ("two are exchanged", lines[:2] + [lines[3], lines[2]] + lines[4:], 3, "chain"),
                ("the end is missing", lines[:-2], len(lines) - 2, "ends")):
            with self.subTest(name):
                events.write_text("".join(damaged), encoding="utf-8")
                self.refused(folder, f"{events}:{at}: ", words)
        events.write_text(whole, encoding="utf-8")
        first = folder / "messages" / (json.loads(lines[mail])["data"]["digest"] + ".eml")
        raw = first.read_bytes()
        first.write_bytes(raw.replace(b"e4", b"d4"))
        self.refused(folder, f"{events}:{mail + 1}: ", first.name, "bytes")
        first.unlink()
        self.refused(folder, f"{events}:{mail + 1}: ", first.name, "No such file")
        first.write_bytes(raw)
        secret = (folder / "secret").read_text(encoding="utf-8")
        (folder / "secret").write_text("xyz\n", encoding="utf-8")
        self.refused(folder, f"{folder}/secret:1: ")
        # Another secret makes other tokens: the messages that carry the old ones prove nothing.
        (folder / "secret").write_text("0" * 64 + "\n", encoding="utf-8")
        self.refused(folder, f"{events}:")
        (folder / "secret").write_text(secret, encoding="utf-8")
        (folder / "version").write_text("zugpost-export 99\n", encoding="utf-8")
        self.refused(folder, f"{folder}/version:1: ")

    def test_verify_finds_what_was_changed(self):
        season = Season(self.place)
        season.play(self)
        self.assertTrue(self.place.json("verify")["identical"])
        store = self.place.top / "store/zugpost.db"
        changes = {
            "address": "UPDATE address SET rank = rank + 7 WHERE player = 'anna'",
            "event": "DROP TRIGGER event_stays; UPDATE event SET at = at + 1 WHERE id = 9",
            "fact": "INSERT INTO fact VALUES ('more', 1)",
            "game": "UPDATE game SET result = '1-0' WHERE id = 2",
            "inbox": "UPDATE inbox SET verdict = 'no-move' WHERE id = 1",
            "leave": "UPDATE leave SET last = last + 1",
            "ledger": "UPDATE ledger SET at = at + 1000 WHERE game = 1 AND seq = 2",
            "outage": "UPDATE outage SET ended = ended + 1000",
            "outbox": "DELETE FROM outbox WHERE id = (SELECT max(id) FROM outbox)",
            "player": "UPDATE player SET name = 'Nobody' WHERE id = 'bruno'",
            "stop": "DELETE FROM stop",
            "timer": "DELETE FROM timer WHERE fired IS NULL",
            "token": "UPDATE token SET used = 1 WHERE used = 0",
            "tournament": "UPDATE tournament SET copies = 'none' WHERE code = 'WT-7'",
        }
        filled = {table for table, rows in contents(store).items() if rows}
        self.assertEqual(filled - set(changes), set())
        for table, sql in changes.items():
            with self.subTest(table):
                other = self.place.copy_to(self.folder / table)
                with closing(sqlite3.connect(other.top / "store/zugpost.db")) as database:
                    database.executescript("PRAGMA foreign_keys = OFF;" + sql)
                report = json.loads(other.control("verify", "--json", code=1))
                self.assertFalse(report["identical"])
                self.assertIn(table, report["differences"][0])
                # Other inputs lead elsewhere; any other row is one by itself.
                if table != "event":
                    self.assertEqual({line.split(" ")[0] for line in report["differences"]}, {table})
        other = self.place.copy_to(self.folder / "raw")
        with closing(sqlite3.connect(other.top / "store/zugpost.db")) as database:
            database.executescript("UPDATE inbox SET raw = x'00' WHERE id = 2")
        self.assertIn("its bytes are not those", other.control("verify", code=1))


class AdministratorTest(club.ClubTest):
    def setUp(self):
        super().setUp()
        self.place = self.club()

    def test_pause_over_a_deadline(self):
        season = Season(self.place)
        deadline = instant(self.place.game(1)["deadline"])
        self.place.control("pause", "--until", rfc3339(season.now - HOUR), "--now", rfc3339(season.now), code=1)
        answer = self.place.json("pause", "--now", rfc3339(season.now))
        self.assertEqual((answer["paused"], answer["until"]), (True, None))
        status = self.place.json("status", "--now", rfc3339(season.now))
        self.assertEqual((status["paused"], status["paused_until"]), (True, None))
        self.assertIn("PAUSED", self.place.control("status", "--now", rfc3339(season.now)))
        # What arrives is kept and not decided; nothing fires.
        season.now = deadline - HOUR
        self.assertIsNone(season.say(IECC, "anna", "1. e4"))
        season.now = deadline + DAY
        self.assertEqual(self.place.once(season.now), [])
        self.assertEqual(self.place.game(1)["state"], "active")
        self.place.control("resume", "--now", rfc3339(season.now))
        self.assertFalse(self.place.json("status", "--now", rfc3339(season.now))["paused"])
        # Then everything is heard in the order of its instant: the move was in time.
        mails = self.place.once(season.now + HOUR)
        self.assertEqual(club.find(mails, "overstep", game=IECC), [])
        self.assertEqual(len(club.find(mails, "move", game=IECC)), 1)
        self.assertGreater(len(club.find(mails, "overstep", game="KO-50.2/2")), 0)
        self.assertTrue(self.place.json("verify")["identical"])

    def test_pause_that_ends_by_itself(self):
        season = Season(self.place)
        until = season.now + 3 * HOUR
        self.place.control("pause", "--until", rfc3339(until), "--now", rfc3339(season.now))
        self.assertIsNone(season.say(IECC, "anna", "1. e4"))
        self.assertEqual(self.place.once(until - timedelta(seconds=1)), [])
        self.assertEqual(len(club.find(self.place.once(until), "move")), 1)

    def begin_daemon(self):
        soon = datetime.now(timezone.utc) - timedelta(minutes=1)
        self.place.import_text(club.tournament_text([("anna", "bruno")], start=rfc3339(soon)))
        watch = club.Watch(self.place.top / "out/new")
        self.addCleanup(watch.close)
        daemon = Daemon(self.place)
        self.addCleanup(daemon.process.kill)
        daemon.notified("READY=1")
        while len(list((self.place.top / "out/new").iterdir())) < 2:
            watch.wait(60)
        return daemon, watch

    def test_running_daemon(self):
        """Status, pause, reload, backup and verify of a daemon that works."""
        daemon, watch = self.begin_daemon()
        place = self.place
        status = place.json("status")
        self.assertEqual((status["running"], status["paused"]), (True, False))
        self.assertEqual(status["mailboxes"], [{"name": "moves", "reached": True, "down_since": None, "reason": None}])
        self.assertTrue(status["delivery"]["reached"])
        self.assertEqual(status["next"]["game"], IECC)
        place.control("pause")
        self.assertTrue(place.json("status")["paused"])
        daemon.stop()
        daemon = Daemon(place)
        self.addCleanup(daemon.process.kill)
        daemon.notified("READY=1")
        self.assertTrue(place.json("status")["paused"])
        now = datetime.now(timezone.utc)
        pairing, = club.find(place.all_mails(), "pairing", address_of("anna"))
        place.drop(mailers.letter(pairing, address_of("anna"), now, "1. e4"), now)
        place.control("resume")
        while not club.find(place.all_mails(), "move"):
            watch.wait(60)
        # Reload: a bad configuration is named and not taken, a good one is.
        good = place.config.read_text(encoding="utf-8")
        place.config.write_text(good.replace("answers-per-day = 20", "answers-per-day = many"), encoding="utf-8")
        done = place.run(club.CONTROL, "--config", place.config, "reload")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{place.config}:", done.stderr)
        place.config.write_text(good.replace("name = Demo Chess Club", "name = Another Club"), encoding="utf-8")
        self.assertTrue(place.json("reload")["reloaded"])
        while place.json("status")["club"] != "Another Club":
            daemon.process.poll()
        self.assertTrue(place.json("verify")["identical"])
        place.control("backup", self.folder / "backup.db")
        daemon.stop()
        done = place.run(club.CONTROL, "--config", place.config, "reload")
        self.assertEqual((done.returncode, done.stderr), (1, "no daemon is running\n"))
        self.assertTrue(place.json("verify")["identical"])

    def test_daemon_that_did_not_run(self):
        """What it missed is an outage, if it was longer than mail may wait anyway."""
        daemon, _ = self.begin_daemon()
        daemon.stop()
        store = self.place.top / "store/zugpost.db"
        begin = int(datetime.now(timezone.utc).timestamp()) * 1000
        for minutes, outages in ((5, 0), (60, 1)):
            with closing(sqlite3.connect(store)) as database:
                database.execute("UPDATE fact SET value = ? WHERE name = 'alive'", (begin - minutes * 60000,))
                database.commit()
            daemon = Daemon(self.place)
            self.addCleanup(daemon.process.kill)
            daemon.notified("READY=1")
            daemon.stop()
            found = contents(store)["outage"]
            self.assertEqual(len(found), outages)
        self.assertEqual(found[0][1:3], ("daemon", begin - 60 * 60000))
        self.assertGreaterEqual(found[0][3], begin)

    def test_backup_under_load(self):
        """A copy while a pass works on a heap of messages; restored, it goes on from there."""
        season = Season(self.place)
        mail = season.desk[IECC, "anna"]
        for n in range(300):
            when = season.now + timedelta(seconds=n)
            self.place.drop(mailers.letter(mail, address_of("anna"), when, f"What about {n}?", serial=n), when)
        season.now += HOUR
        backup = self.folder / "backup.db"
        worker = subprocess.Popen(
            [club.DAEMON, "--config", self.place.config, "--once", "--now", rfc3339(season.now)],
            env=self.place.environment(), stderr=subprocess.DEVNULL)
        copies = 0
        while worker.poll() is None:
            self.place.control("backup", backup)
            copies += 1
        self.assertEqual(worker.returncode, 0)
        self.assertGreater(copies, 1)
        self.assertEqual(oct(backup.stat().st_mode & 0o777), "0o600")
        self.assertEqual([path.name for path in self.folder.iterdir() if "backup" in path.name], ["backup.db"])
        # Back in its place, without what SQLite had beside the old one.
        for file in (self.place.top / "store").iterdir():
            file.unlink()
        os.rename(backup, self.place.top / "store/zugpost.db")
        self.assertTrue(self.place.json("verify")["identical"])
        decided = [one for one in self.place.messages() if one["verdict"]]
        self.place.once(season.now)
        self.assertGreaterEqual(len([one for one in self.place.messages() if one["verdict"]]), len(decided))
        self.assertTrue(self.place.json("verify")["identical"])

    def test_backup_is_never_the_store(self):
        Season(self.place)
        self.place.control("backup", self.place.top / "store/zugpost.db", code=1)
        self.place.control("backup", self.place.top / "nowhere/backup.db", code=1)
        self.place.control("backup", self.place.top, code=1)
        self.assertTrue(self.place.json("verify")["identical"])

    def test_a_store_that_is_missing(self):
        """Nothing is no backup, and no reason to give up the one that is there."""
        backup, export = self.folder / "backup.db", self.folder / "export"
        self.place.control("games")
        self.place.control("backup", backup)
        saved = backup.read_bytes()
        store = self.place.top / "store"
        for path in store.iterdir():
            path.unlink()
        for command, target in (("backup", backup), ("export", export)):
            self.place.control(command, target, code=1)
        store.rmdir()
        self.place.control("backup", backup, code=1)
        self.assertEqual(backup.read_bytes(), saved)
        self.assertFalse(export.exists() or store.exists())
        store.mkdir()


class OutageTest(club.ClubTest):
    """What touches an outage is marked, and one word credits it."""

    def away(self, season, name, begin, end, code=75):
        """A folder of the club is gone from BEGIN to END."""
        season.now = begin
        (season.place.top / name).rename(season.place.top / "gone")
        season.place.once(begin, code)
        (season.place.top / "gone").rename(season.place.top / name)
        season.now = end
        season.step(timedelta(0))

    def marks(self, place, game):
        return [entry["outage"] for entry in place.json("game", game)["ledger"] if entry["received"]]

    def test_mailbox(self):
        season = Season(self.club())
        place = season.place
        season.now += 2 * HOUR
        self.assertEqual(season.say(IECC, "anna", "1. e4"), "accepted")
        self.assertEqual(self.marks(place, IECC), [False])
        down = season.now + DAY
        self.away(season, "in", down, down + DAY)
        outages = sqlite3.connect(place.top / "store/zugpost.db").execute(
            "SELECT what, began, ended FROM outage").fetchall()
        self.assertEqual(outages, [("mailbox moves", int(down.timestamp()) * 1000,
                                    int((down + DAY).timestamp()) * 1000)])
        season.now += DAY
        self.assertEqual(season.say(IECC, "bruno", "1... e5"), "accepted")
        self.assertEqual(season.say(RAZSH, "carla", "1. d4"), "accepted")
        self.assertIn(season.say(MCLINK, "emi", "1. c4"), FINE)
        for game in (IECC, RAZSH, MCLINK):
            self.assertTrue(self.marks(place, game)[-1], game)
        self.assertIn("Touches an outage", place.control("game", IECC))
        before = place.game(1)["black"]["clock"]["days"]
        season.rule(IECC, "credit", "1", code=1)
        season.rule(IECC, "credit", "2")
        after = place.game(1)["black"]["clock"]["days"]
        self.assertEqual((before, after), ([3], [1]))
        season.rule(IECC, "credit", "2", code=1)
        # In MC-link hours: the day that the mailbox was away.
        hours = place.json("game", MCLINK)["white"]["clock"]["hours"]
        season.rule(MCLINK, "credit", "1")
        self.assertEqual(hours[0] - place.json("game", MCLINK)["white"]["clock"]["hours"][0], 25)
        # A move that oversteps has no charge yet: its report says what to credit.
        season.now += DAY
        self.assertEqual(season.say(IECC, "anna", "2. Nf3"), "accepted")
        self.assertEqual(self.marks(place, IECC), [False, True, False])
        down = season.now + DAY
        self.away(season, "in", down, down + 2 * DAY)
        report = club.find(season.step(20 * DAY), "overstep", club.DIRECTOR, IECC)[0]
        self.assertRegex(report.text, r"   1  2026-03-02 12:06.*\n.*\n      touches an outage of the club's servers\n")
        self.assertEqual(report.text.count("touches an outage"), 1)
        self.assertRegex(report.text, r"time of this\smove, 3 days of it")
        self.assertIn('Answer with "credit 4"', report.text)
        season.rule(IECC, "credit", "4")
        self.assertEqual(place.game(1)["state"], "suspended")
        self.assertTrue(place.json("verify")["identical"])

    def test_afterwards(self):
        season = Season(self.club())
        place = season.place
        down = season.now + DAY
        self.away(season, "in", down, down + DAY)
        self.assertEqual(season.say(IECC, "anna", "1. e4"), "accepted")
        # A charge that comes after it is not marked.
        season.now += DAY
        self.assertEqual(season.say(IECC, "bruno", "1... e5"), "accepted")
        self.assertEqual(self.marks(place, IECC), [True, False])
        self.assertTrue(place.json("verify")["identical"])

    def test_status_tells_it(self):
        season = Season(self.club())
        place = season.place
        (place.top / "in").rename(place.top / "gone")
        season.step(DAY, code=75)
        mailbox, = place.json("status")["mailboxes"]
        self.assertEqual((mailbox["reached"], mailbox["down_since"]), (False, rfc3339(season.now)))
        self.assertIn("OUT OF REACH since", place.control("status"))
        (place.top / "gone").rename(place.top / "in")
        season.step(HOUR)
        self.assertEqual(place.json("status")["mailboxes"][0]["reached"], True)

    def test_target(self):
        season = Season(self.club())
        place = season.place
        (place.top / "out").rename(place.top / "gone")
        season.now += HOUR
        place.drop(mailers.letter(season.desk[IECC, "anna"], address_of("anna"), season.now, "1. e4"), season.now)
        down = season.now + HOUR
        place.once_away = place.run(club.DAEMON, "--config", place.config, "--once", "--now", rfc3339(down))
        self.assertEqual(place.once_away.returncode, 75)
        self.assertFalse(place.json("status")["delivery"]["reached"])
        (place.top / "gone").rename(place.top / "out")
        season.now = down + DAY
        season.step(timedelta(0))
        self.assertTrue(place.json("status")["delivery"]["reached"])
        # It took nothing from Black, whose time began when his mail left.
        season.now += 2 * DAY
        self.assertEqual(season.say(IECC, "bruno", "1... e5"), "accepted")
        self.assertEqual(self.marks(place, IECC), [False, False])
        self.assertEqual(season.say(RAZSH, "carla", "1. d4"), "accepted")
        self.assertEqual(self.marks(place, RAZSH), [True])
        self.assertTrue(place.json("verify")["identical"])


if __name__ == "__main__":
    unittest.main()
