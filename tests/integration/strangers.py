"""Addresses that nobody has registered (product, section 2), and mails that did not arrive."""
import unittest
from datetime import timedelta

import club
import mailers
from club import address_of, rfc3339
from services import MINUTE, START, ServiceTest

DAY = timedelta(days=1)
ELSEWHERE = "anna@holiday.example"
NO_TOKEN = {"To": club.ADDRESS, "Delivered-To": club.ADDRESS}


class StrangerTest(ServiceTest):
    def last(self):
        return self.place.messages()[-1]

    def test_a_move_that_fits_is_asked_about(self):
        """No token, another address, but an answer to our mail: the registered address decides."""
        self.begin()
        confirm, = self.say("1. e4", sender=ELSEWHERE, **NO_TOKEN)
        self.assertEqual((confirm.kind, confirm.to, self.last()["verdict"], self.last()["trust"]),
                         ("confirm", address_of("anna"), "held", "unknown"))
        self.assertEqual(self.place.game(1)["ply"], 0)
        # At most once a day and game; nobody else learns anything.
        self.assertEqual(self.say("1. d4", sender="mallory@evil.example", **NO_TOKEN), [])
        self.assertEqual(self.last()["verdict"], "unknown-sender")
        self.say("yes", mail=confirm)
        self.assertEqual(self.place.game(1)["uci"], ["e2e4"])
        move, = club.find(self.mails, "move", address_of("bruno"))
        copy, = club.find(self.mails, "copy", club.DIRECTOR)
        self.assertIn("not registered", " ".join(move.text.split()))
        self.assertIn(ELSEWHERE, copy.text)
        self.assertTrue(all(mail.to != ELSEWHERE for mail in self.place.all_mails()))

    def test_what_does_not_fit_is_only_kept(self):
        self.begin()
        disowned = {**NO_TOKEN, "Authentication-Results":
                    "mail.club.example; dmarc=fail header.from=holiday.example"}
        for text, fields in (("1. e5", NO_TOKEN), ("Hello", NO_TOKEN), ("I resign", NO_TOKEN),
                             ("status", NO_TOKEN), ("1. e4", disowned),
                             ("1. e4", {**NO_TOKEN, "Auto-Submitted": "auto-replied"}),
                             ("1. e4", {**NO_TOKEN, "Subject": "hello", "In-Reply-To": None,
                                        "References": None})):
            with self.subTest(text=text, fields=fields):
                self.assertEqual(self.say(text, sender=ELSEWHERE, **fields), [])
                self.assertIn(self.last()["verdict"], ("unknown-sender", "ignored-auto"))
        self.assertEqual(self.place.game(1)["ply"], 0)
        self.assertEqual(len(self.say("1. e4", sender=ELSEWHERE, **NO_TOKEN)), 1)

    def test_a_repeat_of_a_move_that_came_back(self):
        """RAZSh 4.9, 5.1: the move could not be delivered; its author sends it once more."""
        self.begin(rules="razsh")
        move, = club.find(self.say("1. e4"), "move", address_of("bruno"))
        bounced = self.now + 2 * DAY
        self.place.drop(mailers.bounce(move, bounced), bounced)
        self.now = bounced + MINUTE
        self.mails = self.place.once(self.now)
        notices = club.find(self.mails, "bounce-notice")
        self.assertIn(address_of("anna"), [mail.to for mail in notices])
        self.now = START + 20 * DAY
        self.place.once(self.now)
        again = club.find(self.say("1. e4"), "move", address_of("bruno"))
        self.assertEqual((self.last()["verdict"], len(again)), ("repeat", 1))
        ledger = [(entry["article"], entry["penalty"]) for entry in self.place.game(1)["ledger"]]
        self.assertEqual(len([1 for article, _ in ledger if article == "RAZSh 4.9"]), 1, ledger)
        black = self.place.json("game", "KO-50.2/1", "--now", rfc3339(self.now + 3 * DAY))["black"]["clock"]
        self.assertEqual(black["running"], 3)


if __name__ == "__main__":
    unittest.main()
