"""Mails that come back: the notice says whose time runs, as the clock does."""
import unittest
from datetime import timedelta

import club
import desk
import mailers
from club import address_of, instant
from desk import DAY, MINUTE

ANNA, BRUNO = address_of("anna"), address_of("bruno")
RULES = {"iecc": "iecc", "razsh": "razsh", "mclink": "mclink\nmoves-per-manche = 10\nstandard-hours = 480"}


class BounceTest(desk.Desk):
    def come_back(self, mail):
        """A report on MAIL; what is said to whom, in one line each."""
        self.now += MINUTE
        self.place.drop(mailers.bounce(mail, self.now), self.now)
        self.now += MINUTE
        self.mails = self.place.once(self.now)
        return {one.to: " ".join(one.text.split()) for one in self.mails if one.kind == "bounce-notice"}

    def running(self):
        return self.state()["deadline"] is not None

    def test_the_mail_that_starts_the_time(self):
        for rules, words in (("iecc", "may lose by forfeit, if you rule so (IECC 3.8)"),
                             ("razsh", "within three days (RAZSh 1.2)"), ("mclink", "")):
            with self.subTest(rules):
                self.begin(RULES[rules], rules)
                pairing, = club.find(self.mails, "pairing", ANNA)
                self.answer(pairing, "1. e4")
                self.assertTrue(self.running())
                told = self.come_back(club.find(self.mails, "move", BRUNO)[0])
                self.assertFalse(self.running())
                self.assertEqual(set(told), {ANNA, club.DIRECTOR})
                for text in told.values():
                    self.assertIn("Bruno Rossi's time does not run until the mail that starts it is delivered.", text)
                self.assertIn(words, told[club.DIRECTOR])

    def test_another_mail(self):
        """The last message once more: his time has run all the while."""
        for rules, days in (("iecc", 6), ("razsh", 15)):
            with self.subTest(rules):
                self.begin(RULES[rules], rules)
                pairing, = club.find(self.mails, "pairing", ANNA)
                self.answer(pairing, "1. e4")
                self.now += timedelta(days=days)
                self.mails = self.place.once(self.now)
                told = self.come_back(club.find(self.mails, "repeat", BRUNO)[0])
                self.assertTrue(self.running())
                self.assertIn("It is Bruno Rossi's turn, and that time runs.", told[ANNA])
                self.assertIn("that time runs: it was not this mail that starts it", told[club.DIRECTOR])

    def test_a_game_that_is_suspended(self):
        """The reminder was on its way when the deadline passed."""
        self.begin()
        pairing, = club.find(self.mails, "pairing", ANNA)
        self.answer(pairing, "1. e4")
        self.now += 6 * DAY
        repeat, = club.find(self.place.once(self.now), "repeat", BRUNO)
        self.now = instant(self.state()["deadline"])
        self.place.once(self.now)
        told = self.come_back(repeat)
        self.assertEqual(self.state()["state"], "suspended")
        for text in told.values():
            self.assertIn("The game is suspended: nobody's time runs.", text)


if __name__ == "__main__":
    unittest.main()
