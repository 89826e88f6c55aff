"""What players ask for beside their moves: their games, the last mail again, help, another
language, notation or address, leave that an opponent or the arbiter must allow."""
import unittest
from datetime import timedelta

import club
import mailers
from club import address_of, instant, rfc3339

START = instant("2026-01-10T08:00:00Z")
MINUTE = timedelta(minutes=1)
GAME = "KO-50.2/1"
PASSED = {"Authentication-Results": "mail.club.example; dmarc=pass header.from=players.example",
          "To": club.ADDRESS, "Delivered-To": club.ADDRESS, "In-Reply-To": None, "References": None,
          "Subject": "a question"}


class ServiceTest(club.ClubTest):
    def begin(self, pairs=(("anna", "bruno"),), rules="iecc", extra=""):
        self.place = self.club()
        self.place.import_text(club.tournament_text(list(pairs), start=rfc3339(START), extra=extra).replace(
            "rules = iecc", f"rules = {rules}"))
        self.now = START + 5 * MINUTE
        self.serial = 0
        self.mails = self.place.once(self.now)
        self.pairing = club.find(self.mails, "pairing", address_of("anna"))[0]

    def say(self, text, mail=None, sender=None, **fields):
        """An answer to MAIL (Anna's pairing) that says TEXT; the next pass hears it."""
        mail = mail or self.pairing
        when = self.now + MINUTE
        self.serial += 1
        self.place.drop(mailers.letter(mail, sender or mail.to, when, text, serial=self.serial, **fields),
                        when)
        self.now = when + MINUTE
        self.mails = self.place.once(self.now)
        return self.mails

    def verdict(self):
        return self.place.messages()[-1]["verdict"]

    def player(self, ident="anna"):
        return self.place.json("player", ident)


class WordsTest(ServiceTest):
    def test_status_and_help(self):
        self.begin(pairs=[("anna", "bruno"), ("anna", "carla")])
        for text in ("status", "Hello,\n\nstatus\n\nThank you\nAnna"):
            mail, = self.say(text)
            self.assertEqual((mail.kind, mail.to, self.verdict()), ("status", address_of("anna"), "command"))
            for words in ("KO-50.2/1", "KO-50.2/2", "Rossi", "Souza"):
                self.assertIn(words, mail.text)
        mail, = self.say("help")
        self.assertEqual((mail.kind, self.verdict()), ("help", "command"))
        # No game is named, and she has two: these need none.
        mail, = self.say("status", quote=False, **PASSED)
        self.assertEqual((mail.kind, self.verdict()), ("status", "command"))
        # Nothing proves the sender, and nothing is changed by it.
        unproven = {**PASSED, "Authentication-Results": None}
        mail, = self.say("help", quote=False, **unproven)
        self.assertEqual((mail.kind, self.place.messages()[-1]["trust"]), ("help", "registered"))
        mail, = self.say("language fi", quote=False, **unproven)
        self.assertEqual((mail.kind, self.verdict()), ("refusal", "command-error"))
        # With a move it is no mere command: which game?
        mail, = self.say("status\n1. e4", quote=False, **PASSED)
        self.assertEqual((mail.kind, self.verdict()), ("refusal", "ambiguous-game"))

    def test_resend(self):
        self.begin()
        move, = club.find(self.say("1. e4"), "move")
        again, = self.say("resend", mail=move)
        self.assertEqual((again.kind, again.to, again.ply), ("move", address_of("bruno"), 1))
        self.assertNotEqual(again.identity, move.identity)
        # The answer to the one sent again is a move like any other; time runs from the first.
        self.assertEqual(len(club.find(self.say("1... e5", mail=again), "move")), 1)
        receipt, = self.say("resend", mail=again)
        self.assertEqual(receipt.kind, "receipt")
        self.assertEqual(self.place.game(1)["ply"], 2)

    def test_language_and_notation(self):
        self.begin()
        receipt, = self.say("language suomi")
        self.assertEqual((receipt.kind, self.player()["language"]), ("receipt", "fi"))
        receipt, = self.say("notation iccf")
        self.assertEqual((receipt.kind, self.player()["notation"]), ("receipt", "iccf"))
        for text in ("language klingon", "notation smoke"):
            refusal, = self.say(text)
            self.assertEqual((refusal.kind, self.verdict()), ("refusal", "command-error"))
        self.assertEqual((self.player()["language"], self.player()["notation"]), ("fi", "iccf"))


class AddressTest(ServiceTest):
    NEW = "anna@new.example"

    def ask(self):
        self.begin()
        mails = self.say(f"address {self.NEW}")
        self.assertEqual(self.verdict(), "command")
        confirms = {mail.to: mail for mail in club.find(mails, "confirm")}
        self.assertEqual(sorted(confirms), sorted([address_of("anna"), self.NEW]))
        self.assertEqual(len(club.find(mails, "receipt", address_of("anna"))), 1)
        self.assertEqual(self.player()["email"][0], address_of("anna"))
        return confirms

    def test_both_confirm(self):
        confirms = self.ask()
        self.say("yes", mail=confirms[self.NEW])
        self.assertEqual((self.verdict(), self.player()["email"]), ("command", [address_of("anna")]))
        self.say("yes", mail=confirms[address_of("anna")])
        self.assertEqual(self.player()["email"], [self.NEW])
        # The opponent and the arbiter are told; the old tokens prove nothing any more.
        told = sorted(mail.to for mail in club.find(self.mails, "announcement"))
        self.assertIn(address_of("bruno"), told)
        self.assertIn(club.DIRECTOR, told)
        self.assertFalse(any(self.NEW in mail.text for mail in self.mails if mail.to == address_of("bruno")))
        self.say("1. e4")
        self.assertEqual(self.place.game(1)["ply"], 0)

    def test_single_use_and_expiry(self):
        confirms = self.ask()
        self.say("yes", mail=confirms[self.NEW])
        self.say("yes", mail=confirms[self.NEW])
        self.assertNotEqual(self.verdict(), "command")
        self.now += timedelta(hours=73)
        self.say("yes", mail=confirms[address_of("anna")])
        self.assertEqual((self.verdict(), self.player()["email"]), ("command-error", [address_of("anna")]))

    def test_somebody_elses(self):
        self.begin()
        for address in (address_of("bruno"), club.ADDRESS, "nobody@"):
            mails = self.say(f"address {address}")
            self.assertEqual([(mail.kind, mail.to) for mail in mails], [("refusal", address_of("anna"))])

    def test_a_stranger_with_a_token_of_nobody(self):
        confirms = self.ask()
        self.say("yes", mail=confirms[address_of("anna")], sender=address_of("bruno"))
        self.assertNotEqual(self.verdict(), "command")


class LeaveTest(ServiceTest):
    def leave(self, sender, consent):
        """What the mails about a leave say to each."""
        return {mail.to: mail for mail in club.find(self.mails, "leave")}

    def test_the_opponent_agrees(self):
        """IECC 8.2: in an event of two players, by agreement only."""
        self.begin(extra="event = two_player")
        self.say("leave 2026-01-15 2026-01-25")
        asked, = club.find(self.mails, "leave", address_of("bruno"))
        self.assertIn("agree", asked.text)
        self.say("refuse", mail=asked)
        self.assertEqual(self.verdict(), "command")
        self.assertEqual(len(club.find(self.mails, "leave", address_of("anna"))), 1)
        self.assertEqual(self.player()["leaves"], [])
        self.say("agree", mail=asked)
        self.assertEqual(self.verdict(), "command-error")
        self.say("leave 2026-01-16 2026-01-25")
        asked, = club.find(self.mails, "leave", address_of("bruno"))
        self.say("I agree", mail=asked)
        self.assertEqual([(leave["from"], leave["to"]) for leave in self.player()["leaves"]],
                         [("2026-01-16", "2026-01-25")])
        self.assertEqual(len(club.find(self.mails, "leave", address_of("anna"))), 1)

    def test_the_arbiter_approves(self):
        """RAZSh 7.7: late or beyond the quota."""
        self.begin(rules="razsh")
        self.say("leave 2026-01-11 2026-02-28")
        asked, = club.find(self.mails, "leave", club.DIRECTOR)
        self.say("leave refuse", mail=asked)
        self.assertEqual((self.verdict(), self.player()["leaves"]), ("command", []))
        self.say("leave approve", mail=asked)
        self.assertEqual(self.verdict(), "command-error")
        self.say("leave 2026-01-12 2026-02-28")
        asked, = club.find(self.mails, "leave", club.DIRECTOR)
        self.say("leave approve", mail=asked)
        self.assertEqual([(leave["from"], leave["to"]) for leave in self.player()["leaves"]],
                         [("2026-01-12", "2026-02-28")])
        self.assertEqual(len(club.find(self.mails, "leave", address_of("anna"))), 1)


if __name__ == "__main__":
    unittest.main()
