"""Stores that earlier versions wrote (tests/data/stores): brought up to date, and played on."""
import json
import signal
import sqlite3
import unittest
from contextlib import closing
from datetime import timedelta

import club
import mailers
from club import instant, rfc3339
from loop import Daemon
from replay import contents

STORES = sorted((club.DATA / "stores").glob("schema-*.sql"))
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


def schema(path):
    """Every table column by column, and all else by its words."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        found = {}
        for kind, name, sql in database.execute(
                "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"):
            if kind == "table":
                found[name] = (list(database.execute(f"PRAGMA table_xinfo({name})")),
                               list(database.execute(f"PRAGMA foreign_key_list({name})")),
                               " ".join(sql.split()))
            else:
                found[name] = " ".join(sql.split())
        return found


def version_of(path):
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        return database.execute("PRAGMA user_version").fetchone()[0]


class MigrationTest(club.ClubTest):
    def old(self, dump, name):
        """A club with the store of a dump, and what the old program said of its games."""
        place = self.club(name)
        with closing(sqlite3.connect(place.top / "store/zugpost.db")) as database:
            database.executescript(dump.read_text(encoding="utf-8"))
        seen = json.loads(dump.with_suffix(".json").read_text(encoding="utf-8"))
        return place, instant(seen["now"]), seen["games"]

    def each(self, name):
        for dump in STORES:
            with self.subTest(dump.name):
                yield self.old(dump, f"{name}-{dump.stem}")

    def sent(self, place, game, to, kind):
        """A mail that the old program sent, as its reader has it."""
        with closing(sqlite3.connect(f"file:{place.top}/store/zugpost.db?mode=ro", uri=True)) as database:
            recipient, raw = database.execute(
                "SELECT o.recipient, o.raw FROM outbox o JOIN game g ON g.id = o.game WHERE"
                " g.tournament || '/' || g.number = ? AND o.player IS ? AND o.kind = ?"
                " ORDER BY o.id DESC LIMIT 1", (game, to, kind)).fetchone()
        path = place.top / f"{game.replace('/', '-')}-{to}-{kind}"
        path.write_bytes(f"Return-Path: <>\r\nDelivered-To: {recipient}\r\n".encode() + raw)
        return club.Mail(path)

    def write(self, place, now, game, who, text, kind="move", serial=0):
        mail = self.sent(place, game, who, kind)
        text += "\n\n> " + mail.text.rstrip().split("\n")[-1]
        raw = mailers.letter(mail, mail.to, now, text, quote=False, serial=9000 + serial)
        place.drop(raw, now, name=f"{int(now.timestamp())}.M{9000 + serial}P1.mx")

    def check_games(self, place, now, games):
        """What the old program said of a game still holds; the new one may say more."""
        for old in games:
            new = place.json("game", old["id"], "--now", rfc3339(now))
            self.assertEqual({key: new[key] for key in old}, old)

    def identical(self, place):
        report = place.json("verify")
        self.assertEqual((report["identical"], report["differences"]), (True, []))

    def test_looking_brings_it_up_to_date(self):
        for place, now, games in self.each("look"):
            at = ("--now", rfc3339(now))
            before = contents(place.top / "store/zugpost.db")
            self.check_games(place, now, games)
            self.assertEqual(len(place.json("games", *at)), len(games))
            for command in (("log", games[0]["id"]), ("messages",), ("outbox",), ("status",), ("players",),
                            ("pgn", games[0]["id"]), ("crosstable", games[0]["tournament"])):
                place.control(*command, *at)
            # The log tells who works from now on; nothing else has changed.
            after = contents(place.top / "store/zugpost.db")
            self.assertEqual([row[2] for row in sorted(after["event"])[len(before["event"]):]],
                             ["configuration", "program"])
            for table in set(before) - {"event", "fact", "game"}:
                self.assertEqual(after[table], before[table], table)
            self.identical(place)

    def test_the_schema_is_that_of_a_new_store(self):
        fresh = self.club("fresh")
        fresh.control("games")
        wanted = schema(fresh.top / "store/zugpost.db")
        newest = version_of(fresh.top / "store/zugpost.db")
        for place, now, _ in self.each("schema"):
            self.assertLess(version_of(place.top / "store/zugpost.db"), newest)
            place.once(now)
            self.assertEqual(version_of(place.top / "store/zugpost.db"), newest)
            self.assertEqual(schema(place.top / "store/zugpost.db"), wanted)
        self.assertEqual([version_of_name(dump) for dump in STORES], list(range(1, newest)))

    def test_games_go_on(self):
        for place, now, games in self.each("play"):
            waiting = len(place.json("outbox", "--now", rfc3339(now)))
            self.assertGreater(waiting, 0)
            mails = place.once(now)
            self.assertEqual(len(mails), waiting)
            self.check_games(place, now, [game for game in games if game["id"] != "WT-7/1"])
            # Answers to mails that the old program wrote; what waited is heard and ruled on.
            now += 10 * MINUTE
            self.write(place, now, "ML-1/1", "emi", "3. Nf3")
            self.write(place, now, "WT-7/1", "dmitri", "2... c6", serial=1)
            self.write(place, now, "KO-50.2/1", "bruno", "yes", "confirm", serial=2)
            self.write(place, now, "KO-50.2/6", None, "reject", "claim", serial=3)
            self.write(place, now, "WT-7/2", None, "reject", "claim", serial=4)
            self.write(place, now, "TP-1/1", "emi", "agree", "leave", serial=5)
            mails = place.once(now + MINUTE)
            found = {message["id"]: message["verdict"] for message in place.messages()}
            self.assertEqual([found[number] for number in sorted(found)[-6:]],
                             ["accepted", "accepted", "command", "command", "command", "command"])
            self.assertGreater(len(club.find(mails, "move")), 2)
            states = {game["id"]: game["state"] for game in place.json("games")}
            self.assertEqual({states[game] for game in ("KO-50.2/1", "KO-50.2/6", "ML-1/1", "WT-7/1", "WT-7/2", "WT-7/3")},
                             {"active"})
            self.identical(place)
            # Months go by: everything that the old program armed still comes.
            place.once(now + 150 * DAY)
            self.assertEqual(place.json("game", "FU-1/1")["state"], "active")
            self.identical(place)

    def test_a_running_daemon(self):
        for place, _, games in self.each("daemon"):
            daemon = Daemon(place)
            self.addCleanup(daemon.kill)
            # systemd is asked for time before the store is opened, and again for each version.
            told = []
            while "READY=1" not in (lines := daemon.notifications.get(timeout=60)):
                told.append(lines)
            self.assertTrue(all(any(line.startswith("EXTEND_TIMEOUT_USEC=") for line in lines)
                                for lines in told), told)
            steps = version_of(place.top / "store/zugpost.db") - version_of_dump(place)
            self.assertEqual(len(told), 1 + steps)
            self.assertIn("STATUS=bringing the store up to date", told[-1][0])
            self.assertEqual(len(place.json("games")), len(games))
            self.assertEqual(daemon.stop(), 0)
            again = Daemon(place)
            self.addCleanup(again.kill)
            self.assertEqual(len(again.notifications.get(timeout=60)), 2)
            again.notified("READY=1")
            self.assertEqual(again.stop(), 0)

    def test_killed_at_every_commit(self):
        for dump in STORES:
            _, now, _ = self.old(dump, f"whole-{dump.stem}")
            whole = self.folder / f"whole-{dump.stem}"
            wanted = None
            for variable in ("ZUGPOST_TEST_KILL_BEFORE_COMMIT", "ZUGPOST_TEST_KILL_AT_COMMIT"):
                for number in range(1, 5):
                    with self.subTest(dump.name, variable=variable, number=number):
                        place, now, _ = self.old(dump, f"{dump.stem}-{variable[-16:]}-{number}")
                        store = place.top / "store/zugpost.db"
                        # The paths in the configuration are the same: so is the store.
                        text = place.config.read_text(encoding="utf-8").replace(str(place.top), str(whole))
                        text = text.replace(f"directory = {whole}/store", f"directory = {store.parent}")
                        place.config.write_text(text, encoding="utf-8")
                        done = place.run(club.DAEMON, "--config", place.config, "--once", "--now",
                                         rfc3339(now), env={variable: str(number)})
                        self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
                        place.once(now)
                        found = contents(store)
                        found["event"] = [row[1:4] for row in sorted(found["event"])
                                          if row[2] != "configuration"]
                        found["fact"] = [row for row in found["fact"] if row[0] != "configuration"]
                        wanted = wanted or found
                        self.assertEqual(found, wanted)

    def test_what_it_was_is_kept(self):
        """Beside it, for its own program; a disk that is too full for that does not keep the new one from working."""
        for place, now, _ in self.each("kept"):
            store = place.top / "store/zugpost.db"
            before, version = contents(store), version_of(store)
            copy = place.top / f"store/zugpost.db.schema-{version}"
            place.once(now)
            self.assertEqual(contents(copy), before)
            self.assertEqual(version_of(copy), version)
            self.assertEqual(copy.stat().st_mode & 0o7777, 0o600)
            self.assertEqual(list(copy.parent.glob("*.new")), [])
            # As the copy it is a store again.
            self.assertNotEqual(version_of(store), version)
            store.write_bytes(copy.read_bytes())
            for suffix in ("-wal", "-shm"):
                (copy.parent / f"zugpost.db{suffix}").unlink(missing_ok=True)
            copy.unlink()
            copy.with_name(copy.name + ".new").mkdir()
            done = place.run(club.DAEMON, "--config", place.config, "--once", "--now", rfc3339(now))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"it could not be kept as {copy}", done.stderr)
            self.assertFalse(copy.exists())
            self.identical(place)

    def test_a_store_of_a_later_version(self):
        for what in ("PRAGMA user_version = 99", "UPDATE fact SET value = 99 WHERE name = 'edition'"):
            with self.subTest(what):
                place = self.club(f"later-{len(what)}")
                self.verified = False
                place.control("games")
                store = place.top / "store/zugpost.db"
                with closing(sqlite3.connect(store)) as database:
                    database.executescript(what)
                    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                before = store.read_bytes()
                for program, command, code in ((club.CONTROL, ("games",), 1), (club.CONTROL, ("verify",), 1),
                                               (club.CONTROL, ("import", place.config), 1),
                                               (club.DAEMON, ("--once",), 1),
                                               # Not to be started again and again.
                                               (club.DAEMON, (), 78)):
                    done = place.run(program, "--config", place.config, *command)
                    self.assertEqual((done.returncode, len(done.stderr.splitlines())), (code, 1), done.stderr)
                    self.assertIn(f"the store {place.top}/store", done.stderr)
                    self.assertIn("belongs to a newer version", done.stderr)
                self.assertEqual(store.read_bytes(), before)

    def verify(self, place):
        """Clubs of later versions cannot be verified, and need not."""
        if not place.top.name.startswith(("later", "whole")):
            super().verify(place)

    def test_an_export_is_replayed(self):
        """Also by who has nothing else: the mails of the old program are in it."""
        for place, now, _ in self.each("export"):
            place.once(now)
            folder = self.folder / f"{place.top.name}.export"
            place.control("export", folder)
            with closing(sqlite3.connect(f"file:{place.top}/store/zugpost.db?mode=ro", uri=True)) as database:
                mails, = database.execute("SELECT json_extract(data, '$.mails') FROM event WHERE"
                                          " kind = 'program'").fetchone()
            self.assertEqual(len(list((folder / "mails").iterdir())), mails)
            again = self.folder / f"{place.top.name}.db"
            place.control("replay", folder, "--into", again)
            self.assertEqual(contents(again), contents(place.top / "store/zugpost.db"))
            damaged = folder / "mails/3.json"
            damaged.write_text("{}", encoding="utf-8")
            done = place.run(club.CONTROL, "replay", folder, "--into", self.folder / "never.db")
            self.assertEqual(done.returncode, 1)
            self.assertIn("mails/3.json", done.stderr)


def version_of_name(dump):
    return int(dump.stem.split("-")[1])


def version_of_dump(place):
    return int(place.top.name.split("-")[-1])


if __name__ == "__main__":
    unittest.main()
