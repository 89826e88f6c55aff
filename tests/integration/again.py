"""Messages that are read again: after a repair, or as belonging to a game that they do not name. The
instant of arrival stays, and so does everything that was right the first time."""
import unittest
from datetime import timedelta

import club
import mailers
from club import address_of, instant, rfc3339

START = instant("2026-01-10T09:00:00+02:00")
ANNA = address_of("anna")
ONE, TWO, THREE = "KO-50.2/1", "KO-50.2/2", "KO-50.2/3"
PASS = "mail.club.example; dmarc=pass header.from=players.example"


class AgainTest(club.ClubTest):
    def setUp(self):
        super().setUp()
        self.place = self.club()
        self.place.import_text(club.tournament_text([("anna", "bruno"), ("anna", "carla"), ("dmitri", "emi")]))
        self.now = START + timedelta(minutes=5)
        self.pairings = self.place.once(self.now)

    def say(self, text, sender=ANNA, **fields):
        """A mail that answers none of ours; the row of the message."""
        self.now += timedelta(hours=1)
        head = {"To": club.ADDRESS, "Delivered_To": club.ADDRESS, "In_Reply_To": None, "References": None,
                "Subject": "chess", "Authentication_Results": PASS, **fields}
        self.place.drop(mailers.letter(self.pairings[0], sender, self.now, text, False,
                                       int(self.now.timestamp()), **head), self.now)
        self.mails = self.place.once(self.now)
        return self.place.messages()[-1]

    def again(self, message, *options, code=0):
        """Reads it again an hour later; its row afterwards, and the mails of the next pass."""
        now = self.now + timedelta(hours=1)
        self.place.control("message", message["id"], *options, "--now", rfc3339(now), code=code)
        self.mails = self.place.once(now)
        return self.place.json("message", message["id"])

    def kinds(self):
        return sorted((mail.kind, mail.to, mail.game) for mail in self.mails)

    def test_as_a_game(self):
        message = self.say("1. e4")
        self.assertEqual((message["verdict"], message["game"]), ("ambiguous-game", None))
        after = self.again(message, "--as", TWO)
        self.assertEqual((after["verdict"], after["game"], after["arrival"]),
                         ("accepted", TWO, message["arrival"]))
        self.assertEqual(self.kinds(), [("copy", club.DIRECTOR, TWO), ("move", address_of("carla"), TWO),
                                        ("receipt", ANNA, TWO)])
        self.assertEqual([self.place.json("game", game)["san"] for game in (ONE, TWO)], [[], ["e4"]])
        self.assertEqual(self.place.json("game", TWO)["ledger"][0]["sent"], message["arrival"])
        self.assertEqual(self.place.json("messages", "--verdict", "ambiguous-game"), [])
        # What has done its work is not done again.
        self.again(message, "--retry", code=1)
        self.again(message, "--as", ONE, code=1)
        self.assertEqual(self.mails, [])
        self.assertEqual(self.place.json("game", ONE)["ply"], 0)

    def test_as_somebody_else_s_game(self):
        message = self.say("1. e4")
        after = self.again(message, "--as", THREE)
        self.assertNotIn(after["verdict"], ("accepted", "accepted-with-warning"))
        self.assertEqual(self.place.json("game", THREE)["ply"], 0)
        self.again(message, "--as", "KO-50.2/9", code=1)
        self.again(message, "--as", "nothing", code=1)
        self.place.control("message", 999, "--retry", code=1)
        self.place.control("message", "x", "--retry", code=2)
        self.place.control("message", message["id"], "--as", code=2)

    def test_after_a_repair(self):
        """A player wrote from an address that nobody knew; the administrator adds it."""
        fields = {"From": "Anna <anna@home.example>", "Subject": "[KO-50.2 #1]", "Authentication_Results":
                  PASS.replace("players.example", "home.example")}
        message = self.say("Hello, it is me.", **fields)
        self.assertEqual(message["verdict"], "unknown-sender")
        self.assertEqual(self.mails, [])
        # Nothing is repaired yet.
        self.assertEqual(self.again(message, "--retry")["verdict"], "unknown-sender")
        self.assertEqual(self.mails, [])
        text = club.tournament_text([("anna", "bruno"), ("anna", "carla"), ("dmitri", "emi")])
        self.place.import_text(text.replace(f"email = {ANNA}", f"email = {ANNA}, anna@home.example"))
        after = self.again(message, "--retry")
        self.assertEqual((after["verdict"], after["player"], after["trust"], after["arrival"]),
                         ("no-move", "anna", "authenticated", message["arrival"]))
        self.assertEqual([mail.kind for mail in self.mails], ["refusal"])

    def test_a_refused_move_stays_refused(self):
        """Read again without a repair it says the same, and costs no second penalty."""
        message = self.say("1. Ke2", Subject="[KO-50.2 #1]")
        self.assertEqual(message["verdict"], "illegal-move")
        before = self.place.json("game", ONE)["white"]["clock"]
        self.assertEqual(self.again(message, "--retry")["verdict"], "illegal-move")
        self.assertEqual(self.place.json("game", ONE)["white"]["clock"], before)

    def test_in_order_is_a_dry_run(self):
        """Each file is read where the one before it has left the game, and nobody hears of it."""
        paths = []
        for number, (sender, text) in enumerate(((ANNA, "1. e4"), (address_of("bruno"), "1. e4 e5"), (ANNA, "2. Nf3"))):
            head = {"To": club.ADDRESS, "Delivered_To": club.ADDRESS, "In_Reply_To": None, "References": None,
                    "Subject": "[KO-50.2 #1]", "Authentication_Results": PASS}
            paths.append(self.place.top / f"{number}.eml")
            paths[-1].write_bytes(mailers.letter(self.pairings[0], sender, self.now, text, False, number, **head))
        before = self.place.json("game", ONE)
        done = self.place.run(club.CONTROL, "--config", self.place.config, "read", "--in-order", *paths,
                              "--now", rfc3339(self.now))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([line.split(": ")[1].split(" ")[0] for line in done.stdout.splitlines()],
                         ["accepted", "accepted", "repetition-missing"])
        self.assertEqual(self.place.json("game", ONE), before)
        self.assertEqual(self.place.messages(), [])
        self.assertEqual(self.place.once(self.now), [])


if __name__ == "__main__":
    unittest.main()
