"""Faulty files: every fault with file and line, the exit code, and nothing half done."""
import re
import unittest

import club
from club import CONFIGURATION, tournament_text

PAIRS = [("anna", "bruno"), ("carla", "dmitri")]


class ConfigurationTest(club.ClubTest):
    # text to replace, replacement, number of the faulty line counted from the replacement's
    # first line, words that the message holds
    FAULTS = [
        ("separator = +", "seperator = +", 0, "seperator"),
        ("[limits]", "[limit]", 0, "limit"),
        ("name = Demo Chess Club", "name = Demo Chess Club\nname = Another", 1, "name"),
        ("timezone = Europe/Rome", "timezone = Europe/Atlantis", 0, "Atlantis"),
        ("timezone = Europe/Rome", "timezone = ../Rome", 0, "Rome"),
        ("address = moves@club.example", "address = moves@club.example\n  x@y", 0, ""),
        ("address = moves@club.example", "address = nobody", 0, ""),
        ("language = en", "language = xx", 0, "xx"),
        ("otherwise = confirm", "otherwise = maybe", 0, "maybe"),
        ("confirm-within = 72h", "confirm-within = soon", 0, "soon"),
        ("message-size = 256K", "message-size = 256Q", 0, "256Q"),
        ("answers-per-day = 20", "answers-per-day = many", 0, "many"),
        ("[club]", "loose = yes\n[club]", 0, "loose"),
        ("source = maildir:{top}/in", "source = imap://moves@mail.club.example/INBOX\ntls = none", 1, ""),
        ("source = maildir:{top}/in", "source = pop3://mail.club.example", 0, "pop3"),
        ("[delivery]", "[mailbox moves]\nsource = maildir:/tmp\n\n[delivery]", 0, "moves"),
    ]

    def faulty(self, old, new):
        self.assertIn(old, CONFIGURATION)
        line = CONFIGURATION[:CONFIGURATION.index(old)].count("\n") + 1
        text = CONFIGURATION.replace(old, new, 1)
        return text.replace("{otherwise}", "confirm"), line

    def check(self, place):
        return place.run(club.DAEMON, "--config", place.config, "--check")

    def test_each_fault_has_its_line(self):
        for number, (old, new, offset, word) in enumerate(self.FAULTS):
            with self.subTest(new):
                old = old.replace("confirm", "{otherwise}") if old.startswith("otherwise") else old
                text, line = self.faulty(old, new)
                place = self.club(f"fault-{number}")
                place.config.write_text(text.replace("{top}", str(place.top)), encoding="utf-8")
                done = self.check(place)
                self.assertEqual(done.returncode, 78, done.stderr)
                self.assertRegex(done.stderr, re.compile(
                    rf"^{re.escape(str(place.config))}:{line + offset}: .*{re.escape(word)}", re.M))
                for words in done.stderr.strip().split("\n"):
                    self.assertRegex(words, rf"^{re.escape(str(place.config))}:\d+: \S")
                once = place.run(club.DAEMON, "--config", place.config, "--once")
                self.assertEqual(once.returncode, 78, once.stderr)
                self.assertFalse((place.top / "store/zugpost.db").exists())

    def test_all_faults_at_once(self):
        place = self.club()
        text = place.config.read_text(encoding="utf-8")
        text = text.replace("separator = +", "seperator = +").replace("language = en", "language = xx")
        text = text.replace("answers-per-day = 20", "answers-per-day = -1")
        place.config.write_text(text, encoding="utf-8")
        done = self.check(place)
        self.assertEqual(done.returncode, 78)
        self.assertEqual(len(done.stderr.strip().split("\n")), 3, done.stderr)

    def test_missing_files_and_sections(self):
        place = self.club()
        done = place.run(club.DAEMON, "--config", place.top / "none.conf", "--check")
        self.assertEqual(done.returncode, 78)
        self.assertIn("none.conf", done.stderr)
        place.config.write_text("[club]\nname = Lonely\n", encoding="utf-8")
        done = self.check(place)
        self.assertEqual(done.returncode, 78)
        self.assertIn("club.conf:", done.stderr)

    def overridden(self):
        """A club with a folder of overrides, and the line that names it."""
        place = self.club()
        text = place.config.read_text(encoding="utf-8")
        text = text.replace("language = en", f"language = en\noverrides = {place.top}/own")
        place.config.write_text(text, encoding="utf-8")
        return place, f"{place.config}:{text[:text.index('overrides')].count(chr(10)) + 1}"

    def test_overrides_that_are_not_there(self):
        place, line = self.overridden()
        for operands in (["--check"], ["--once"]):
            done = place.run(club.DAEMON, "--config", place.config, *operands)
            self.assertEqual((done.returncode, done.stderr),
                             (78, f"{line}: overrides: {place.top}/own: No such file or directory\n"))
        (place.top / "own").mkdir()
        done = self.check(place)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_overrides_that_nothing_reads(self):
        place, _line = self.overridden()
        own = place.top / "own"
        good = ["README", "templates/README", "words/README", "templates/en/README.md", "templates/en/receipt.txt~", "words/en/.notes",
                ".git/config"]
        never = ["template/en/receipt.txt", "templates/en/receipt", "templates/en/receipt.tmpl",
                 "words/en/commands.text", "notes.txt"]
        unknown = ["templates/en/recipt.txt", "words/en/command.txt", "templates/receipt.txt",
                   "words/commands.txt"]
        for name in good + never + unknown:
            (own / name).parent.mkdir(parents=True, exist_ok=True)
            (own / name).write_text("", encoding="utf-8")
        for operands in (["--check"], ["--once"]):
            done = place.run(club.DAEMON, "--config", place.config, *operands)
            self.assertEqual(done.returncode, 78)
            told = [words[:words.index(": ")] for words in done.stderr.strip().split("\n")]
            paths = [own / "template" if name.startswith("template/") else own / name
                     for name in never + unknown]
            self.assertEqual(sorted(told), sorted(f"{path}:0" for path in paths), done.stderr)
        for name in never + unknown:
            (own / name).unlink()
        (own / "template/en").rmdir()
        (own / "template").rmdir()
        done = self.check(place)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_files_of_logins(self):
        place = self.club()
        text = place.config.read_text(encoding="utf-8")
        secret, empty = place.top / "secret", place.top / "empty"
        secret.write_text("xyzzy\n", encoding="utf-8")
        empty.write_text("", encoding="utf-8")
        server = "target = smtps://moves@mail.club.example\n"
        rows = [
            (f"password = file:{secret}", None),
            (f"password = file:{place.top}/none", "none: No such file or directory"),
            (f"password = file:{place.top}/none\nauth = xoauth2", None),
            (f"password = file:{empty}", "empty does not hold one line with a password"),
            (f"password = file:{empty}\nauth = xoauth2", "empty does not hold one line with a password"),
            ("password = credential:smtp", None),
            (f"ca-file = {place.top}/ca.pem\npassword = file:{secret}",
             f"ca-file: {place.top}/ca.pem: No such file or directory"),
        ]
        for lines, words in rows:
            with self.subTest(lines):
                place.config.write_text(
                    text.replace(f"target = maildir:{place.top}/out\n", server + lines + "\n"),
                    encoding="utf-8")
                done = self.check(place)
                self.assertEqual(done.returncode, 78 if words else 0, done.stderr)
                self.assertNotIn("xyzzy", done.stderr)
                if words:
                    line = text[:text.index("target =")].count("\n") + 2
                    self.assertRegex(done.stderr, rf"\A{re.escape(str(place.config))}:{line}: .*{re.escape(words)}.*\n\Z")

    def test_good_configuration(self):
        place = self.club()
        done = self.check(place)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_odd_but_good_grammar(self):
        place = self.club()
        text = "\ufeff" + place.config.read_text(encoding="utf-8")
        text = text.replace("name = Demo Chess Club", "name = Demo\n   Chess Club ; the\n# comment")
        text = text.replace("language = en", "language   =   en    ; English\r")
        text += "; " + "x" * 60000 + "\n"
        place.config.write_text(text, encoding="utf-8")
        done = self.check(place)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_wrong_usage(self):
        place = self.club()
        for operands in (["--once", "--now"], ["--once", "--now", "yesterday"], ["--nonsense"],
                         ["--config", "a", "--club", "b"], ["--now", "2026-01-01T00:00:00Z"]):
            with self.subTest(operands):
                done = place.run(club.DAEMON, "--config", place.config, *operands)
                self.assertNotIn(done.returncode, (0, 75, 78), done.stderr)
                self.assertNotEqual(done.stderr, "")
        for operands in (["nonsense"], ["import"], ["game"], ["perft", "x"], [], ["games", "--nonsense"]):
            with self.subTest(operands):
                done = place.run(club.CONTROL, "--config", place.config, *operands)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertNotEqual(done.stderr, "")

    def test_usage_comes_before_the_configuration(self):
        place = self.club()
        states = "--state: \"foo\" is none of scheduled, active, suspended, finished\n"
        styles = "--style: \"foo\" is none of export, iecc, iccf\n"
        rows = [(["games", "--state", "foo"], states), (["pgn", "--style", "foo"], styles),
                (["pgn", "KO-1/1", "--style", "foo"], styles),
                (["messages", "--verdict", "foo"],
                 "--verdict: \"foo\" is none of unparsable-mail, .*, accepted-with-warning\n")]
        rows += [(operands, rf"usage: zugpostctl {operands[0]} [^\n]*\n") for operands in (
            ["games", "--state"], ["games", "x"], ["games", "--nonsense"], ["game"], ["game", "a", "b"],
            ["log"], ["crosstable"], ["pgn", "a", "b"], ["players", "x"], ["player"], ["message"],
            ["message", "x"], ["message", "1", "--as"], ["message", "0"], ["retry", "x"], ["rule", "KO-1/1"],
            ["leave", "anna", "2026-01-01"], ["leave", "anna", "soon", "later"], ["stop", "KO-1/1"], ["import"],
            ["lotto"], ["bulletin"], ["announce", "KO-1"], ["withdraw"], ["read"], ["status", "x"], ["export"],
            ["verify", "x"], ["backup"], ["pause", "x"], ["resume", "x"], ["reload", "x"], ["outbox", "x"])]
        for config in (place.config, place.top / "none.conf"):
            for operands, words in rows:
                with self.subTest(operands, config=config):
                    done = place.run(club.CONTROL, "--config", config, *operands)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertRegex(done.stderr, rf"\A{words}\Z")
        for operands in (["games", "--state", "active"], ["message", "1"], ["rule", "KO-1/1", "draw"]):
            done = place.run(club.CONTROL, "--config", place.top / "none.conf", *operands)
            self.assertEqual(done.returncode, 1, done.stderr)

    def test_unreachable_mailbox(self):
        place = self.club()
        (place.top / "in/new").rmdir()
        done = place.run(club.DAEMON, "--config", place.config, "--once")
        self.assertEqual(done.returncode, 75, done.stderr)


class TournamentTest(club.ClubTest):
    FAULTS = [
        ("rules = iecc", "rules = iecc\nrulez = iecc", 1, "rulez"),
        ("rules = iecc", "rules = chess960", 0, "chess960"),
        ("rules = iecc", "rules = iecc\nmoves-per-manche = 10", 1, "moves-per-manche"),
        ("rules = iecc", "rules = iecc\nwindow-days = often", 1, "often"),
        ("start = 2026-01-10T09:00:00+02:00", "start = tomorrow", 0, "tomorrow"),
        ("start = 2026-01-10T09:00:00+02:00", "start = 2026-02-30", 0, "2026-02-30"),
        ("[game 2]", "[game 1]", 0, "game 1"),
        ("white = carla", "white = karla", 0, "karla"),
        ("white = carla", "white = dmitri", 1, "himself"),
        ("timezone = Asia/Tokyo", "timezone = Asia/Atlantis", 0, "Atlantis"),
        ("timezone = Asia/Tokyo", "timezone = GST+4", 0, "GST+4"),
        ("email = emi@players.example", "email = emi@players.example\n Bcc: x@y.example", 0, ""),
        ("email = emi@players.example", "email = emi", 0, ""),
        ("email = emi@players.example", "email = anna@players.example", 0, "anna"),
        ("[player emi]", "[player anna]", 0, "anna"),
        ("[player emi]", "[player e mi]", 0, "id"),
        ("white = anna", "white = anna\nmoves = 1. e4 e4", 1, "e4"),
        ("white = anna", "white = anna\nfen = 8/8/8/8/8/8/8/8 w - - 0 1", 1, ""),
        ("white = anna", "white = anna\ncode = 12345", 1, "12345"),
        ("arbiter = Director, Tarmo <td@club.example>", "arbiter = Director", 0, "Director"),
    ]

    def test_each_fault_has_its_line(self):
        place = self.club()
        before = place.json("games")
        self.assertEqual(before, [])
        for old, new, offset, word in self.FAULTS:
            with self.subTest(new):
                text = tournament_text(PAIRS)
                self.assertIn(old, text)
                line = text[:text.index(old)].count("\n") + 1
                text = text.replace(old, new, 1)
                path = place.top / "faulty.ini"
                path.write_text(text, encoding="utf-8")
                done = place.run(club.CONTROL, "--config", place.config, "import", path)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, re.compile(
                    rf"^{re.escape(str(path))}:{line + offset}: .*{re.escape(word)}", re.M))
                for words in done.stderr.strip().split("\n"):
                    self.assertRegex(words, rf"^{re.escape(str(path))}:\d+: \S")
                self.assertEqual(place.json("games"), [])

    def test_import_twice_and_extend(self):
        place = self.club()
        place.import_text(tournament_text(PAIRS))
        once = [place.json("game", game["id"]) for game in place.json("games")]
        place.import_text(tournament_text(PAIRS))
        self.assertEqual([place.json("game", game["id"]) for game in place.json("games")], once)
        place.import_text(tournament_text(PAIRS + [("emi", "finn")]))
        self.assertEqual([game["id"] for game in place.json("games")],
                         ["KO-50.2/1", "KO-50.2/2", "KO-50.2/3"])

    def test_known_games_are_kept(self):
        place = self.club()
        place.import_text(tournament_text(PAIRS))
        before = [place.json("game", game["id"]) for game in place.json("games")]
        for pairs, extra, where in (([("anna", "emi"), PAIRS[1]], "", "emi"),
                                    ([("bruno", "anna"), PAIRS[1]], "", "bruno")):
            text = tournament_text(pairs, extra=extra)
            path = place.top / "other.ini"
            path.write_text(text, encoding="utf-8")
            done = place.run(club.CONTROL, "--config", place.config, "import", path)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, rf"^{re.escape(str(path))}:\d+: ")
            self.assertEqual([place.json("game", game["id"]) for game in place.json("games")], before)


if __name__ == "__main__":
    unittest.main()
