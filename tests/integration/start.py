"""Before the event begins: what comes early waits for the start and costs nothing
(RAZSh 4.5, MC-link 7.8')."""
import unittest
from datetime import timedelta

import club
from club import address_of, instant, rfc3339

START = instant("2026-01-10T08:00:00Z")
DAY = timedelta(days=1)
MOVES = {"iecc": "1. e4", "razsh": "1. e4", "mclink": "1b e2-e4  1b e2-e4"}


def event(rules):
    extra = "moves-per-manche = 10\nstandard-hours = 480" if rules == "mclink" else ""
    return club.tournament_text([("anna", "bruno")], start=rfc3339(START), extra=extra).replace(
        "rules = iecc", f"rules = {rules}")


def early(text, when, proven=True):
    """Anna's first move by a mail of her own: nobody has written to her yet."""
    lines = [f"Authentication-Results: mail.club.example; dmarc={'pass' if proven else 'none'} "
             "header.from=players.example",
             f"From: Anna <{address_of('anna')}>", f"To: {club.ADDRESS}", "Subject: [KO-50.2 #1] my move",
             f"Date: {when.strftime('%a, %d %b %Y %H:%M:%S +0000')}",
             f"Message-ID: <early-{when.timestamp()}@players.example>"]
    return ("\n".join(lines) + f"\n\n{text}\n").encode()


class StartTest(club.ClubTest):
    def begin(self, rules, proven=True, text=None):
        place = self.club(f"{rules}-{proven}-{bool(text)}")
        place.import_text(event(rules))
        place.drop(early(text or MOVES[rules], START - 3 * DAY, proven), START - 3 * DAY)
        return place, place.once(START - 3 * DAY)

    def test_waits_and_costs_nothing(self):
        for rules in MOVES:
            with self.subTest(rules=rules):
                place, mails = self.begin(rules)
                receipt, = mails
                self.assertEqual((receipt.kind, receipt.to, receipt.verdict),
                                 ("receipt", address_of("anna"), "held"))
                self.assertIn("has not begun", receipt.text)
                game = place.json("game", "KO-50.2/1", "--now", rfc3339(START - DAY))
                self.assertEqual((game["state"], game["ply"], game["held"]), ("scheduled", 0, [1]))
                mails = place.once(START + timedelta(minutes=1))
                self.assertEqual(len(club.find(mails, "pairing")), 2)
                move, = club.find(mails, "move", address_of("bruno"))
                self.assertEqual(move.ply, 1)
                game = place.json("game", "KO-50.2/1", "--now", rfc3339(START + DAY))
                self.assertEqual((game["state"], game["uci"], game["held"]), ("active", ["e2e4"], []))
                spent = game["white"]["clock"]["hours" if rules == "mclink" else "days"]
                self.assertEqual(spent, [0])
                # Black's time runs from the delivery.
                self.assertIsNotNone(game["deadline"])
                verdict, = [one["verdict"] for one in place.messages()]
                self.assertIn(verdict, ("accepted", "accepted-with-warning"))

    def test_a_bad_move_is_refused_at_the_start(self):
        place, mails = self.begin("razsh", text="1. e5")
        self.assertEqual([mail.verdict for mail in mails], ["held"])
        mails = place.once(START + timedelta(minutes=1))
        refusal, = club.find(mails, "refusal")
        self.assertEqual(refusal.verdict, "illegal-move")
        self.assertEqual(place.game(1)["ply"], 0)

    def test_who_is_not_proven_is_asked_at_the_start(self):
        place, mails = self.begin("iecc", proven=False)
        self.assertEqual([(mail.kind, mail.verdict) for mail in mails], [("receipt", "held")])
        mails = place.once(START + timedelta(minutes=1))
        confirm, = club.find(mails, "confirm", address_of("anna"))
        self.assertEqual(club.find(mails, "move"), [])
        place.drop(early("yes", START + timedelta(hours=1), False).replace(
            f"To: {club.ADDRESS}".encode(), f"To: {confirm.reply_address}".encode()),
            START + timedelta(hours=1))
        mails = place.once(START + timedelta(hours=2))
        self.assertEqual(len(club.find(mails, "move", address_of("bruno"))), 1)


if __name__ == "__main__":
    unittest.main()
