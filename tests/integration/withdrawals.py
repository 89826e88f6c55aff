"""Withdrawals: each waits for its ruling, whatever else the game waits for (IECC 3.1, RAZSh 8)."""
import unittest

import club
import desk
from club import address_of, instant, rfc3339
from desk import DAY, GAME, MINUTE, START

ANNA, BRUNO = address_of("anna"), address_of("bruno")
RESTS_LATER = "If it goes on after that, it rests again"


class WithdrawalTest(desk.Desk):
    def withdraw(self, who, by_mail=True):
        if by_mail:
            self.answer(self.latest(address_of(who)), "withdraw")
            self.assertEqual(self.last()["verdict"], "command")
        else:
            self.now += MINUTE
            self.place.control("withdraw", who, "--now", rfc3339(self.now))
            self.mails = self.place.once(self.now)

    def latest(self, to):
        """The last mail of the game that went to an address, and can be answered."""
        return [mail for mail in self.place.all_mails()
                if mail.to == to and mail.game == GAME and "+" in (mail.reply_to or "")][-1]

    def rule(self, ruling, by_mail=True):
        if by_mail:
            self.answer(self.latest(club.DIRECTOR), ruling)
            self.assertEqual(self.last()["verdict"], "command", ruling)
        else:
            self.now += MINUTE
            self.place.control("rule", GAME, *ruling.split(), "--now", rfc3339(self.now))
            self.mails = self.place.once(self.now)

    def told(self, kind, to):
        mail, = club.find(self.mails, kind, to)
        return " ".join(mail.text.split())

    def expect_rest(self, name):
        """The game waits for the ruling on this withdrawal, and everybody knows."""
        state = self.state()
        self.assertEqual((state["state"], state["awaiting"], state["deadline"]),
                         ("suspended", "withdrawal", None))
        self.assertIn("white" if name.startswith("Anna") else "black", state["withdrawn"])
        self.assertIn(f"(lost for {name})", self.told("claim", club.DIRECTOR))
        self.assertNotIn(RESTS_LATER, self.told("claim", club.DIRECTOR))
        other = BRUNO if name.startswith("Anna") else ANNA
        self.assertIn(f"{name} has withdrawn", self.told("announcement", other))


class OverstepTest(WithdrawalTest):
    def test_the_late_player_withdraws(self):
        """Behind an overstep (IECC 7.10) nothing was lost, by mail or by zugpostctl."""
        for by_mail in (True, False):
            with self.subTest(by_mail=by_mail):
                self.begin(name=f"late-{by_mail}")
                self.overstep()
                self.withdraw("anna", by_mail)
                self.assertIn(RESTS_LATER, self.told("claim", club.DIRECTOR))
                self.assertIn("Anna Virtanen has withdrawn", self.told("claim", club.DIRECTOR))
                self.assertIn("Anna Virtanen has withdrawn", self.told("announcement", BRUNO))
                self.rule("resume 2" if by_mail else "resume --days 2", by_mail)
                self.expect_rest("Anna Virtanen")
                for to in (ANNA, BRUNO, club.DIRECTOR):
                    self.assertIn("The game is suspended.", self.told("ruling", to))
                # Nothing fires while it rests; the days that are charged stay.
                self.now += 30 * DAY
                self.mails = self.place.once(self.now)
                self.assertEqual([mail.kind for mail in self.mails], [])
                self.rule("reject", by_mail)
                self.assertEqual(self.state()["state"], "active")
                self.assertEqual(self.state()["white"]["clock"]["running"]["days"], 2)
                self.answer(self.latest(ANNA), "1. e4")
                self.assertEqual(self.last()["verdict"], "accepted")

    def test_a_ruling_that_ends_the_game(self):
        for ruling, result in (("uphold", "0-1"), ("result 1/2", "1/2-1/2"), ("annul", "*")):
            with self.subTest(ruling):
                self.begin(name=ruling.split()[0])
                self.overstep()
                self.withdraw("bruno")
                self.rule(ruling)
                self.assertEqual((self.state()["state"], self.state()["result"]), ("finished", result))
                self.assertEqual(club.find(self.mails, "claim"), [])

    def test_both_withdraw(self):
        for ruling, termination, result in (("uphold", "forfeit", "1-0"), ("reject", None, "*")):
            with self.subTest(ruling):
                self.begin(name=f"both-{ruling}")
                self.overstep()
                self.withdraw("anna")
                self.withdraw("bruno", by_mail=False)
                self.assertIn("Bruno Rossi has withdrawn", self.told("claim", club.DIRECTOR))
                self.rule("reject")
                self.expect_rest("Anna Virtanen")
                self.rule("reject")
                self.expect_rest("Bruno Rossi")
                self.rule(ruling)
                state = self.state()
                self.assertEqual((state["termination"], state["result"]), (termination, result))
                self.assertEqual(state["state"], "finished" if termination else "active")

    def test_both_withdraw_from_a_running_game(self):
        for ruling in ("uphold", "reject"):
            with self.subTest(ruling):
                self.begin(name=ruling)
                self.withdraw("bruno")
                self.expect_rest("Bruno Rossi")
                self.withdraw("anna")
                self.assertIn(RESTS_LATER, self.told("claim", club.DIRECTOR))
                self.rule(ruling)
                if ruling == "uphold":
                    self.assertEqual(self.state()["result"], "1-0")
                else:
                    self.expect_rest("Anna Virtanen")
                    self.rule("reject")
                    self.assertEqual(self.state()["state"], "active")

    def test_a_ruling_on_the_past_lets_it_go_on(self):
        self.begin()
        self.overstep()
        self.withdraw("anna")
        self.rule("credit 1 3")
        self.expect_rest("Anna Virtanen")

    def test_said_twice(self):
        self.begin()
        self.overstep()
        self.withdraw("anna")
        self.withdraw("anna")
        self.rule("resume")
        self.expect_rest("Anna Virtanen")
        self.rule("reject")
        self.assertEqual(self.state()["state"], "active")

    def test_a_held_move_is_heard_at_the_end(self):
        self.begin()
        self.overstep()
        self.answer(self.latest(ANNA), "1. e4")
        self.assertEqual(self.last()["verdict"], "held")
        self.withdraw("bruno")
        self.rule("resume")
        self.expect_rest("Bruno Rossi")
        self.assertEqual(self.state()["ply"], 0)
        self.assertEqual(club.find(self.mails, "receipt", ANNA), [])
        self.rule("reject")
        self.assertEqual(self.state()["ply"], 1)

    def test_a_move_that_is_confirmed(self):
        """It puts a deadline off; who withdraws meanwhile is not forgotten."""
        self.begin()
        deadline = instant(self.state()["deadline"])
        self.now = deadline - 10 * MINUTE
        plain = {"To": club.ADDRESS, "Delivered-To": club.ADDRESS, "In-Reply-To": None, "References": None}
        self.answer(self.latest(ANNA), "1. e4", **plain)
        self.assertEqual(self.last()["verdict"], "held")
        confirm, = club.find(self.mails, "confirm")
        self.now = deadline + DAY
        self.mails = self.place.once(self.now)
        self.withdraw("bruno")
        self.assertEqual(self.state()["state"], "active")
        self.answer(confirm, "yes")
        self.assertEqual(self.state()["ply"], 1)
        self.expect_rest("Bruno Rossi")
        self.rule("reject")
        self.assertEqual(self.state()["state"], "active")
        self.assertEqual(self.state()["black"]["clock"]["running"]["days"], 0)


class ClaimTest(WithdrawalTest):
    def claim(self, rules, name):
        self.begin(f"{rules}\ncontrol-moves = 2\ncontrol-days = 5", name)
        self.now = instant(self.state()["deadline"]) + MINUTE
        self.mails = self.place.once(self.now)
        theirs, = club.find(self.mails, "overstep", BRUNO)
        self.answer(theirs, "claim time")
        return self.last()["verdict"]

    def test_behind_a_claim(self):
        for by_mail in (True, False):
            with self.subTest(by_mail=by_mail):
                self.assertEqual(self.claim("razsh", f"claim-{by_mail}"), "command")
                spent = self.state()["white"]["clock"]["running"]
                self.withdraw("bruno", by_mail)
                self.assertIn(RESTS_LATER, self.told("claim", club.DIRECTOR))
                self.rule("reject", by_mail)
                self.expect_rest("Bruno Rossi")
                self.now += 9 * DAY
                self.rule("reject", by_mail)
                self.assertEqual(self.state()["state"], "active")
                self.assertEqual(self.state()["white"]["clock"]["running"], spent)

    def test_the_claim_is_upheld(self):
        self.claim("razsh", "upheld")
        self.withdraw("bruno")
        self.rule("uphold")
        self.assertEqual((self.state()["result"], self.state()["termination"]), ("0-1", "time"))

    def test_a_claim_that_does_not_interrupt(self):
        """Section II 6.4: the game went on under it, rests now, and the claim is ruled on first."""
        for ruling in ("uphold", "reject"):
            with self.subTest(ruling):
                self.assertEqual(self.claim("razsh-post", ruling), "command")
                self.assertEqual(self.state()["state"], "active")
                self.withdraw("anna")
                self.assertEqual(self.state()["state"], "suspended")
                self.assertIn(RESTS_LATER, self.told("claim", club.DIRECTOR))
                self.rule(ruling)
                self.expect_rest("Anna Virtanen")
                self.rule("reject")
                self.assertEqual(self.state()["state"], "active")
                self.assertIsNotNone(self.state()["white"]["clock"]["running"])


class StartTest(WithdrawalTest):
    def test_before_the_start(self):
        """The game begins, with its mails and tokens, and rests at once."""
        self.place = self.club()
        self.place.import_text(club.tournament_text([("anna", "bruno")], start=rfc3339(START)))
        self.now = START - DAY
        self.serial = 0
        self.place.once(self.now)
        self.withdraw("bruno", by_mail=False)
        self.assertIn("The game has not begun. When it does, it rests", self.told("claim", club.DIRECTOR))
        self.now = START + MINUTE
        self.mails = self.place.once(self.now)
        self.expect_rest("Bruno Rossi")
        self.assertEqual(len(club.find(self.mails, "pairing")), 2)
        self.answer(self.latest(ANNA), "1. e4")
        self.assertEqual(self.last()["verdict"], "held")
        self.now += 20 * DAY
        self.rule("reject")
        self.assertEqual((self.state()["state"], self.state()["ply"]), ("active", 1))
        self.assertEqual(self.state()["ledger"][0]["days"], 0)


if __name__ == "__main__":
    unittest.main()
