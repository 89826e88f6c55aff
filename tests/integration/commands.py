"""Every command of players by mail, through the real programs: what the game is after it, and
who is told. (Services and leave that must be allowed: services.py; claims of time: desk.py.)"""
import unittest
from datetime import timedelta

import club
import mailers
from club import address_of, instant, rfc3339

START = instant("2026-06-10T08:00:00Z")
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
GAME = "KO-50.2/1"
RULES = {"iecc": "rules = iecc", "razsh": "rules = razsh",
         "mclink": "rules = mclink\nmoves-per-manche = 10\nstandard-hours = 480"}
SHUFFLE = ["g1-f3", "g8-f6", "f3-g1", "f6-g8"]


class CommandsTest(club.ClubTest):
    def begin(self, rules="iecc", fen=None):
        self.place = self.club(f"{rules}-{len(list(self.folder.iterdir()))}")
        text = club.tournament_text([("anna", "bruno")], start=rfc3339(START)).replace(
            "rules = iecc", RULES[rules])
        self.place.import_text(text + (f"fen = {fen}\n" if fen else ""))
        self.now = START + 5 * MINUTE
        self.serial = 0
        self.mails = self.place.once(self.now)
        self.last = {mail.to: mail for mail in self.mails}
        self.ply = 0

    def say(self, who, text):
        """WHO answers the last mail of the game that came to him."""
        when = self.now + MINUTE
        self.serial += 1
        address = address_of(who)
        self.place.drop(mailers.letter(self.last[address], address, when, text, serial=self.serial), when)
        self.now = when + MINUTE
        self.mails = self.place.once(self.now)
        for mail in self.mails:
            if mail.kind in ("move", "pairing", "leave", "announcement"):
                self.last[mail.to] = mail
        return self.place.messages()[-1]["verdict"]

    def play(self, *moves):
        for move in moves:
            side = "anna" if self.state()["to_move"] == "white" else "bruno"
            self.assertIn(self.say(side, move), ("accepted", "accepted-with-warning"), move)

    def state(self):
        return self.place.json("game", GAME, "--now", rfc3339(self.now))

    def told(self, kind):
        return sorted(mail.to for mail in self.mails if mail.kind == kind)

    def assert_over(self, result, termination):
        state = self.state()
        self.assertEqual((state["state"], state["result"], state["termination"]),
                         ("finished", result, termination))
        self.assertEqual(self.told("result"),
                         sorted([address_of("anna"), address_of("bruno"), club.DIRECTOR]))

    def test_resign(self):
        for rules in RULES:
            self.begin(rules)
            self.play("e2-e4")
            self.assertEqual(self.say("anna", "I resign"), "command")  # out of turn, too
            self.assert_over("0-1", "resignation")

    def test_draw_offers(self):
        self.begin()
        # Both must have made a move (FIDE 9.1); before that it is a warning.
        self.assertEqual(self.say("anna", "e2-e4\ndraw"), "accepted-with-warning")
        self.assertEqual(self.say("bruno", "accept"), "command-error")
        self.begin()
        self.play("e2-e4", "e7-e5")
        self.play("g1-f3 (=)")
        self.assertEqual(self.state()["draw_offer"], "white")
        self.assertEqual(self.say("bruno", "decline"), "command")
        self.assertIsNone(self.state()["draw_offer"])
        self.assertEqual(self.say("bruno", "accept"), "command-error")
        self.play("b8-c6\ndraw")
        self.assertEqual(self.state()["draw_offer"], "black")
        self.play("f1-b5")  # a move without an answer declines
        self.assertIsNone(self.state()["draw_offer"])
        self.play("a7-a6\nI offer a draw")
        self.assertEqual(self.say("anna", "I accept your draw offer"), "command")
        self.assert_over("1/2-1/2", "agreement")

    def test_agreement_of_mclink(self):
        """The Coordinator confirms what both have written (9), in whatever words he rules."""
        for by_mail in (False, True):
            for ruling in ("draw", "uphold", "result 1/2-1/2"):
                with self.subTest(ruling, by_mail=by_mail):
                    self.begin("mclink")
                    self.play("e2-e4", "e7-e5\ndraw")
                    self.assertEqual(self.say("anna", "accept"), "command")
                    state = self.state()
                    self.assertEqual((state["state"], state["awaiting"]), ("suspended", "agreement"))
                    self.now += MINUTE
                    if by_mail:
                        report, = [mail for mail in self.mails if mail.to == club.DIRECTOR]
                        self.place.drop(mailers.letter(report, club.DIRECTOR, self.now, ruling), self.now)
                    else:
                        self.place.control("rule", GAME, *ruling.split(), "--now", rfc3339(self.now))
                    self.mails = self.place.once(self.now)
                    self.assert_over("1/2-1/2", "agreement")

    def test_claims(self):
        self.begin()
        self.play(*SHUFFLE, *SHUFFLE[:3])
        self.assertEqual(self.say("bruno", "claim 50"), "command")  # it does not hold: an offer
        self.assertEqual(self.state()["state"], "active")
        self.assertEqual(self.say("bruno", "f6-g8\nclaim threefold"), "accepted")
        self.assert_over("1/2-1/2", "threefold")
        self.begin(fen="r3k3/8/8/8/8/8/8/4K2R w - - 98 80")
        self.play("h1-g1")
        self.assertEqual(self.say("bruno", "claim 50 a8-b8"), "accepted")
        self.assert_over("1/2-1/2", "fifty-moves")
        self.begin(fen="r3k3/8/8/8/8/8/8/4K2R w - - 99 80")
        self.play("h1-g1")
        self.assertEqual(self.say("bruno", "claim 50"), "command")
        self.assert_over("1/2-1/2", "fifty-moves")

    def test_demand(self):
        self.begin("mclink")
        self.assertEqual(self.say("anna", "demand 50"), "command")
        self.assertIn(address_of("bruno"), [mail.to for mail in self.mails])
        self.begin("iecc")
        self.assertEqual(self.say("anna", "demand 50"), "command-error")

    def test_leave_and_its_end(self):
        self.begin("razsh")
        self.assertEqual(self.say("anna", "leave 2026-06-12 2026-06-20"), "command")
        self.assertEqual(self.told("leave"), sorted([address_of("bruno"), club.DIRECTOR]))
        self.now = instant("2026-06-14T08:00:00Z")
        self.assertEqual(self.say("anna", "end leave"), "command")
        leave, = self.place.json("player", "anna")["leaves"]
        self.assertEqual((leave["from"], leave["to"]), ("2026-06-12", "2026-06-14"))
        self.begin("mclink")
        self.assertEqual(self.say("anna", "leave 2026-06-12 2026-06-20"), "command-error")

    def test_stops(self):
        self.begin("mclink")
        self.assertEqual(self.say("anna", "stop 2026-06-12 2026-06-14"), "command")
        self.assertEqual(self.say("bruno", "vacation 1/7/2026 20/7/2026"), "command")
        self.assertEqual([(stop["by"], stop["kind"]) for stop in self.state()["stops"]],
                         [("white", "normal"), ("black", "vacation")])
        self.assertEqual(self.say("bruno", "vacation 1/8/2026 5/8/2026"), "command-error")
        self.begin("iecc")
        self.assertEqual(self.say("anna", "stop 2026-06-12 2026-06-14"), "command-error")

    def test_withdraw(self):
        for rules, state in (("iecc", "suspended"), ("razsh", "suspended"), ("mclink", "finished")):
            self.begin(rules)
            self.assertEqual(self.say("anna", "withdraw"), "command")
            self.assertEqual(self.state()["state"], state)

    def test_an_offer_that_a_stored_reply_passes_over(self):
        """FIDE 9.1: nobody has answered it, so it stands, until the one who gets it accepts or moves."""
        for answer in ("accept", "decline", "d2-d4"):
            self.begin()
            self.play("e2-e4\nif 1... e5 then 2. Nf3")
            self.assertEqual(self.say("bruno", "e7-e5\ndraw\n\nA good day to you."), "accepted")
            self.assertEqual((self.state()["ply"], self.state()["draw_offer"]), (3, "black"))
            told = {mail.to: " ".join(mail.text.split()) for mail in self.mails if mail.kind == "move"}
            self.assertIn('so the offer stands. To accept it, write "accept"', told[address_of("anna")])
            # The reply brings him neither his own words nor his own message as hers.
            self.assertNotIn("A good day", told[address_of("bruno")])
            self.assertNotIn("reached the club", told[address_of("bruno")])
            self.assertIn("A good day", told[address_of("anna")])
            if answer != "accept":
                self.play("b8-c6")
                self.assertEqual(self.state()["draw_offer"], "black")  # it cannot be taken back
            self.assertIn(self.say("anna", answer), ("accepted", "command"))
            self.assertIsNone(self.state()["draw_offer"])
            self.assertEqual(self.state()["termination"], "agreement" if answer == "accept" else None)

    def test_what_is_no_command(self):
        self.begin()
        self.play("e2-e4")
        for text in ("I will not resign", "Should I accept?", "He said: I resign, and laughed.",
                     "no draw for me today, thank you", "leave me alone", "status quo"):
            self.say("bruno", text)
            self.assertEqual((self.place.messages()[-1]["verdict"], self.state()["state"]),
                             ("no-move", "active"), text)
        self.assertEqual(self.say("bruno", "e7-e5\nresign"), "command-error")
        self.assertEqual(self.state()["ply"], 1)


if __name__ == "__main__":
    unittest.main()
