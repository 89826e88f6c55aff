"""The arbiter's desk: rulings by mail, as one-word answers to reports and copies."""
import unittest
from datetime import timedelta

import club
import mailers
from club import address_of, instant, rfc3339

START = instant("2026-01-10T08:00:00Z")
GAME = "KO-50.2/1"
SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


class Desk(club.ClubTest):
    def begin(self, rules="iecc", name="club"):
        self.place = self.club(name)
        self.place.import_text(club.tournament_text([("anna", "bruno")], start=rfc3339(START)).replace(
            "rules = iecc", f"rules = {rules}"))
        self.now = START + 5 * MINUTE
        self.serial = 0
        self.mails = self.place.once(self.now)

    def state(self):
        return self.place.json("game", GAME, "--now", rfc3339(self.now))

    def answer(self, mail, text, when=None, sender=None, **fields):
        """SENDER (whom MAIL went to) answers it with TEXT; the next pass hears it."""
        when = when or self.now + MINUTE
        self.serial += 1
        self.place.drop(mailers.letter(mail, sender or mail.to, when, text, serial=self.serial,
                                       **fields), when)
        self.now = when + MINUTE
        self.mails = self.place.once(self.now)
        return self.mails

    def last(self):
        return self.place.messages()[-1]

    def overstep(self):
        """White says nothing until he has overstepped; the reports."""
        self.now = instant(self.state()["deadline"]) + MINUTE
        self.mails = self.place.once(self.now)
        report, = club.find(self.mails, "overstep", club.DIRECTOR)
        return report


class RulingTest(Desk):
    def test_uphold(self):
        self.begin()
        report = self.overstep()
        self.answer(report, "Uphold.\n\nHe had ten days.")
        state = self.state()
        self.assertEqual((state["state"], state["result"], state["termination"]),
                         ("finished", "0-1", "time"))
        self.assertEqual(self.last()["verdict"], "command")
        rulings = club.find(self.mails, "ruling")
        self.assertEqual(sorted(mail.to for mail in rulings),
                         sorted([address_of("anna"), address_of("bruno"), club.DIRECTOR]))
        for mail in rulings:
            self.assertIn("He had ten days.", mail.text)
        self.assertEqual(len(club.find(self.mails, "result", address_of("anna"))), 1)
        log = self.place.control("log", GAME)
        self.assertIn("Director, Tarmo: Uphold. (He had ten days.)", log)

    def test_resume_in_four_languages(self):
        for words in ("resume", "Peli jatkuu.", "La partita riprende", "Партия продолжается"):
            with self.subTest(words=words):
                self.begin(name=str(abs(hash(words))))
                self.answer(self.overstep(), words)
                self.assertEqual(self.state()["state"], "active")

    def test_no_proof_no_ruling(self):
        """A From line alone never proves an arbiter; his token, or his domain, does."""
        self.begin()
        report = self.overstep()
        plain = {"To": club.ADDRESS, "Delivered-To": club.ADDRESS}
        self.answer(report, "uphold", **plain)
        self.assertEqual((self.last()["verdict"], self.last()["trust"]), ("command-error", "registered"))
        refusal, = self.mails
        self.assertEqual((refusal.kind, refusal.to), ("refusal", club.DIRECTOR))
        self.assertEqual(self.state()["state"], "suspended")
        failed = "mail.club.example; dmarc=fail header.from=club.example"
        self.assertEqual(self.answer(report, "uphold", **plain, **{"Authentication-Results": failed}), [])
        self.assertEqual(self.last()["verdict"], "untrusted")
        passed = "mail.club.example; dmarc=pass header.from=club.example"
        self.answer(report, "uphold", **plain, **{"Authentication-Results": passed})
        self.assertEqual(self.state()["result"], "0-1")

    def test_whose_token(self):
        """A player with the arbiter's token, an arbiter with a player's, a stranger."""
        self.begin()
        report = self.overstep()
        theirs, = club.find(self.mails, "overstep", address_of("bruno"))
        self.answer(report, "uphold", sender=address_of("bruno"))
        self.assertEqual(self.state()["state"], "suspended")
        self.answer(theirs, "uphold", sender=club.DIRECTOR)
        self.assertEqual((self.state()["state"], self.last()["verdict"]), ("suspended", "command-error"))
        self.answer(theirs, "uphold")
        self.assertEqual(self.state()["state"], "suspended")
        for mail in (report, theirs):
            self.assertNotEqual(mail.reply_address, club.ADDRESS)
            for other in self.place.all_mails():
                if other.to != mail.to:
                    self.assertNotIn(mail.reply_address.split("@")[0], other.raw.decode())

    def test_words_that_are_no_ruling(self):
        self.begin()
        report = self.overstep()
        for text in ("Thank you, I will look at it.", "I cannot uphold this yet.",
                     "result 1-0 or 0-1?"):
            self.answer(report, text)
            self.assertEqual((self.last()["verdict"], self.state()["state"]), ("no-move", "suspended"))
            self.assertEqual([(mail.kind, mail.to) for mail in self.mails], [("refusal", club.DIRECTOR)])
        self.answer(report, "uphold\nreject")
        self.assertEqual((self.last()["verdict"], self.state()["state"]), ("command-error", "suspended"))

    def test_penalty_and_lift(self):
        """An unreadable move: the arbiter books RAZSh 4.7 with one word, and lifts it again."""
        self.begin("razsh")
        pairing, = club.find(self.mails, "pairing", address_of("anna"))
        self.answer(pairing, "1. Xy9")
        copy, = club.find(self.mails, "copy", club.DIRECTOR)
        self.answer(copy, "penalty")
        self.assertEqual(self.state()["white"]["clock"]["total"], 2)
        self.answer(copy, "penalty lift")
        self.assertEqual(self.state()["white"]["clock"]["total"], 0)
        self.answer(copy, "penalty black +3")
        self.assertEqual(self.state()["black"]["clock"]["total"], 3)
        self.answer(copy, "lift black")
        self.assertEqual(self.state()["black"]["clock"]["total"], 0)
        self.answer(copy, "lift")
        refusal, = self.mails
        self.assertEqual((refusal.kind, refusal.verdict), ("refusal", "command-error"))

    def test_what_needs_a_ply(self):
        self.begin()
        mail, = club.find(self.mails, "pairing", address_of("anna"))
        for move in ("1. e4", "1... e5", "2. Nf3"):
            mail, = club.find(self.answer(mail, move), "move")
        copy, = club.find(self.mails, "copy", club.DIRECTOR)
        self.answer(copy, "rollback 2 is what I think of")
        self.assertEqual(self.last()["verdict"], "no-move")
        self.answer(copy, "rollback 2 because of a wrong board")
        self.assertEqual(self.state()["ply"], 2)
        self.assertIn("a wrong board", self.mails[0].text)
        self.answer(copy, "result 1/2")
        self.assertEqual((self.state()["result"], self.state()["termination"]),
                         ("1/2-1/2", "adjudication"))
        self.answer(copy, "result annul")
        self.assertEqual((self.state()["result"], self.state()["termination"]), ("*", "annulled"))

    def test_rollback_after_a_penalty(self):
        """Nobody waited for the move while later ones stood; what is over later is told then."""
        self.begin("razsh")
        mail, = club.find(self.mails, "pairing", address_of("anna"))
        for move, days in (("1. e4", 0), ("1... e5", 10), ("2. Nf3", 50)):
            self.now += days * DAY
            mail, = club.find(self.answer(mail, move), "move")
        copy, = club.find(self.mails, "copy", club.DIRECTOR)
        self.now += 20 * DAY
        self.answer(copy, "penalty black +2")
        self.answer(copy, "rollback 1")
        deadline = instant(self.state()["deadline"])
        self.assertEqual(self.state()["black"]["clock"]["remaining"], 58)
        self.assertEqual(club.find(self.place.once(deadline - SECOND), "overstep"), [])
        self.assertEqual(len(club.find(self.place.once(deadline), "overstep")), 3)

    def test_an_overstep_by_penalty_alone(self):
        """RAZSh: told once, as any other; to him who thinks at once, else when it is his turn."""
        for thinks in (True, False):
            with self.subTest(thinks=thinks):
                self.begin("razsh", name=str(thinks))
                pairing, = club.find(self.mails, "pairing", address_of("anna"))
                self.now += 59 * DAY
                mail, = club.find(self.answer(pairing, "1. e4"), "move")
                if not thinks:
                    self.place.control("rule", GAME, "penalty", "white", "2", "--now", rfc3339(self.now))
                told = club.find(self.answer(mail, "1... e5"), "overstep")
                mail, = club.find(self.mails, "move")
                if thinks:
                    self.answer(mail, "1... e5 2. Kxe8")
                    self.assertEqual(self.last()["verdict"], "illegal-move")
                told += club.find(self.mails, "overstep")
                for _ in range(2):
                    self.now += DAY
                    told += club.find(self.place.once(self.now), "overstep")
                self.assertEqual(sorted({mail.to for mail in told}), sorted(
                    (address_of("anna"), address_of("bruno"), club.DIRECTOR)))
                self.assertEqual(len({mail.id for mail in told}), 3)
                answer, = club.find(self.answer(mail, "2. Nf3"), "move")
                mail, = club.find(self.answer(answer, "2. Nf3 Nc6"), "move")
                self.now += DAY
                self.assertEqual(club.find(self.place.once(self.now), "overstep"), [])

    def test_time_starts_with_the_notice(self):
        """IECC 7.9, reading 11, and RAZSh 6.3: not with the ruling, which may be long on its way."""
        def rule_and_wait(*ruling):
            self.now += 5 * MINUTE
            self.place.control("rule", GAME, *ruling, "--now", rfc3339(self.now))
            self.now += 2 * DAY
            self.mails = self.place.once(self.now)
            self.now += DAY

        for rules in ("iecc", "razsh"):
            with self.subTest(rules=rules):
                self.begin(rules, name=rules)
                mail, = club.find(self.mails, "pairing", address_of("anna"))
                theirs, = club.find(self.answer(mail, "1. e4"), "move")
                self.answer(theirs, "1... e5")
                rule_and_wait("rollback", "1")
                running = self.state()["black"]["clock"]["running"]
                self.assertEqual(running["days"] if rules == "iecc" else running, 1)
        self.now += 70 * DAY
        mail, = club.find(self.answer(theirs, "1... d5"), "move")
        self.answer(mail, "claim time")
        self.assertEqual(self.state()["state"], "suspended")
        rule_and_wait("reject")
        self.assertEqual(self.state()["white"]["clock"]["running"], 1)

    def test_orders_by_mail(self):
        self.begin()
        pairing, = club.find(self.mails, "pairing", address_of("anna"))
        self.answer(pairing, "1. e4")
        copy, = club.find(self.mails, "copy", club.DIRECTOR)
        self.answer(copy, "move e7-e5\n\nHe told me by telephone.")
        self.assertEqual(self.state()["uci"], ["e2e4", "e7e5"])
        self.answer(copy, "accept-address white anna@office.example")
        self.assertIn("anna@office.example", self.place.json("player", "anna")["email"])
        self.answer(copy, "move Nf9")
        self.assertEqual((self.mails[0].kind, self.mails[0].verdict), ("refusal", "command-error"))
        self.answer(copy, "announce\n\nThe congress begins on Monday.")
        told = club.find(self.mails, "announcement")
        self.assertEqual(sorted(mail.to for mail in told if "congress begins" in mail.text),
                         sorted(mail.to for mail in told))
        for ident in ("anna", "bruno"):
            self.assertIn(address_of(ident), [mail.to for mail in told])


class TwoWaysTest(Desk):
    """Every ruling does the same by mail and by zugpostctl."""

    def both(self, ruling, mail):
        """What the game is after RULING, by mail and by zugpostctl, and what was said to whom."""
        outcomes = []
        when = self.now + MINUTE
        for way in ("mail", "ctl"):
            place = self.place.copy_to(self.folder / f"{way}-{len(list(self.folder.iterdir()))}")
            self.serial += 1
            if way == "mail":
                place.drop(mailers.letter(mail, mail.to, when, ruling, serial=self.serial), when)
            else:
                done = place.run(club.CONTROL, "--config", place.config, "--now", rfc3339(when), "rule",
                                 GAME, *ruling.split())
                self.assertEqual(done.returncode, 0, (ruling, done.stderr))
            mails = place.once(when)
            if way == "mail":
                self.assertEqual(place.messages()[-1]["verdict"], "command", ruling)
            game = place.json("game", GAME, "--now", rfc3339(when + DAY))
            players = [place.json("player", ident)["email"] for ident in ("anna", "bruno")]
            outcomes.append((game, players, sorted((mail.kind, mail.to, mail.subject) for mail in mails)))
        self.assertEqual(outcomes[0], outcomes[1], ruling)
        return outcomes[0][0]

    def test_a_game_that_goes_on(self):
        for rules in ("iecc", "razsh"):
            self.begin(rules, rules)
            mail, = club.find(self.mails, "pairing", address_of("anna"))
            for move in ("1. e4", "1... e5", "2. Ke3", "2. Nf3"):
                self.answer(mail, move, self.now + DAY)
                mail, = club.find(self.mails, "move") or [mail]
            copy, = club.find(self.mails, "copy", club.DIRECTOR)
            sent = rfc3339(self.now - DAY - MINUTE)
            for ruling, wanted in (
                    ("penalty white +2", {"ply": 3}), ("penalty black 1", {"ply": 3}),
                    ("lift white 2", {"ply": 3}), ("rollback 1", {"ply": 1, "to_move": "black"}),
                    ("unclear 3", {"ply": 2, "to_move": "white"}), ("credit 2 1", {"ply": 3}),
                    (f"correct 3 sent {sent}", {"ply": 3}),
                    (f"correct 3 delivered {rfc3339(self.now + 30 * SECOND)}", {"ply": 3}),
                    ("result 1-0", {"state": "finished", "result": "1-0"}),
                    ("result 1/2", {"state": "finished", "result": "1/2-1/2"}),
                    ("draw", {"state": "finished", "result": "1/2-1/2"}),
                    ("annul", {"state": "finished", "result": "*", "termination": "annulled"}),
                    ("adjudicate 0-1", {"result": "0-1", "termination": "adjudication"}),
                    ("move d7-d6", {"ply": 4}), ("accept-address black bruno@elsewhere.example", {"ply": 3}),
                    ("mobile on", {"ply": 3}), ("no-access black", {"ply": 3})):
                if (rules, ruling.split()[0]) in (("razsh", "mobile"), ("iecc", "no-access")):
                    continue
                with self.subTest(rules=rules, ruling=ruling):
                    game = self.both(ruling, copy)
                    self.assertEqual({key: game[key] for key in wanted}, wanted)

    def test_an_overstep(self):
        self.begin()
        report = self.overstep()
        for ruling, state in (("uphold", "finished"), ("reject", "active"), ("resume", "active"),
                              ("resume 3", "active"), ("result 1-0", "finished"), ("annul", "finished")):
            with self.subTest(ruling=ruling):
                if ruling == "resume 3":  # zugpostctl has an option for it too
                    self.assertEqual(self.both(ruling, report)["white"]["clock"]["running"]["days"], 4)
                else:
                    self.assertEqual(self.both(ruling, report)["state"], state)

    def test_an_end_that_is_put_aside(self):
        for rules in ("iecc", "razsh", "razsh-post", "mclink\nmoves-per-manche = 10\nstandard-hours = 480"):
            self.begin(rules, rules.split("\n")[0])
            mail, = club.find(self.mails, "pairing", address_of("anna"))
            for move in ("1. e4", "1... e5"):
                self.answer(mail, move, self.now + DAY)
                mail, = club.find(self.mails, "move", (address_of("bruno"), address_of("anna"))[move[2] == "."])
            self.now += DAY
            for ending in ("result 1-0", "annul", "adjudicate 0-1"):
                self.place.control("rule", GAME, *ending.split(), "--now", rfc3339(self.now))
                self.mails = self.place.once(self.now)
                result, = club.find(self.mails, "result", club.DIRECTOR)
                for ruling, ply in (("resume", 2), ("rollback 1", 1), ("resume 2", 2)):
                    if ruling == "resume 2" and rules.startswith("mclink"):
                        continue
                    with self.subTest(rules=rules, ending=ending, ruling=ruling):
                        game = self.both(ruling, result)
                        self.assertEqual((game["state"], game["result"], game["termination"], game["ply"]),
                                         ("active", "*", None, ply))

    def test_a_claim(self):
        self.begin("razsh\ncontrol-moves = 2\ncontrol-days = 5", "claim")
        self.overstep()
        theirs, = club.find(self.mails, "overstep", address_of("bruno"))
        self.answer(theirs, "claim time")
        claim, = club.find(self.mails, "claim", club.DIRECTOR)
        for ruling, state in (("uphold", "finished"), ("reject", "active"), ("reject bar", "active")):
            with self.subTest(ruling=ruling):
                said = ruling if "bar" not in ruling else "reject bar"
                self.assertEqual(self.both(said, claim)["state"], state)


class NoticeTest(Desk):
    """What RAZSh has told to the arbiter, and nothing follows from by itself."""

    def reminders(self):
        return [" ".join(mail.text.split())
                for mail in club.find(self.mails, "reminder", club.DIRECTOR)]

    def test_slow_transmission(self):
        """RAZSh 2.5: one day is standard."""
        self.begin("razsh")
        pairing, = club.find(self.mails, "pairing", address_of("anna"))
        for days, told in ((1, 0), (2, 1)):
            text = "1. e4" if days == 1 else "1... e5"
            mail = pairing if days == 1 else club.find(self.mails, "move", address_of("bruno"))[0]
            sent = self.now + MINUTE
            self.serial += 1
            self.place.drop(mailers.letter(mail, mail.to, sent, text, serial=self.serial), sent)
            self.now = sent + days * DAY
            self.mails = self.place.once(self.now)
            self.assertEqual(len(club.find(self.mails, "move")), 1)
            self.mails += self.place.once(self.now)
            self.assertEqual(len([text for text in self.reminders() if "RAZSh 2.5" in text]), told)
            self.mails = [mail for mail in self.place.all_mails() if mail.kind == "move"]

    def test_silence_after_a_rollback(self):
        """RAZSh 5.1, 5.3: counted from the notice, which was what the player on the move got last."""
        self.begin("razsh")
        mail, = club.find(self.mails, "pairing", address_of("anna"))
        for move in ("1. e4", "1... e5", "2. Nf3"):
            self.answer(mail, move)
            mail, = club.find(self.mails, "move")
        self.now += 14 * DAY
        copy, = [one for one in self.place.all_mails() if one.kind == "copy" and one.ply == 3
                 and one.to == club.DIRECTOR]
        self.answer(copy, "rollback 1")
        notice = self.now  # 24 January
        for when, repeats, silence in ((instant("2026-02-07T21:59:59Z"), 0, 0), (instant("2026-02-07T22:00:00Z"), 1, 0),
                                       (instant("2026-03-05T21:59:59Z"), 0, 0), (instant("2026-03-05T22:00:00Z"), 0, 1)):
            self.assertLess(notice, when)
            self.mails = self.place.once(when)
            self.assertEqual(len(club.find(self.mails, "repeat", address_of("bruno"))), repeats, when)
            self.assertEqual(len([text for text in self.reminders() if "RAZSh 5.3" in text]), silence, when)

    def test_leaves_that_overlap_end_together(self):
        """RAZSh 7.3, by mail; what is given back may be taken again (7.1), what comes later stands."""
        self.begin("razsh")
        pairing, = club.find(self.mails, "pairing", address_of("anna"))
        for period in ("2026-01-12 2026-01-18", "2026-01-15 2026-01-25", "2026-08-01 2026-08-09"):
            self.answer(pairing, f"leave {period}")
            self.assertEqual(self.last()["verdict"], "command", period)
        self.assertEqual(self.state()["white"]["clock"]["leave_days"], 14 + 9)
        self.answer(pairing, "leave 2026-09-01 2026-09-08")
        self.assertEqual(self.last()["verdict"], "command-error")
        self.now = instant("2026-01-16T10:00:00Z")
        self.answer(pairing, "end leave")
        self.assertEqual(self.last()["verdict"], "command")
        self.assertEqual(self.state()["white"]["clock"]["leave_days"], 5 + 9)
        self.now += 3 * DAY
        self.assertEqual(self.state()["white"]["clock"]["running"], 1 + 3)
        for period, verdict in (("2026-09-01 2026-09-17", "command-error"), ("2026-09-01 2026-09-16", "command")):
            self.answer(pairing, f"leave {period}")
            self.assertEqual(self.last()["verdict"], verdict, period)
        # None has begun: the next one goes, and no other.
        self.answer(pairing, "end leave")
        self.assertEqual(self.state()["white"]["clock"]["leave_days"], 5 + 16)

    def test_stamps_in_their_order(self):
        """A move is delivered after it was sent; to correct both, the later stamp comes first."""
        for rules in ("iecc", "razsh"):
            self.begin(rules, rules)
            pairing, = club.find(self.mails, "pairing", address_of("anna"))
            self.answer(pairing, "1. e4")
            copy, = club.find(self.mails, "copy", club.DIRECTOR)
            self.now += 5 * DAY
            sent, delivered = rfc3339(self.now - 3 * DAY), rfc3339(self.now - 2 * DAY)
            done = self.place.run(club.CONTROL, "--config", self.place.config, "rule", GAME, "correct", "1",
                                  "sent", sent, "--now", rfc3339(self.now))
            self.assertEqual((done.returncode, done.stderr.strip()), (
                1, "it would be delivered before it was sent: correct its other stamp first"))
            self.answer(copy, f"correct 1 sent {sent}")
            self.assertEqual((self.mails[0].kind, self.last()["verdict"]), ("refusal", "command-error"))
            self.assertIn("delivered before it was sent, which cannot be", " ".join(self.mails[0].text.split()))
            for ruling in (f"correct 1 delivered {delivered}", f"correct 1 sent {sent}"):
                self.answer(copy, ruling)
                self.assertEqual(self.last()["verdict"], "command", ruling)
            self.assertEqual(self.state()["ledger"][0]["days"], 2)

    def test_lost_access(self):
        """RAZSh 1.6: thirty days after the notice."""
        self.begin("razsh")
        self.place.control("rule", GAME, "no-access", "black", "--now", rfc3339(self.now))
        due = instant("2026-02-09T23:00:00Z")  # 10 February begins in Rome
        for when, told in ((due - SECOND, 0), (due, 1), (due + DAY, 0)):
            self.mails = self.place.once(when)
            texts = [text for text in self.reminders() if "RAZSh 1.6" in text]
            self.assertEqual(len(texts), told)
            self.assertTrue(all("Rossi" in text for text in texts))


if __name__ == "__main__":
    unittest.main()
