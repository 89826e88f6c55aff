"""A real game with faults in between: each message gets its verdict, nothing else changes."""
import unittest
from datetime import timedelta

import club
import mailers
from club import address_of, instant, rfc3339

START = instant("2026-01-10T09:00:00+02:00")
ANNA, BRUNO = address_of("anna"), address_of("bruno")
STRANGER = "somebody@elsewhere.example"
GAME = "KO-50.2/1"


class FaultsTest(club.ClubTest):
    """Keres - Laurentius, correspondence 1934; anna has White."""

    def setUp(self):
        super().setUp()
        self.source = club.real_games()[0]
        self.place = self.club()
        self.place.import_text(club.tournament_text([("anna", "bruno"), ("carla", "dmitri")]))
        self.now = START + timedelta(minutes=5)
        mails = self.place.once(self.now)
        self.tokens = {mail.to: mail.reply_address for mail in club.find(mails, "pairing", game=GAME)}
        self.mail, = club.find(mails, "pairing", ANNA, GAME)
        self.ply = 0
        self.serial = 0
        self.last_raw = None

    @property
    def mover(self):
        return (ANNA, BRUNO)[self.ply % 2]

    def state(self, number=1):
        return self.place.json("game", f"KO-50.2/{number}", "--now", rfc3339(self.now))

    def advance(self, to_ply):
        """Plays the source up to a ply, a message a pass."""
        while self.ply < to_ply:
            self.say(self.source["san"][self.ply])
            self.assertEqual(self.verdict, "accepted")
            self.ply += 1
            self.mail = (club.find(self.mails, "move", game=GAME) or [None])[0]

    def say(self, text, sender=None, quote=True, mail=None, **fields):
        """A message of the mover, or of another sender; its verdict and the mails it caused."""
        self.serial += 1
        self.last_raw = mailers.letter(mail or self.mail, sender or self.mover, self.now, text, quote,
                                       self.serial, **fields)
        return self.send(self.last_raw)

    def send(self, raw):
        known = {message["id"] for message in self.place.messages()}
        self.now += timedelta(minutes=10)
        self.place.drop(raw, self.now - timedelta(minutes=1))
        self.mails = self.place.once(self.now)
        message, = [one for one in self.place.messages() if one["id"] not in known]
        self.verdict = message["verdict"]
        return self.verdict

    def plain(self, subject="chess", **fields):
        """Headers of a mail that answers nothing and holds no token."""
        return {"To": club.ADDRESS, "Delivered_To": club.ADDRESS, "In_Reply_To": None,
                "References": None, "Subject": subject, **fields}

    def expect(self, verdict, answer, to=None):
        """The verdict of the message just sent; ANSWER is the kind of mail that it got."""
        self.assertEqual(self.verdict, verdict)
        wanted = [(answer, to or self.mover)] if answer else []
        if verdict == "unreadable-move":
            # It may be the reader's fault: the arbiter sees it.
            wanted.append(("copy", club.DIRECTOR))
        self.assertEqual(sorted((mail.kind, mail.to) for mail in self.mails), sorted(wanted))
        for mail in self.mails:
            self.assertEqual(mail.verdict, verdict)

    def unchanged(self, act, penalty=0):
        """Runs ACT; the games are as before but for the days that the verdict costs."""
        before, other = self.state(), self.state(2)
        act()
        after = self.state()
        self.assertEqual(self.state(2), other)
        if penalty:
            side = "white" if self.ply % 2 == 0 else "black"
            running = before[side]["clock"]["running"]
            running["penalty"] += penalty
            running["window_sum"] += penalty
            running["window_left"] -= penalty
            fine = after["ledger"].pop()
            self.assertEqual((fine["ply"], fine["by"], fine["penalty"]), (self.ply + 1, side, penalty))
        self.assertEqual(after, before)

    def fault(self, text, verdict, answer="refusal", penalty=0, to=None, **options):
        def act():
            self.say(text, **options)
            self.expect(verdict, answer, to=to)
        with self.subTest(f"{text!r}: {verdict}"):
            self.unchanged(act, penalty)

    def test_faults_in_between(self):
        self.fault("1. e5", "illegal-move", penalty=1)
        self.assertIn("e5", self.mails[0].text)
        self.fault("1. e5", "illegal-move")  # the same faulty text costs nothing more
        self.fault("How is the weather in Helsinki?", "no-move")
        self.fault("", "no-move")
        self.fault("e5", "not-your-turn", sender=BRUNO, to=BRUNO, mail=self.pairing_of(BRUNO))

        self.advance(8)  # 4... Qb6, White to move; both knights reach d2
        self.fault("Nd2", "ambiguous-move", penalty=1)
        for candidate in ("Nbd2", "Nfd2"):
            self.assertIn(candidate, self.mails[0].text)
        self.fault("5. Bd3", "repetition-missing", quote=False)
        self.fault("4... Nc6 5. Bd3", "repetition-wrong", quote=False)
        self.fault("4... Qb6 5. Zx9", "unreadable-move", quote=False)
        self.fault("5. Bd3\n5. Be2", "ambiguous-move", penalty=1)
        self.fault("3... c5 4. c3", "stale-move", quote=False)
        self.fault("3... c5 4. Nf3", "repeat", answer="receipt", quote=False)

        accepted = self.say("5. Bd3")
        self.assertEqual(accepted, "accepted")
        again = self.last_raw
        self.ply += 1
        self.mail, = club.find(self.mails, "move", BRUNO)
        self.unchanged(lambda: (self.send(again), self.expect("ignored-duplicate", None)))
        retold = again.replace(b"Message-ID: <", b"Message-ID: <again.")
        self.assertNotEqual(retold, again)
        self.unchanged(lambda: (self.send(retold), self.expect("repeat", "receipt", to=ANNA)))
        self.assertEqual(self.state()["ply"], 9)

    def test_place_of_the_own_move(self):
        """What stands there and is no move may be the reader's fault; chat is chat."""
        self.advance(8)  # 4... Qb6, White to move
        for text in ("4...Qb6 5.Zf3", "4... Qb6 5. Nf9", "4...Qb6 5.N??", "4... Qb6 5. --", "4...Qb6 5.Z0",
                     "4... Qb6 5. 5259", "4...Qb6 5259", "4... Qb6\n5.Zf3", "Hello!\n4...Qb6 5.Zf3\nRegards, Anna",
                     "Qb6 Nf9", "4... Qb6 5. pass", "4... Qb6 5. any move", "4... Qb6 5.0000"):
            self.now += timedelta(hours=3)  # answers to one address are counted
            self.fault(text, "unreadable-move", quote=False)
        for text in ("5.Zf3", "5. N??", "Thanks! 5. Nf9", "5.--"):
            self.now += timedelta(hours=3)
            self.fault(text, "unreadable-move")
        for text in ("5. Thanks", "Three things:\n4. it rains\n5. I am ill\n6. bye", "5 days to go", "Zf3 is a typo",
                     "What about 5. Nf9?", "4... Qb6 was a surprise for me", "Room B12, 5.30 pm", "5. ???"):
            self.now += timedelta(hours=3)
            self.fault(text, "no-move")

    def test_out_of_turn(self):
        """Where the game stands comes before what the message lacks."""
        self.fault("1... e5", "stale-move")
        self.fault("1... e5", "stale-move", quote=False)
        self.advance(9)
        last = self.source["san"][8]
        for text in (f"5. {last} c5 6. Nf3", "5... c5 6. Nf3", "5... c5", "6. Nf3", "Nf3", "I play Nf3", "5. a3"):
            verdict = "stale-move" if text == "5. a3" else "repeat" if last in text else "not-your-turn"
            self.fault(text, verdict, "receipt" if verdict == "repeat" else "refusal", sender=ANNA, to=ANNA,
                       quote=False)
        self.fault(last, "repeat", "receipt", sender=ANNA, to=ANNA, quote=False)
        self.fault("Nf9 or so", "no-move", sender=ANNA, to=ANNA, quote=False)

    def test_held_and_taken_back(self):
        """A move that waits while the game is suspended is none of its sender's turn after a ruling."""
        self.advance(8)
        mail = self.mail
        self.say("withdraw", sender=BRUNO, mail=self.pairing_of(BRUNO))
        self.assertEqual(self.state()["state"], "suspended")
        self.assertEqual(self.say("4... Qb6 5. Bd3", mail=mail, quote=False), "held")
        self.now += timedelta(minutes=1)
        self.place.control("rule", GAME, "rollback", "7", "--now", rfc3339(self.now))
        self.place.control("rule", GAME, "resume", "--now", rfc3339(self.now))
        self.mails = self.place.once(self.now)
        refusal, = club.find(self.mails, "refusal")
        self.assertEqual((refusal.to, refusal.verdict), (ANNA, "not-your-turn"))
        self.assertEqual((self.state()["ply"], self.state()["state"]), (7, "active"))

    def pairing_of(self, address):
        mail, = club.find(self.place.all_mails(), "pairing", address, GAME)
        return mail

    def test_who_writes(self):
        self.advance(8)
        self.fault("5. Bd3", "unknown-sender", None, sender=STRANGER, quote=False, **self.plain())
        self.fault("5. Bd3", "unknown-sender", None, sender=STRANGER, quote=False,
                   **self.plain(From=f"{ANNA}, {BRUNO}"))
        # The opponent, with the token of the player on move: it only names the game.
        self.fault("5. Bd3", "not-your-turn", sender=BRUNO, to=BRUNO)
        # The arbiter's words are no move either.
        self.fault("5. Bd3", "unknown-game", sender=BRUNO, to=BRUNO, quote=False,
                   **self.plain("Re: [KO-50.2 #2] no game of his"))

    def test_without_proof(self):
        """A registered address and nothing that proves it: held, the address is asked."""
        self.advance(8)
        for name, fields in (("no token", self.plain("[KO-50.2 #1]")),
                             ("the opponent's token", {"To": self.tokens[BRUNO],
                                                       "Delivered_To": self.tokens[BRUNO]})):
            with self.subTest(name):
                before = self.state()
                self.say("4... Qb6 5. Bd3", quote=False, **fields)
                self.assertEqual(self.verdict, "held")
                self.assertEqual([(mail.kind, mail.to) for mail in self.mails], [("confirm", ANNA)])
                after = self.state()
                for key in ("ply", "uci", "state", "to_move", "fen"):
                    self.assertEqual(after[key], before[key])
                self.assertEqual(len(after["held"]), len(before["held"]) + 1)
        # Faults of an unproven sender cost nothing.
        self.say("4... Qb6 5. Ke3", quote=False, **self.plain("[KO-50.2 #1]"))
        self.assertEqual(self.verdict, "illegal-move")
        self.assertEqual(self.state()["white"]["clock"]["running"]["penalty"], 0)

    def test_confirmed(self):
        """The person who is asked replies: the move counts from the first message's arrival."""
        self.advance(8)
        self.say("4... Qb6 5. Bd3", quote=False, **self.plain("[KO-50.2 #1]"))
        held = self.now - timedelta(minutes=1)
        confirm, = self.mails
        self.now += timedelta(days=2)
        self.say("yes", mail=confirm)
        state = self.state()
        self.assertEqual((state["ply"], state["san"][-1], state["held"]), (9, "Bd3", []))
        self.assertEqual(instant(state["ledger"][-1]["sent"]), held)

    def test_confirmed_too_late(self):
        """After 72 hours the move has lapsed and the deadline that it put off stands again."""
        self.advance(8)
        deadline = self.state()["deadline"]
        self.say("4... Qb6 5. Bd3", quote=False, **self.plain("[KO-50.2 #1]"))
        self.assertIsNone(self.state()["deadline"])
        confirm, = self.mails
        self.now += timedelta(hours=73)
        self.say("yes", mail=confirm)
        self.expect("command-error", "refusal", to=ANNA)
        self.assertIn("not confirmed in time", " ".join(self.mails[0].text.split()))
        self.assertEqual((self.state()["ply"], self.state()["deadline"]), (8, deadline))

    def test_otherwise(self):
        for otherwise, verdict, answers in (("reject", "untrusted", []),
                                            ("accept", "accepted", ["copy", "move", "receipt"])):
            with self.subTest(otherwise):
                place = self.club(otherwise, otherwise=otherwise)
                place.import_text(club.tournament_text([("anna", "bruno")]))
                now = START + timedelta(minutes=5)
                pairing, = club.find(place.once(now), "pairing", ANNA)
                now += timedelta(hours=1)
                place.drop(mailers.letter(pairing, ANNA, now, "1. e4", quote=False,
                                          **self.plain("[KO-50.2 #1]")), now)
                mails = place.once(now)
                self.assertEqual([one["verdict"] for one in place.messages()], [verdict])
                self.assertEqual(sorted(mail.kind for mail in mails), answers)

    def test_finished_game(self):
        self.advance(len(self.source["san"]))
        self.assertEqual(self.state()["termination"], "checkmate")
        before = self.state()
        result, = club.find(self.mails, "result", BRUNO)
        self.say("27... Kxc5", sender=BRUNO, mail=result)
        self.expect("game-over", "refusal", to=BRUNO)
        self.say("27. Qc5#", sender=ANNA, mail=club.find(self.place.all_mails(), "result", ANNA)[0])
        self.expect("repeat", "receipt", to=ANNA)
        self.assertEqual(self.state(), before)

    def test_automatic_mail_gets_no_answer(self):
        self.advance(2)
        for verdict, fields in (
                ("ignored-auto", {"Auto_Submitted": "auto-replied"}),
                ("ignored-auto", {"Return_Path": "<>"}),
                ("ignored-bulk", {"Precedence": "bulk", "List_Id": "<list.example>"}),
                ("ignored-loop", {"Zugpost_Kind": "move"})):
            self.fault("2. d4", verdict, None, **fields)

    def test_bounce_is_no_message_of_the_player(self):
        self.advance(3)
        lost, = club.find(self.mails, "move", BRUNO)
        self.send(mailers.bounce(lost, self.now))
        self.assertEqual(self.verdict, "bounce")
        self.assertEqual(club.find(self.mails, to=BRUNO), [])
        self.assertEqual(self.state()["ply"], 3)


if __name__ == "__main__":
    unittest.main()
