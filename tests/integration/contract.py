"""The outer contract, sentence by sentence: files, JSON types, exit codes, order, mails."""
import json
import os
import shutil
import unittest
from datetime import timedelta

import club
import mailers
from club import ADDRESS, ARBITER, CONFIGURATION, DIRECTOR, address_of, find, instant, rfc3339

START = instant("2026-01-10T09:00:00+02:00")
ANNA, BRUNO = address_of("anna"), address_of("bruno")
FIRST = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
PAIRS = [("anna", "bruno"), ("carla", "dmitri")]
TOURNAMENT = club.tournament_text(PAIRS)

NULL = type(None)
GAME = {"id": str, "tournament": str, "rules": str, "state": str, "result": str,
        "termination": (str, NULL), "ply": int, "to_move": str, "fen": str, "uci": list, "san": list,
        "draw_offer": (str, NULL), "held": list, "deadline": (str, NULL), "white": dict, "black": dict,
        "ledger": list}
SIDE = {"player": str, "name": str, "clock": dict}
CLOCK = {"days": list, "penalties": list, "last_window_sum": int, "next_move_base": int}
RUNNING = {"move": int, "arrival": str, "days": int, "penalty": int, "window_sum": int,
           "window_left": int, "move_left": int, "reminder_at": str, "overstep_at": str,
           "overstep_at_local": str, "overstep_kinds": list}
LEDGER = {"ply": int, "by": str, "received": (str, NULL), "sent": str, "days": int, "penalty": int,
          "article": str, "sum": int, "outage": bool}
READ = {"file": str, "verdict": str, "game": (str, NULL), "player": (str, NULL), "trust": str,
        "new_text": str, "repetition": (dict, NULL), "own": (dict, NULL), "conditionals": list,
        "commands": list, "notes": list, "answer": bool}
REPETITION = {"text": str, "san": (str, NULL), "right": bool}
OWN = {"text": str, "uci": (str, NULL), "san": (str, NULL)}


class ContractTest(club.ClubTest):
    def has_types(self, value, types):
        for name, kind in types.items():
            self.assertIn(name, value)
            self.assertIsInstance(value[name], kind, name)
            if kind is int:
                self.assertNotIsInstance(value[name], bool, name)

    def begin(self, pairs=None, name="club", extra="", when=START):
        place = self.club(name)
        place.import_text(club.tournament_text(pairs or PAIRS[:1], extra=extra))
        return place, place.once(when)

    def letter(self, mail, when, text, serial=0, sender=ANNA, **fields):
        return mailers.letter(mail, sender, when, text, True, serial, **fields)

    def unproven(self, mail, when, text, serial=0, **fields):
        return mailers.letter(mail, ANNA, when, text, False, serial, To=ADDRESS, Delivered_To=ADDRESS,
                              In_Reply_To=None, References=None, Subject="[KO-50.2 #1]", **fields)


class ImportTest(ContractTest):
    def games(self, place):
        return [place.json("game", game["id"], "--now", rfc3339(START)) for game in place.json("games")]

    def test_updates_and_errors(self):
        """Each change to a known tournament: what it may not touch is an error with its line."""
        place = self.club()
        place.import_text(TOURNAMENT)
        before = self.games(place)
        for old, new, line in (
                ("white = anna", "white = emi", "white"),
                ("black = bruno", "black = emi", "black"),
                ("white = anna", "white = anna\nmoves = 1. e4", "moves"),
                ("white = anna", f"white = anna\nfen = {FIRST.replace('KQkq', 'KQ')}", "fen")):
            text = TOURNAMENT.replace(old, new, 1)
            path = place.top / "changed.ini"
            path.write_text(text, encoding="utf-8")
            with self.subTest(new):
                done = place.run(club.CONTROL, "--config", place.config, "import", path)
                self.assertEqual(done.returncode, 1)
                number = 1 + [one.startswith(line + " =") for one in text.split("\n")].index(True)
                self.assertIn(f"{path}:{number}: ", done.stderr)
                self.assertEqual(self.games(place), before)

    def test_player_updates(self):
        place = self.club()
        place.import_text(TOURNAMENT)
        for old, new, key, value in (
                ("Virtanen, Anna", "Virtanen, Anna-Maria", "name", "Virtanen, Anna-Maria"),
                (ANNA, f"anna@new.example, {ANNA}", "email", ["anna@new.example", ANNA]),
                ("Europe/Helsinki", "Europe/Tallinn", "timezone", "Europe/Tallinn"),
                ("language = en", "language = fi", "language", "fi"),
                ("language = en", "language = en\nnotation = san-fi", "notation", "san-fi")):
            with self.subTest(key):
                place.import_text(TOURNAMENT.replace(old, new, 1))
                self.assertEqual(place.json("player", "anna")[key], value)
        self.assertEqual(len(place.json("games")), 2)

    def test_before_and_after_the_start(self):
        place = self.club()
        place.import_text(TOURNAMENT)
        changed = TOURNAMENT.replace("site = IECC", "site = IECC\nmove-days = 8")
        place.import_text(changed)
        mails = place.once(START)
        self.assertEqual(place.game(1)["deadline"], "2026-01-18T22:00:00Z")
        self.assertEqual(len(find(mails, "pairing")), 4)
        for text in (changed.replace("move-days = 8", "move-days = 9"),
                     changed.replace("rules = iecc", "rules = razsh"),
                     changed.replace("09:00:00+02:00", "10:00:00+02:00")):
            place.import_text(text, code=1)
        # What a later file leaves out stays; ids known to the club need not be repeated.
        place.import_text(TOURNAMENT)
        place.import_text("[tournament KO-50.2]\n[game 3]\nwhite = anna\nblack = carla\n")
        self.assertEqual(place.game(1)["deadline"], "2026-01-18T22:00:00Z")
        mails = place.once(START + timedelta(hours=1))
        self.assertEqual({(mail.kind, mail.game) for mail in mails}, {("pairing", "KO-50.2/3")})

    def test_thematic_start_and_position(self):
        place = self.club()
        place.import_text(TOURNAMENT.replace("white = anna", "white = anna\nmoves = 1.e4 c5 2. Nf3")
                          .replace("white = carla", "white = carla\n"
                                   "fen = 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\nmoves = e4"))
        first, second = place.game(1), place.game(2)
        self.assertEqual((first["uci"], first["to_move"], first["ply"]), (["e2e4", "c7c5", "g1f3"], "black", 3))
        self.assertEqual(second["fen"], "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1")
        mails = place.once(START)
        mail, = find(mails, "pairing", BRUNO)
        when = START + timedelta(hours=1)
        # A wrong repetition of the last set move is refused, a missing one only warned of.
        for number, (text, verdict) in enumerate((("2. Nc3 d6", "repetition-wrong"),
                                                  ("2... d6", "accepted-with-warning"))):
            place.drop(mailers.letter(mail, BRUNO, when, text, False, number), when)
            place.once(when)
            self.assertEqual(place.messages()[-1]["verdict"], verdict)

    def test_start_as_a_date(self):
        """00:00 in the club's zone, also where the clock changes that day."""
        for date, first in (("2026-03-29", "2026-03-28T23:00:00Z"), ("2026-03-30", "2026-03-29T22:00:00Z")):
            with self.subTest(date):
                place = self.club(date)
                place.import_text(club.tournament_text(PAIRS[:1], start=date))
                self.assertEqual(place.once(instant(first) - timedelta(seconds=1)), [])
                self.assertEqual(len(find(place.once(instant(first)), "pairing")), 2)


class JsonTest(ContractTest):
    def test_types(self):
        place, mails = self.begin()
        pairing, = find(mails, "pairing", ANNA)
        when = START + timedelta(days=1)
        place.drop(self.letter(pairing, when, "1. e5", 1), when)
        place.drop(self.letter(pairing, when, "1. e4", 2), when)
        mails = place.once(when)
        game = place.json("game", "KO-50.2/1", "--now", rfc3339(when))
        self.has_types(game, GAME)
        for side in ("white", "black"):
            self.has_types(game[side], SIDE)
            self.has_types(game[side]["clock"], CLOCK)
        self.assertNotIn("running", game["white"]["clock"])
        self.has_types(game["black"]["clock"]["running"], RUNNING)
        self.assertEqual(len(game["ledger"]), 2)
        for row in game["ledger"]:
            self.has_types(row, LEDGER)
        self.assertEqual(sum(row["penalty"] for row in game["ledger"]), 1)
        move, = find(mails, "move", BRUNO)
        files = []
        for number, text in enumerate(("1. e4 c5", "c5", "1. d4 c5", "1... Ke3", "Hello!", "1. e4 Zz")):
            files.append(place.top / f"{number}.eml")
            files[-1].write_bytes(self.letter(move, when, text, number, BRUNO))
        stray = place.top / "stray.eml"
        stray.write_bytes(b"From: nobody@elsewhere.example\nTo: moves@club.example\n\ne4\n")
        for one in place.json("read", *files, stray, "--now", rfc3339(when)):
            with self.subTest(one["file"]):
                self.has_types(one, READ)
                if one["repetition"]:
                    self.has_types(one["repetition"], REPETITION)
                if one["own"]:
                    self.has_types(one["own"], OWN)
                    self.assertEqual(one["own"]["uci"] is None, one["own"]["san"] is None)
        self.assertEqual((one["verdict"], one["answer"], one["trust"], one["game"]),
                         ("unknown-sender", False, "unknown", None))

    def test_options_may_follow_operands(self):
        place, _ = self.begin()
        done = place.run(club.CONTROL, "game", "KO-50.2/1", "--json", "--config", place.config,
                         "--now", "2026-01-12T00:00:00Z")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(done.stdout)["white"]["clock"]["running"]["days"], 2)

    def test_trust(self):
        place, mails = self.begin()
        pairing, = find(mails, "pairing", ANNA)
        path = place.top / "one.eml"
        for field, verdict, trust, answer in (
                ("mail.club.example; dmarc=pass header.from=players.example", "accepted", "authenticated", True),
                ("mail.club.example; dmarc=fail header.from=players.example", "untrusted", "unknown", False),
                ("evil.example; dmarc=pass header.from=players.example", "held", "registered", True),
                ("mail.club.example; dmarc=pass header.from=example", "held", "registered", True)):
            with self.subTest(field):
                path.write_bytes(self.unproven(pairing, START, "1. e4", Authentication_Results=field))
                got, = place.json("read", path, "--now", rfc3339(START))
                self.assertEqual((got["verdict"], got["trust"], got["answer"]), (verdict, trust, answer))


class OrderTest(ContractTest):
    def test_deadline_is_the_first_instant_too_late(self):
        for late, verdict, state in ((0, "held", "suspended"), (1, "accepted", "active")):
            place, mails = self.begin(name=f"late-{late}")
            deadline = instant(place.game(1)["deadline"])
            when = deadline - timedelta(seconds=late)
            place.drop(self.letter(mails[0], when, "1. e4", sender=mails[0].to)
                       if mails[0].to == ANNA else self.letter(mails[1], when, "1. e4"), when)
            # However late it is seen, a message is judged by its arrival.
            place.once(deadline + timedelta(days=1))
            with self.subTest(verdict):
                self.assertEqual(place.messages()[0]["verdict"], verdict)
                game = place.game(1)
                self.assertEqual(game["state"], state)
                self.assertEqual(game["deadline"] is None, state == "suspended")
                self.assertEqual(game["held"], [1] if verdict == "held" else [])

    def test_found_after_the_deadline(self):
        place, mails = self.begin()
        pairing, = find(mails, "pairing", ANNA)
        deadline = instant(place.game(1)["deadline"])
        self.assertEqual(len(find(place.once(deadline), "overstep")), 4)
        when = deadline - timedelta(hours=1)
        place.drop(self.letter(pairing, when, "1. e4"), when)
        place.once(deadline + timedelta(hours=1))
        self.assertEqual((place.messages()[0]["verdict"], place.game(1)["held"]), ("held", [1]))

    def test_deadlines_wait_for_the_mailboxes(self):
        place, _ = self.begin()
        deadline = instant(place.game(1)["deadline"])
        (place.top / "in/new").rename(place.top / "in/away")
        self.assertEqual(place.once(deadline, code=75), [])
        (place.top / "in/away").rename(place.top / "in/new")
        self.assertEqual(len(find(place.once(deadline + timedelta(hours=1)), "overstep")), 4)

    def test_held_move_postpones_the_deadline(self):
        place, mails = self.begin()
        pairing, = find(mails, "pairing", ANNA)
        deadline = instant(place.game(1)["deadline"])
        when = deadline - timedelta(hours=1)
        place.drop(self.unproven(pairing, when, "1. e4"), when)
        self.assertEqual([mail.kind for mail in place.once(when) if mail.kind != "repeat"], ["confirm"])
        self.assertEqual((place.game(1)["deadline"], place.game(1)["held"]), (None, [1]))
        self.assertEqual(place.once(deadline + timedelta(hours=1)), [])
        report = find(place.once(when + timedelta(hours=73)), "overstep", DIRECTOR)[0]
        self.assertIn(deadline.strftime("%Y-%m-%d %H:%MZ"), " ".join(report.text.split()))

    def test_same_second(self):
        """Then the bytes of the file name decide, not the order of delivery."""
        place, mails = self.begin()
        pairing, = find(mails, "pairing", ANNA)
        when = START + timedelta(hours=1)
        seconds = int(when.timestamp())
        place.drop(self.letter(pairing, when, "1. d4", 1), when, f"{seconds}.b.mx")
        place.drop(self.letter(pairing, when, "1. e4", 2), when, f"{seconds}.a.mx")
        place.once(when)
        self.assertEqual(place.game(1)["san"], ["e4"])

    def test_arrival_from_the_file(self):
        place, mails = self.begin()
        pairing, = find(mails, "pairing", ANNA)
        when = START + timedelta(hours=1)
        name = place.drop(self.letter(pairing, when, "1. e4"), when, "without-seconds")
        os.utime(place.top / "in/new" / name, (when.timestamp(), when.timestamp()))
        self.assertEqual(place.once(when - timedelta(seconds=1)), [])
        self.assertTrue((place.top / "in/new" / name).exists())
        place.once(when)
        self.assertEqual(place.game(1)["ledger"][0]["sent"], rfc3339(when))

    def test_passes(self):
        place, _ = self.begin()
        self.assertEqual(place.once(START), [])
        place.once(START - timedelta(seconds=1), code=1)
        self.assertEqual(place.once(START), [])

    def test_delivery_that_cannot_be_reached(self):
        place = self.club()
        place.import_text(club.tournament_text(PAIRS[:1]))
        shutil.rmtree(place.top / "out")
        (place.top / "out").write_text("no folder")
        done = place.run(club.DAEMON, "--config", place.config, "--once", "--now", rfc3339(START))
        self.assertEqual(done.returncode, 75)
        self.assertEqual([row["kind"] for row in place.json("outbox")], ["pairing"] * 2)
        # Nothing is delivered, so no clock runs.
        self.assertEqual((place.game(1)["state"], place.game(1)["deadline"]), ("active", None))
        (place.top / "out").unlink()
        for sub in ("new", "cur", "tmp"):
            (place.top / "out" / sub).mkdir(parents=True)
        self.assertEqual(len(place.once(START + timedelta(days=2))), 2)
        self.assertEqual(place.game(1)["deadline"], "2026-01-22T22:00:00Z")


class MailTest(ContractTest):
    def test_envelopes_and_headers(self):
        place, mails = self.begin(extra="deputy = vice@club.example")
        pairing, = find(mails, "pairing", ANNA)
        when = START + timedelta(hours=1)
        place.drop(self.letter(pairing, when, "1. e4\n\nMail me: anna@secret.example"), when)
        mails += place.once(when)
        self.assertEqual(sorted((mail.kind, mail.to) for mail in mails if mail.kind != "pairing"),
                         [("copy", DIRECTOR), ("copy", "vice@club.example"), ("move", BRUNO), ("receipt", ANNA)])
        for mail in mails:
            with self.subTest(repr(mail)):
                self.assertTrue(mail.raw.startswith(b"Return-Path: <"))
                self.assertEqual(mail.raw.count(b"\nDelivered-To: "), 1)
                self.assertEqual(mail.message["To"].addresses[0].addr_spec, mail.to)
                self.assertEqual(len(mail.message["To"].addresses), 1)
                self.assertEqual(mail.message["From"].addresses[0].addr_spec, ADDRESS)
                self.assertEqual((mail.game, mail.ply), ("KO-50.2/1", 0 if mail.kind == "pairing" else 1))
                self.assertEqual(mail.message.get_content_type(), "text/plain")
                self.assertLess(max(map(len, mail.text.split("\n"))), 78)
                self.assertNotIn("anna@secret.example", mail.text)
                ids = (mail.references or "").split()
                self.assertEqual(len(ids), len(set(ids)))
                if mail.in_reply_to:
                    self.assertEqual(ids[-1], mail.in_reply_to)
                token = mail.reply_address.split("@")[0].partition("+")[2]
                if mail.to in (ANNA, BRUNO):
                    self.assertRegex(token, r"^[a-z2-7]{20}$")
        receipt, = find(mails, "receipt")
        self.assertEqual((receipt.return_path, receipt.verdict, receipt.auto_submitted),
                         ("<>", "accepted", "auto-replied"))

    def test_who_gets_copies(self):
        for extra, arbiter, wanted in (("copies = none", True, []), ("copies = required", True, []),
                                       ("copies = all", True, [DIRECTOR]), ("", True, [DIRECTOR]),
                                       ("", False, [ARBITER])):
            with self.subTest(extra, arbiter=arbiter):
                place = self.club(f"copies-{extra[9:]}-{arbiter}")
                text = club.tournament_text(PAIRS[:1], extra=extra)
                if not arbiter:
                    text = text.replace("arbiter = Director, Tarmo <td@club.example>\n", "")
                place.import_text(text)
                pairing, = find(place.once(START), "pairing", ANNA)
                place.drop(self.letter(pairing, START, "1. e4"), START)
                mails = place.once(START)
                self.assertEqual([mail.to for mail in find(mails, "copy")], wanted)
                move, = find(mails, "move")
                self.assertEqual("A copy of this move goes to the arbiter" in move.text, bool(wanted))

    def test_unreadable_is_told(self):
        """The arbiter hears of it, in words that do not say that a move was made."""
        place, mails = self.begin()
        pairing, = find(mails, "pairing", ANNA)
        place.drop(self.letter(pairing, START, "1. Zf3"), START)
        mails = place.once(START)
        self.assertEqual(sorted((mail.kind, mail.to) for mail in mails),
                         [("copy", DIRECTOR), ("refusal", ANNA)])
        copy, = find(mails, "copy")
        self.assertIn("1. Zf3", copy.text)
        self.assertNotIn("has played", copy.text)
        self.assertNotIn("via", copy.message["From"].addresses[0].display_name)

    def test_refusal_shows_the_new_text(self):
        place, mails = self.begin()
        pairing, = find(mails, "pairing", ANNA)
        place.drop(self.letter(pairing, START, "Which colour have I got?"), START)
        refusal, = place.once(START)
        self.assertEqual((refusal.kind, refusal.verdict), ("refusal", "no-move"))
        self.assertIn("| Which colour have I got?", refusal.text)

    def test_last_move(self):
        place, mails = self.begin()
        mail = {one.to: one for one in find(mails, "pairing")}
        when = START
        for ply, san in enumerate(("f3", "e5", "g4", "Qh4")):
            when += timedelta(minutes=1)
            sender = (ANNA, BRUNO)[ply % 2]
            place.drop(self.letter(mail[sender], when, san, ply, sender), when)
            mails = place.once(when)
            mail.update({one.to: one for one in find(mails, "move")})
        self.assertEqual(sorted((one.kind, one.to) for one in mails),
                         [("copy", DIRECTOR), ("move", ANNA), ("receipt", BRUNO), ("result", ANNA),
                          ("result", BRUNO), ("result", DIRECTOR)])
        move, = find(mails, "move")
        self.assertIn("It ends the game: 0-1.", move.text)
        for words in ("To answer", "to move.", "\n\n\n", "Clock"):
            self.assertNotIn(words, move.text)
        game = place.game(1)
        self.assertEqual((game["state"], game["result"], game["termination"], game["deadline"]),
                         ("finished", "0-1", "checkmate", None))

    def test_same_inputs_same_ids(self):
        """Two stores with the same secret that see the same inputs write the same mails."""
        place = self.club()
        place.import_text(TOURNAMENT)
        other = place.copy_to(self.folder / "other")
        mails = [one.once(START) for one in (place, other)]
        self.assertEqual(*[sorted(map(str, (mail.identity for mail in one))) for one in mails])
        pairing, = find(mails[0], "pairing", ANNA)
        when = START + timedelta(hours=1)
        for one in (place, other):
            one.drop(self.letter(pairing, when, "1. e4"), when)
        mails = [one.once(when) for one in (place, other)]
        self.assertEqual(*[sorted(mail.raw for mail in one) for one in mails])


class GrammarTest(ContractTest):
    """Section 3's grammar, by --check."""
    GOOD = [
        ("name = Demo Chess Club", "name = Demo #1;Club ; comment"),
        ("name = Demo Chess Club", "name =\n\tDemo Club"),
        ("authserv-id = mail.club.example", "authserv-id = a.example,\n# between\n  b.example"),
        ("confirm-within = 72h", "confirm-within = 90s"), ("confirm-within = 72h", "confirm-within = 15min"),
        ("confirm-within = 72h", "confirm-within = 5d"), ("message-size = 256K", "message-size = 1M"),
        ("source = maildir:{top}/in", "source = imaps://moves%40club.example@mail.club.example:993/INBOX\n"
         "password = file:/etc/hostname\nsince = all\narchive = Archive\njunk = Rejected\n"
         "auth = xoauth2\nca-file = /etc/ssl/certs/ca-certificates.crt"),
        ("source = maildir:{top}/in", "source = imap://moves@127.0.0.1:1143/INBOX\ntls = none\n"
         "password = file:/etc/hostname"),
        ("target = maildir:{top}/out", "target = smtps://moves@mail.club.example\npassword = credential:smtp"),
        ("authserv-id = mail.club.example", "authserv-id = topmost"),
        ("arbiter = arbiter@club.example", "arbiter = Chief Arbiter <arbiter@club.example>"),
    ]
    BAD = [
        ("[store]", "[store]\njunk"), ("[store]", "[club]\n[store]"), ("[store]", "[store\n"),
        ("name = Demo Chess Club", "name ="), ("confirm-within = 72h", "confirm-within = 72"),
        ("confirm-within = 72h", "confirm-within = 72 h"), ("message-size = 256K", "message-size = 1G"),
        ("source = maildir:{top}/in", "source = imap://moves@mail.club.example/INBOX\ntls = none\n"
         "password = credential:imap"),
        ("source = maildir:{top}/in", "source = imaps://moves:secret@mail.club.example/INBOX"),
        ("source = maildir:{top}/in", "source = maildir:relative"),
        ("target = maildir:{top}/out", "target = maildir:{top}/out\npassword = secret"),
    ]

    def check(self, rows, code):
        place = self.club()
        for old, new in rows:
            with self.subTest(new):
                text = CONFIGURATION.replace(old, new, 1)
                self.assertNotEqual(text, CONFIGURATION)
                place.config.write_text(text.format(top=place.top, otherwise="confirm"), encoding="utf-8")
                done = place.run(club.DAEMON, "--config", place.config, "--check")
                self.assertEqual(done.returncode, code, done.stderr)

    def test_good(self):
        self.check(self.GOOD, 0)

    def test_bad(self):
        self.check(self.BAD, 78)

    def test_long_lines(self):
        place = self.club()
        text = place.config.read_text(encoding="utf-8")
        for size, code in ((65536, 0), (65536 + 64, 78)):
            place.config.write_text(text + "; " + "x" * (size - 2) + "\n", encoding="utf-8")
            done = place.run(club.DAEMON, "--config", place.config, "--check")
            self.assertEqual(done.returncode, code, done.stderr)


if __name__ == "__main__":
    unittest.main()
