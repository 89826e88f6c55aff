"""Drawn games of MC-link's knockouts (article 10): lots, counters, games played again."""
import json
import unittest

import arbiter
import club
import mailers
from arbiter import AREA, HOUR, START, mclink_text
from club import address_of

FOLDER = club.DATA / "clocks"
STAFF = ("td@club.example", AREA)


def example(name):
    """Input and expectation of a worked example of a lot."""
    path, = FOLDER.glob(f"{name}-*.json")
    read = json.loads(path.read_text(encoding="utf-8"))
    return read["input"]["lotto"], read["expect"]


class LottoTest(arbiter.ArbiterTest):
    def setUp(self):
        super().setUp()
        self.now = START

    def begin(self, pairs, stage="knockout"):
        self.place.import_text(mclink_text(pairs, stage=stage, players=club.PLAYERS))
        self.place.once(self.now)

    def draw(self, number, hours=1):
        """The Coordinator declares a draw; the mails of that."""
        self.now += hours * HOUR
        self.control_now("rule", f"ML-1/{number}", "draw")
        return self.place.once(self.now)

    def control_now(self, *operands, code=0):
        if operands[0] == "rule":
            self.place.control("--now", club.rfc3339(self.now), *operands, code=code)
            return None
        return self.control(self.now, *operands, code=code)

    def lot(self, number, drawn):
        self.now += HOUR
        return self.control_now("lotto", f"ML-1/{number}", "--drawn", str(drawn))

    def check(self, name, seen):
        given, expected = example(name)
        self.assertEqual(seen["drawn"], given["drawn"])
        for path, wanted in expected.items():
            self.assertEqual(seen[path.removeprefix("lotto.")], wanted, path)

    def test_counters(self):
        """mclink-28 from fresh counters, mclink-30 after a lot won and two lost."""
        self.begin([("anna", "bruno"), ("anna", "carla"), ("dmitri", "emi"), ("anna", "dmitri")])
        self.assertIsNone(self.place.game(1, "ML-1")["lotto"])
        told = self.draw(1)
        self.assertIsNone(self.place.game(1, "ML-1")["lotto"])
        # 10.3: all know that a lot decides, and of what numbers.
        everybody = sorted(("ML-1/1", to) for to in (*map(address_of, ("anna", "bruno")), *STAFF))
        self.assertEqual(self.recipients(told, "announcement"), everybody)
        given, _ = example("mclink-28")
        seen = self.lot(1, given["drawn"])
        self.check("mclink-28", seen)
        self.assertEqual(self.place.game(1, "ML-1")["lotto"],
                         {key: value for key, value in seen.items() if key != "game"})
        self.assertIn(f"lot: {given['drawn']} is drawn, Virtanen, Anna is the virtual winner",
                      self.place.control("game", "ML-1/1"))
        mails = self.place.once(self.now)
        self.assertEqual(self.recipients(mails, "announcement"), everybody)
        self.assertEqual(len({mail.id for mail in mails + told}), len(mails + told))
        self.assertIn("already", self.control_now("lotto", "ML-1/1", "--drawn", "7", code=1))
        # anna has won a lot: Black has five numbers more, and so on.
        self.draw(2)
        self.assertEqual(self.lot(2, 41), {
            "game": "ML-1/2", "white": [1, 40], "black": [41, 90], "winner": "black", "drawn": 41,
            "white_counter": 0, "black_counter": -1})
        self.draw(3)
        self.assertEqual(self.lot(3, 1)["white_counter"], -1)

        # Two more lots lost by anna, in another event: counters are the player's.
        self.place.import_text(mclink_text([("anna", "finn"), ("anna", "gita")], code="ML-2",
                                           stage="knockout", players=club.PLAYERS))
        self.place.once(self.now)
        self.now += HOUR
        for number in (1, 2):
            self.control_now("rule", f"ML-2/{number}", "draw")
            self.now += HOUR
            self.control_now("lotto", f"ML-2/{number}", "--drawn", "90")
            self.now += HOUR
        self.draw(4)
        given, _ = example("mclink-30")
        self.check("mclink-30", self.lot(4, given["drawn"]))

    def test_counters_at_the_declaration(self):
        """10.11: what is drawn after the declaration does not count."""
        self.begin([("anna", "bruno"), ("anna", "carla")])
        self.draw(1)
        self.draw(2)
        self.assertEqual(self.lot(1, 1)["white_counter"], -1)
        self.assertEqual(self.lot(2, 45)["white"], [1, 45])

    def test_refused(self):
        self.begin([("anna", "bruno"), ("carla", "dmitri")], stage="league")
        self.assertIn("not drawn", self.control_now("lotto", "ML-1/1", "--drawn", "7", code=1))
        mails = self.draw(1)
        self.assertEqual(club.find(mails, "announcement"), [])
        self.assertIn("10.15", self.control_now("lotto", "ML-1/1", "--drawn", "7", code=1))
        self.assertIsNone(self.place.game(1, "ML-1")["lotto"])
        self.place.import_text(club.tournament_text([("emi", "finn")]))
        self.place.once(self.now)
        self.assertIn("rules", self.control_now("lotto", "KO-50.2/1", "--drawn", "7", code=1))
        for operands in (("ML-1/1",), ("ML-1/1", "--drawn"), ("ML-1/1", "--drawn", "0"),
                         ("ML-1/1", "--drawn", "91"), ("--drawn", "7")):
            self.place.control("lotto", *operands, code=2)
        self.assertIn("no game", self.control_now("lotto", "ML-1/7", "--drawn", "7", code=1))

    def test_final(self):
        """10.12-10.14: again with colours reversed, once more with those of the first, a lot."""
        self.begin([("anna", "bruno"), ("carla", "dmitri")], stage="final")
        colours = [("anna", "bruno")]
        for number, following in ((1, 3), (3, 4)):
            mails = self.draw(number, hours=400)
            game = self.place.game(following, "ML-1")
            colours.append((game["white"]["player"], game["black"]["player"]))
            self.assertEqual((game["state"], game["ply"]), ("active", 0))
            pairings = club.find(mails, "pairing", game=f"ML-1/{following}")
            self.assertEqual(sorted(mail.to for mail in pairings),
                             sorted(map(address_of, ("anna", "bruno"))))
            self.assertIn("another game", self.control_now(
                "lotto", f"ML-1/{number}", "--drawn", "7", code=1))
            # It starts at once, and counts its hours from then.
            first = next(mail for mail in pairings if mail.to == address_of(colours[-1][0]))
            self.assertIn(f"00{following:02}", first.subject)
            self.now += 3 * HOUR
            self.place.drop(mailers.letter(
                first, address_of(colours[-1][0]), self.now, "1b e2-e4 1b e2-e4", quote=False,
                Subject=f"{following:04}-  1b White-Black"), self.now)
            mails = self.place.once(self.now)
            self.assertEqual(len(club.find(mails, "move", game=f"ML-1/{following}")), 1, mails)
            row, = self.control_now("game", f"ML-1/{following}")["ledger"]
            self.assertEqual(row["hours"], 3)
        self.assertEqual(colours, [("anna", "bruno"), ("bruno", "anna"), ("anna", "bruno")])
        self.draw(4)
        self.assertEqual(self.lot(4, 46)["winner"], "black")
        self.assertEqual(len(self.place.json("games", "--tournament", "ML-1")), 4)


if __name__ == "__main__":
    unittest.main()
