"""zugpostctl: the JSON and the exit codes of the contract."""
import base64
import json
import unittest
from datetime import timedelta

import club
import mailers
from club import address_of, instant, rfc3339

START = instant("2026-01-10T09:00:00+02:00")
FIRST = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

GAME_FIELDS = {
    "id", "tournament", "rules", "state", "result", "termination", "ply", "to_move", "fen", "uci",
    "san", "draw_offer", "held", "deadline", "white", "black", "ledger"}
LEDGER_FIELDS = {"ply", "by", "received", "sent", "days", "penalty", "article", "sum", "outage"}
READ_FIELDS = {"file", "verdict", "game", "player", "trust", "new_text", "repetition", "own",
               "conditionals", "commands", "notes", "answer"}


class WithoutStoreTest(club.ClubTest):
    """What needs no configuration and no store."""

    def control(self, *operands, code=0, stdin=None):
        place = self.club()
        done = place.run(club.CONTROL, *operands, stdin=stdin)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertFalse((place.top / "store/zugpost.db").exists())
        return done.stdout

    def test_perft(self):
        self.assertEqual(json.loads(self.control("perft", FIRST, "4", "--json")), 197281)
        self.assertEqual(self.control("perft", FIRST, "3").strip(), "8902")
        self.control("perft", "not a position", "3", code=1)
        self.control("perft", FIRST, "-1", code=2)

    def move(self, *operands):
        return json.loads(self.control("move", "--json", *operands))

    def test_move(self):
        kings = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
        for fen, operands, uci, error in (
                (FIRST, ["Nf3"], "g1f3", None), (FIRST, ["5254"], "e2e4", None),
                (FIRST, ["e2-e4"], "e2e4", None), (FIRST, ["--letters", "it", "Cf3"], "g1f3", None),
                (FIRST, ["--letters", "ru", "Кf3"], "g1f3", None), (FIRST, ["e5"], None, "illegal"),
                (FIRST, ["hello"], None, "unreadable"), (kings, ["O-O"], "e1g1", None),
                ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", ["O-O-O"], "e1c1", None),
                ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", ["Nd2"], None, "ambiguous"),
                ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", ["a8"], None, "ambiguous")):
            with self.subTest(text=operands[-1]):
                got = self.move("--fen", fen, *operands)
                self.assertLessEqual({"uci", "san", "iccf", "error", "candidates", "warnings"}, set(got))
                self.assertEqual((got["uci"], got["error"]), (uci, error))
                self.assertEqual(got["iccf"] is None, uci is None)
        got = self.move("--fen", "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "Nd2")
        self.assertEqual(sorted(got["candidates"]), ["b1d2", "f3d2"])

    def test_move_lines(self):
        after = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
        before = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
        lines = [f"{FIRST}\te4\ten\t-", f"{FIRST}\tПf4\t*\t-", f"{after}\t1... e5 2. Nf3\ten\t{before}|e7e5",
                 "nonsense"]
        got = [json.loads(line) for line in
               self.control("move", "--stdin", "--json", stdin="\n".join(lines) + "\n").splitlines()]
        self.assertEqual(len(got), len(lines))
        self.assertEqual([one.get("uci") for one in got[:3:2]], ["e2e4", "g1f3"])
        self.assertNotIn(got[3]["error"], (None, "illegal", "ambiguous", "unreadable"))


class StoreTest(club.ClubTest):
    def setUp(self):
        super().setUp()
        self.place = self.club()
        self.printed = self.place.import_text(club.tournament_text([("anna", "bruno"), ("carla", "dmitri")]))
        self.now = START + timedelta(minutes=5)

    def begin(self):
        self.mails = self.place.once(self.now)
        return club.find(self.mails, "pairing", address_of("anna"))[0]

    def test_import_says_what_it_made(self):
        self.assertIn("KO-50.2", self.printed)

    def test_import_names_every_fault_at_once(self):
        """What cannot be read hides nothing of what the store would refuse; a name that is missing is a fault."""
        path = self.place.top / "faulty.ini"
        path.write_text("[tournament OTHER]\nrules = iecc\nstart = soon\n"
                        "[player anna]\ntimezone = Nowhere/City\n"
                        "[player emil]\nname = Emil\nemail = " + address_of("bruno") + "\n"
                        "[player ella]\nname = Ella\nemail = Moves@Club.Example\n"
                        "[game 1]\nwhite = carla\nblack = anna\ncode = AAAA\n"
                        "[game 2]\nwhite = anna\nblack = dmitri\ncode = AAAA\n"
                        "[game 3]\nwhite = zed\nblack = anna\n")
        done = self.place.run(club.CONTROL, "--config", self.place.config, "import", path)
        self.assertEqual(done.returncode, 1)
        lines = [int(line.removeprefix(f"{path}:").split(":")[0]) for line in done.stderr.splitlines()]
        self.assertEqual(sorted(lines), [1, 3, 5, 8, 11, 19, 21], done.stderr)
        self.assertEqual(self.place.json("games", "--tournament", "OTHER"), [])

    def test_a_code_of_mclink_has_four_characters(self):
        text = ("[tournament ML]\nname = ML\nrules = mclink\nstart = 2026-01-10\nmoves-per-manche = 10\n"
                "standard-hours = 480\n[game 10000]\nwhite = anna\nblack = bruno\n")
        self.place.import_text(text, code=1)
        self.assertIn("ML/10000", self.place.import_text(text + "code = X000\n"))

    def test_game_before_the_start(self):
        game = self.place.json("game", "KO-50.2/1", "--now", rfc3339(START - timedelta(days=1)))
        self.assertLessEqual(GAME_FIELDS, set(game))
        self.assertEqual(
            {key: game[key] for key in GAME_FIELDS - {"white", "black"}},
            {"id": "KO-50.2/1", "tournament": "KO-50.2", "rules": "iecc", "state": "scheduled",
             "result": "*", "termination": None, "ply": 0, "to_move": "white", "fen": FIRST,
             "uci": [], "san": [], "draw_offer": None, "held": [], "deadline": None, "ledger": []})
        self.assertEqual((game["white"]["player"], game["white"]["name"]), ("anna", "Virtanen, Anna"))
        self.assertIn("clock", game["black"])

    def test_ledger(self):
        pairing = self.begin()
        sent = self.now + timedelta(days=2)
        self.place.drop(mailers.letter(pairing, address_of("anna"), sent, "1. e4"), sent)
        self.place.once(sent + timedelta(minutes=1))
        row, = self.place.game(1)["ledger"]
        self.assertLessEqual(LEDGER_FIELDS, set(row))
        self.assertEqual({key: row[key] for key in ("ply", "by", "sent", "days", "penalty", "sum", "outage")},
                         {"ply": 1, "by": "white", "sent": rfc3339(sent), "days": 2, "penalty": 0, "sum": 2,
                          "outage": False})

    def test_lists(self):
        self.begin()
        games = self.place.json("games")
        self.assertEqual([(game["id"], game["state"]) for game in games],
                         [("KO-50.2/1", "active"), ("KO-50.2/2", "active")])
        self.assertEqual([game["id"] for game in self.place.json("games", "--player", "dmitri")],
                         ["KO-50.2/2"])
        self.assertEqual(self.place.json("games", "--state", "finished"), [])
        self.assertEqual(self.place.json("games", "--tournament", "OTHER"), [])
        self.assertEqual(self.place.json("outbox"), [])
        self.place.control("game", "KO-50.2/9", code=1)
        self.assertIn("KO-50.2/1", self.place.control("games"))
        self.assertIn("Virtanen, Anna", self.place.control("game", "KO-50.2/1"))

    def test_messages(self):
        pairing = self.begin()
        when = self.now + timedelta(hours=1)
        raw = mailers.letter(pairing, address_of("anna"), when, "1. e5")
        self.place.drop(raw, when)
        self.place.once(when)
        message, = self.place.json("messages")
        self.assertEqual((message["verdict"], message["game"]), ("illegal-move", "KO-50.2/1"))
        self.assertEqual(self.place.json("messages", "--verdict", "accepted"), [])
        self.assertEqual(len(self.place.json("messages", "--verdict", "illegal-move")), 1)
        self.assertEqual(self.place.json("message", message["id"])["verdict"], "illegal-move")
        self.assertEqual(self.place.control("message", message["id"], "--raw").encode(), raw)
        known = self.place.json("message", message["id"])
        self.assertNotIn("raw", known)
        self.assertEqual(self.place.json("message", message["id"], "--raw"),
                         {**known, "raw": base64.b64encode(raw).decode()})
        self.place.control("message", 999, code=1)

    def test_resignation(self):
        """One word on a line of its own ends the game; a sentence about it does not."""
        pairing = self.begin()
        when = self.now + timedelta(hours=1)
        self.place.drop(mailers.letter(pairing, address_of("anna"), when, "I will not resign", serial=1), when)
        self.place.once(when)
        self.assertEqual(self.place.game(1)["state"], "active")
        when += timedelta(hours=1)
        self.place.drop(mailers.letter(pairing, address_of("anna"), when, "resign", serial=2), when)
        mails = self.place.once(when)
        game = self.place.game(1)
        self.assertEqual((game["state"], game["result"], game["termination"]),
                         ("finished", "0-1", "resignation"))
        self.assertEqual(len(club.find(mails, "result", game="KO-50.2/1")), 3)

    def test_read_in_order(self):
        """Each message finds what the ones before it did, in a copy that nobody else sees."""
        pairing = self.begin()
        before = self.place.game(1), self.place.json("messages"), self.place.json("outbox")
        when = self.now + timedelta(hours=1)
        files = []
        for number, text in enumerate(("1. e4", "1. d4", "1. e4")):
            path = self.place.top / f"{number}.eml"
            path.write_bytes(mailers.letter(pairing, address_of("anna"), when, text, serial=number))
            files.append(path)
        got = self.place.json("read", "--in-order", *files, "--now", rfc3339(when))
        self.assertEqual([one["verdict"] for one in got], ["accepted", "stale-move", "repeat"])
        self.assertEqual(before, (self.place.game(1), self.place.json("messages"), self.place.json("outbox")))

    def test_read_knows_what_becomes_of_a_command(self):
        """Each as if it were the next to arrive: the verdicts are those that the pass then gives."""
        pairing = self.begin()
        when = self.now + timedelta(hours=1)
        texts = ("leave 2026-02-01 2026-02-10", "leave 2026-02-01 2026-05-10", "leave 2026-02-01 2026-02-10",
                 "end leave", "agree", "address " + address_of("bruno"), "language xx", "status", "language it")
        files = []
        for number, text in enumerate(texts):
            files.append(self.place.top / f"{number}.eml")
            files[-1].write_bytes(mailers.letter(pairing, address_of("anna"), when, text, serial=number))
        before = self.place.json("players"), self.place.json("messages"), self.place.json("outbox")
        got = self.place.json("read", *files, "--now", rfc3339(when))
        self.assertEqual(before, (self.place.json("players"), self.place.json("messages"), self.place.json("outbox")))
        done, refused = "command", "command-error"
        self.assertEqual([one["verdict"] for one in got],
                         [done, refused, done, refused, refused, refused, refused, done, done])
        for path in (files[5], files[8]):
            self.place.drop(path.read_bytes(), when)
            self.place.once(when)
            self.assertEqual(self.place.json("messages")[-1]["verdict"], got[files.index(path)]["verdict"])

    def test_read_changes_nothing(self):
        pairing = self.begin()
        before = self.place.game(1), self.place.json("messages"), self.place.json("outbox")
        when = self.now + timedelta(hours=1)
        files = []
        for number, text in enumerate(("1. e4", "1. e5", "Good morning!")):
            path = self.place.top / f"{number}.eml"
            path.write_bytes(mailers.letter(pairing, address_of("anna"), when, text, serial=number))
            files.append(path)
        got = self.place.json("read", *files, "--now", rfc3339(when))
        for one in got:
            self.assertEqual(READ_FIELDS - set(one), set())
        self.assertEqual([one["file"] for one in got], [str(path) for path in files])
        self.assertEqual([one["verdict"] for one in got], ["accepted", "illegal-move", "no-move"])
        self.assertEqual({(one["game"], one["player"], one["trust"]) for one in got},
                         {("KO-50.2/1", "anna", "token")})
        self.assertEqual((got[0]["own"]["uci"], got[0]["own"]["san"]), ("e2e4", "e4"))
        self.assertEqual(got[0]["new_text"].strip(), "1. e4")
        self.assertIsNone(got[2]["own"])
        self.assertEqual([one["answer"] for one in got], [True, True, True])
        self.assertEqual((self.place.game(1), self.place.json("messages"), self.place.json("outbox")), before)
        self.assertEqual(self.place.once(when), [])

    def test_log(self):
        """What happened in a game, in order."""
        pairing = self.begin()
        when = self.now + timedelta(hours=1)
        for serial, text in enumerate(("1. e5", "1. e4")):
            self.place.drop(mailers.letter(pairing, address_of("anna"), when, text, serial=serial), when)
            self.place.once(when)
            when += timedelta(hours=1)
        self.place.control("rule", "KO-50.2/1", "penalty", "white", "1", "--reason", "late notice",
                           "--now", rfc3339(when))
        entries = self.place.json("log", "KO-50.2/1")
        self.assertEqual([entry["at"] for entry in entries], sorted(entry["at"] for entry in entries))
        seen = [(entry["kind"], entry["text"]) for entry in entries]
        for kind, words in (("clock", "the game begins"), ("message", "anna: illegal-move"),
                            ("message", "anna: accepted"), ("clock", "fault of white"),
                            ("clock", "white: 1. e4"), ("mail", "(pairing) to bruno"),
                            ("delivered", "(move) to bruno"), ("ruling", "penalty white 1 (late notice)")):
            self.assertEqual(len([1 for entry in seen if entry[0] == kind and words in entry[1]]), 1,
                             (kind, words, seen))
        ids = {entry["id"] for entry in entries if entry["kind"] == "message"}
        self.assertEqual(ids, {message["id"] for message in self.place.json("messages")})
        lines = self.place.control("log", "KO-50.2/1").splitlines()
        self.assertEqual(len(lines), len(entries))
        self.assertTrue(lines[0].startswith("2026-01-10 07:00 UTC  the game begins"), lines[0])
        self.place.control("log", "KO-50.2/9", code=1)
        self.place.control("log", code=2)
        # A reason of several lines is no other entry, and does nothing to a terminal.
        reason = "one\n2026-01-10 09:00 UTC  ruling\r\x1b[2J\x7f\x9b\u00e4\u2019"
        self.place.control("rule", "KO-50.2/1", "penalty", "white", "1", "--reason", reason, "--now", rfc3339(when))
        entries = self.place.json("log", "KO-50.2/1")
        self.assertEqual([entry["text"] for entry in entries if reason in entry["text"]],
                         [f"ruling: penalty white 1 ({reason})"])
        text = self.place.control("log", "KO-50.2/1")
        self.assertEqual(text.count("\n"), len(entries))
        self.assertIn("(one 2026-01-10 09:00 UTC  ruling  [2J  \u00e4\u2019)\n", text)

    def test_crosstable(self):
        """Points, and ties by Sonneborn-Berger: each point counts what its victim has."""
        pairs = [("anna", "bruno"), ("anna", "carla"), ("bruno", "carla"), ("dmitri", "anna"),
                 ("dmitri", "bruno"), ("carla", "dmitri"), ("anna", "bruno")]
        self.place.import_text(club.tournament_text(pairs, code="T"))
        self.place.once(self.now)
        for number, ruling in enumerate(("result 1-0", "result 0-1", "draw", "draw", "result 0-1",
                                         "result 0-1", "annul"), 1):
            self.place.control("rule", f"T/{number}", *ruling.split(), "--now", rfc3339(self.now))
        table = self.place.json("crosstable", "T")
        self.assertEqual((table["tournament"], table["rules"]), ("T", "iecc"))
        # All have 1.5: anna beat bruno and drew dmitri; bruno beat dmitri and drew carla; ...
        self.assertEqual([(row["rank"], row["player"], row["points"], row["sonneborn_berger"], row["wins"],
                           row["draws"], row["losses"], row["unfinished"]) for row in table["players"]],
                         [(1, "dmitri", 1.5, 2.25, 1, 1, 1, 0), (1, "bruno", 1.5, 2.25, 1, 1, 1, 0),
                          (1, "carla", 1.5, 2.25, 1, 1, 1, 0), (1, "anna", 1.5, 2.25, 1, 1, 1, 0)])
        first = table["players"][-1]["results"]
        self.assertEqual([(one["game"], one["opponent"], one["colour"], one["points"]) for one in first],
                         [("T/1", "bruno", "white", 1), ("T/2", "carla", "white", 0),
                          ("T/4", "dmitri", "black", 0.5), ("T/7", "bruno", "white", None)])
        self.place.control("rule", "T/5", "result", "1-0", "--now", rfc3339(self.now))
        rows = self.place.json("crosstable", "T")["players"]
        self.assertEqual([(row["rank"], row["player"], row["points"], row["sonneborn_berger"]) for row in rows],
                         [(1, "dmitri", 2.5, 2.75), (2, "carla", 1.5, 1.75), (2, "anna", 1.5, 1.75),
                          (4, "bruno", 0.5, 0.75)])
        text = self.place.control("crosstable", "T")
        self.assertIn("2.75", text)
        self.assertEqual(len(text.splitlines()), 6)
        self.place.control("crosstable", "NONE", code=1)

    def test_player(self):
        """What a change of a player does: the zone from the next message on, tokens made anew."""
        pairing = self.begin()
        bruno = club.find(self.mails, "pairing", address_of("bruno"))[0]
        before = self.place.json("player", "anna")
        self.assertEqual((before["games"], before["leaves"], before["timezone"]),
                         (["KO-50.2/1"], [], "Europe/Helsinki"))
        when = self.now + timedelta(days=1)
        self.place.control("leave", "anna", "2026-03-01", "2026-03-05", "--now", rfc3339(when))
        changed = self.place.json("player", "anna", "--timezone", "Asia/Tokyo", "--language", "it",
                                  "--notation", "long", "--now", rfc3339(when))
        self.assertEqual(changed, {**before, "timezone": "Asia/Tokyo", "language": "it", "notation": "long",
                                   "leaves": [{"tournament": "KO-50.2", "from": "2026-03-01",
                                               "to": "2026-03-05"}]})
        self.assertIn(changed, self.place.json("players"))
        self.place.once(when)
        # 20:00 in Helsinki on the 12th is the 13th in Tokyo: three days.
        sent = instant("2026-01-12T20:00:00+02:00")
        self.place.drop(mailers.letter(pairing, address_of("anna"), sent, "1. e4"), sent)
        self.place.once(sent)
        self.assertEqual(self.place.game(1)["ledger"][0]["days"], 3)

        renewed = self.place.json("player", "bruno", "--email", "b@new.example, bb@new.example",
                                  "--now", rfc3339(sent))
        self.assertEqual(renewed["email"], ["b@new.example", "bb@new.example"])
        mails = club.find(self.place.once(sent), "announcement")
        told = [mail for mail in mails if mail.game]
        self.assertEqual(sorted(mail.to for mail in told),
                         sorted((address_of("anna"), "b@new.example", club.DIRECTOR)))
        # He is told himself what was entered for him, at the address that he has no longer too.
        self.assertEqual(sorted(mail.to for mail in mails if not mail.game),
                         sorted((address_of("bruno"), "b@new.example")))
        # The token of before proves nothing any more; the new one does.
        raw = mailers.letter(bruno, address_of("bruno"), sent, "1. e4 e5", quote=False, serial=5)
        self.place.drop(raw, sent)
        self.place.once(sent)
        self.assertEqual(self.place.game(1)["ply"], 1)
        mine = next(mail for mail in told if mail.to == "b@new.example")
        self.place.drop(mailers.letter(mine, "bb@new.example", sent, "1. e4 e5", quote=False, serial=6), sent)
        self.place.once(sent)
        self.assertEqual(self.place.game(1)["ply"], 2)

        for option, value in (("--email", address_of("anna")), ("--email", "nonsense"),
                              ("--email", "x@y.example, X@Y.example"), ("--email", "MOVES+x@club.example"),
                              ("--timezone", "Mars/Base"), ("--language", "tlh"), ("--notation", "morse")):
            done = self.place.run(club.CONTROL, "--config", self.place.config, "player", "bruno", option, value)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), (option, done.stderr))
        self.place.control("player", "nobody", "--language", "it", code=1)
        self.place.control("player", "bruno", "--email", code=2)
        self.assertEqual(self.place.json("player", "bruno"), renewed)

    def test_status(self):
        self.begin()
        self.assertIsInstance(self.place.json("status"), dict)


if __name__ == "__main__":
    unittest.main()
