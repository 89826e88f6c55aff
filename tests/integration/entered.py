"""What an arbiter or the administrator enters for a player is told to him too, in his language:
he has not written it himself, and somebody else may have."""
import unittest
from datetime import timedelta

import club
from club import address_of, find, instant, rfc3339

START = instant("2026-01-10T08:00:00Z")
HOUR = timedelta(hours=1)
ANNA = address_of("anna")
NEW = "anna@elsewhere.example"
MCLINK = "rules = mclink\nmoves-per-manche = 10\nstandard-hours = 480"


class EnteredTest(club.ClubTest):
    def begin(self, rules="rules = iecc", pairs=(("anna", "bruno"), ("carla", "anna"))):
        self.place = self.club()
        text = club.tournament_text(list(pairs), start=rfc3339(START))
        self.place.import_text(text.replace("rules = iecc", rules))
        self.now = START + HOUR
        self.place.once(self.now)

    def enter(self, *words, code=0):
        """The mails that a command causes, in its own pass."""
        self.now += HOUR
        self.place.control(*words, "--now", rfc3339(self.now), code=code)
        return self.place.once(self.now)

    def own(self, mails, kind, to=ANNA):
        """The one mail to the player that is about no single game; a token of his is in none."""
        mail, = [mail for mail in find(mails, kind, to) if mail.game is None]
        self.assertEqual(mail.reply_address, club.ADDRESS)
        self.assertNotRegex(mail.text, r"\+[a-z2-7]{20}@")
        return mail

    def test_leave(self):
        self.begin()
        mails = self.enter("leave", "anna", "2026-02-01", "2026-02-14")
        mail = self.own(mails, "leave")
        words = " ".join(mail.text.split())
        self.assertIn("entered for you", words)
        self.assertIn(club.ARBITER, words)
        for game in ("KO-50.2/1", "KO-50.2/2"):
            self.assertRegex(words, f"{game}, leave of Anna Virtanen: from 2026-02-01 to 2026-02-14, both days")
        # Her clock, as the leave leaves it.
        self.assertEqual(words.count("Leave of Anna Virtanen: 2026-02-01 to 2026-02-14"), 2)
        self.assertIn("Your clock runs: 0 days of this move counted", words)
        self.assertEqual(len(find(mails, "leave", address_of("bruno"))), 1)
        self.assertEqual(len(find(mails, "leave", club.DIRECTOR)), 2)
        # What is not granted, and that nobody is asked about, is not entered.
        self.assertEqual(self.enter("leave", "anna", "2026-01-01", "2026-01-05", code=1), [])

    def test_leave_of_a_stranger_to_english(self):
        self.begin()
        self.place.control("player", "anna", "--language", "fi", "--now", rfc3339(self.now))
        self.place.once(self.now)
        mail = self.own(self.enter("leave", "anna", "2026-02-01", "2026-02-14"), "leave")
        self.assertIn("1.2.2026–14.2.2026, molemmat päivät mukaan luettuina", " ".join(mail.text.split()))

    def test_stop(self):
        self.begin(MCLINK)
        mails = self.enter("stop", "KO-50.2/1", "white", "2026-01-13T09:00:00+01:00", "2026-01-20T09:00:00+01:00")
        words = " ".join(self.own(mails, "leave").text.split())
        self.assertIn("KO-50.2/1, stop of Anna Virtanen: from 2026-01-13", words)
        self.assertIn("168 hours. Both clocks rest in it", words)
        # One that is not granted is on record, and told too.
        mails = self.enter("stop", "KO-50.2/1", "white", "2026-01-11T09:00:00+01:00", "2026-01-12T09:00:00+01:00",
                           code=1)
        self.assertIn("not granted", " ".join(self.own(mails, "leave").text.split()))
        # A change is told in each game, to both.
        mails = self.enter("stop", "KO-50.2/1", "white", "--withdraw", "0")
        self.assertEqual(sorted(mail.game for mail in find(mails, "leave", ANNA)), ["KO-50.2/1", "KO-50.2/2"])

    def test_withdrawal(self):
        self.begin()
        words = " ".join(self.own(self.enter("withdraw", "anna"), "announcement").text.split())
        self.assertIn("entered for you", words)
        self.assertIn("KO-50.2/1, against Bruno Rossi: waits for the arbiter's ruling", words)
        self.begin_another()
        words = " ".join(self.own(self.enter("withdraw", "anna"), "announcement").text.split())
        self.assertIn("KO-50.2/2, against Carla Souza: 1-0", words)

    def begin_another(self):
        self.place = self.club("mclink")
        text = club.tournament_text([("anna", "bruno"), ("carla", "anna")], start=rfc3339(START))
        self.place.import_text(text.replace("rules = iecc", MCLINK))
        self.now = START + HOUR
        self.place.once(self.now)

    def test_address(self):
        """The old address hears of it: an account that was taken over would be silent otherwise."""
        self.begin()
        mails = self.enter("player", "anna", "--email", f"{NEW}, anna.virtanen@work.example")
        for address in (ANNA, NEW):
            words = " ".join(self.own(mails, "announcement", address).text.split())
            self.assertIn("entered for you", words)
            for named in (NEW, "anna.virtanen@work.example", ANNA):
                self.assertIn(named, words)
        self.assertEqual(sorted(mail.to for mail in find(mails, "announcement") if mail.game is None), [NEW, ANNA])
        # Her games go on at the new address, with tokens of their own; the old one gets none.
        self.assertEqual(len([mail for mail in mails if mail.to == NEW and mail.game]), 2)
        self.assertEqual(len([mail for mail in mails if mail.to == ANNA]), 1)
        # An address that goes, while the first one stays.
        mails = self.enter("player", "anna", "--email", NEW)
        self.assertEqual(sorted(mail.to for mail in mails if mail.game is None), ["anna.virtanen@work.example", NEW])

    def test_words(self):
        self.begin()
        mails = self.enter("player", "anna", "--timezone", "America/Havana", "--notation", "figurine")
        words = " ".join(self.own(mails, "announcement").text.split())
        self.assertEqual(len(mails), 1)
        self.assertIn("America/Havana", words)
        self.assertIn("figurine", words)
        self.assertNotIn("Your addresses", words)
        mail = self.own(self.enter("player", "anna", "--language", "it"), "announcement")
        self.assertRegex(mail.text, r"(?m)^- .*\bit\b")
        self.assertIn("per te", mail.text)
        # Nothing is said of what was so before.
        self.assertEqual(self.enter("player", "anna", "--language", "it", "--email", ANNA), [])


if __name__ == "__main__":
    unittest.main()
