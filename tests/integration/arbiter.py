"""What an arbiter does with zugpostctl beside rulings, through the real programs."""
import json
import unittest
from datetime import timedelta

import club
from club import address_of, instant, rfc3339

START = instant("2026-06-01T10:00:00Z")
HOUR = timedelta(hours=1)
AREA = "area@club.example"
PLAYERS = [player for player in club.PLAYERS if player[0] in ("anna", "bruno", "carla")]


def mclink_text(pairs, code="ML-1", stage="league", extra="public = area@club.example", players=PLAYERS,
                start="2026-06-01T10:00:00Z"):
    """A tournament of MC-link's rules."""
    lines = [f"[tournament {code}]", "name = Torneo", "rules = mclink", f"start = {start}",
             "arbiter = Coordinator <td@club.example>", "moves-per-manche = 10",
             "standard-hours = 480", f"stage = {stage}", *([extra] if extra else [])]
    for ident, name, zone in players:
        lines += ["", f"[player {ident}]", f"name = {name}", f"email = {address_of(ident)}",
                  f"timezone = {zone}"]
    for number, (white, black) in enumerate(pairs, 1):
        lines += ["", f"[game {number}]", f"white = {white}", f"black = {black}"]
    return "\n".join(lines) + "\n"


class ArbiterTest(club.ClubTest):
    def setUp(self):
        super().setUp()
        self.place = self.club()

    def control(self, when, *operands, code=0):
        """A command at an instant: its JSON, or the line of its refusal."""
        done = self.place.run(club.CONTROL, "--config", self.place.config, "--now", rfc3339(when),
                              "--json", *operands)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if code:
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            return done.stderr.strip()
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def recipients(self, mails, kind):
        return sorted((mail.game, mail.to) for mail in mails if mail.kind == kind)


class StopTest(ArbiterTest):
    """MC-link 7ter: a stop is one object of its player in all his games."""

    def setUp(self):
        super().setUp()
        self.place.import_text(mclink_text([("anna", "bruno"), ("carla", "anna"), ("bruno", "carla")]))
        self.place.once(START)

    def stops(self, number):
        return [(stop["by"], stop["kind"], stop["from"], stop["to"])
                for stop in self.place.game(number, "ML-1")["stops"]]

    def everybody(self, *numbers):
        """Who is told of something in these games."""
        names = {1: ("anna", "bruno"), 2: ("anna", "carla"), 3: ("bruno", "carla")}
        return sorted((f"ML-1/{number}", to) for number in numbers
                      for to in (*map(address_of, names[number]), "td@club.example", AREA))

    def test_vacation(self):
        asked = self.control(START + HOUR, "stop", "ML-1/1", "white", "2026-07-01T10:00:00Z",
                             "2026-07-11T10:00:00Z", "--vacation")
        self.assertEqual([(one["game"], one["granted"]) for one in asked],
                         [("ML-1/1", True), ("ML-1/2", True)])
        self.place.once(START + HOUR)
        when = START + 2 * HOUR
        changed = self.control(when, "stop", "ML-1/2", "black", "2026-07-02T10:00:00Z",
                               "2026-07-04T10:00:00Z", "--change", "0")
        self.assertEqual([(one["game"], one["granted"], one["hours"]) for one in changed],
                         [("ML-1/1", True, 48), ("ML-1/2", True, 48)])
        period = ("2026-07-02T10:00:00Z", "2026-07-04T10:00:00Z")
        self.assertEqual(self.stops(1), [("white", "vacation", *period)])
        self.assertEqual(self.stops(2), [("black", "vacation", *period)])
        mails = self.place.once(when)
        self.assertEqual(self.recipients(mails, "leave"), self.everybody(1, 2))
        for mail in club.find(mails, "leave"):
            self.assertIn("2026-07-04", mail.text)
        # Only its player changes it, and not beyond the period of vacations.
        for side, to in (("black", "2026-07-05T10:00:00Z"), ("white", "2026-09-17T10:00:00Z")):
            self.control(when, "stop", "ML-1/1", side, "-", to, "--change", "0", code=1)
        withdrawn = self.control(when + HOUR, "stop", "ML-1/1", "white", "--withdraw", "0")
        self.assertEqual([one["granted"] for one in withdrawn], [True, True])
        self.assertEqual((self.stops(1), self.stops(2)), ([], []))
        mails = self.place.once(when + HOUR)
        self.assertEqual(self.recipients(mails, "leave"), self.everybody(1, 2))
        self.assertTrue(all("withdrawn" in mail.text for mail in club.find(mails, "leave")))
        self.assertEqual(self.place.once(when + HOUR), [])

    def test_grant(self):
        """The Coordinator grants what the rules do not: a stop that begins in the past."""
        when = START + 10 * HOUR
        period = (rfc3339(START + 5 * HOUR), rfc3339(START + 20 * HOUR))
        refused = self.control(when, "stop", "ML-1/1", "white", *period, code=1)
        self.assertIn("rules", refused)
        self.assertEqual(self.stops(1), [])
        granted = self.control(when, "stop", "ML-1/1", "white", *period, "--grant", "--reason", "illness")
        self.assertEqual([(one["game"], one["granted"], one["hours"]) for one in granted],
                         [("ML-1/1", True, 15), ("ML-1/2", True, 15)])
        self.assertEqual(self.stops(2), [("black", "coordinator", *period)])
        self.assertEqual(self.control(when, "game", "ML-1/1")["white"]["clock"]["running"], 5)
        self.assertEqual(self.recipients(self.place.once(when), "leave"), self.everybody(1, 2))
        # His own word takes it back, and what has passed of it stays.
        self.control(when + HOUR, "stop", "ML-1/1", "white", "--withdraw", "0", "--grant")
        self.assertEqual(self.stops(1), [("white", "coordinator", period[0], rfc3339(when + HOUR))])

    def test_faults(self):
        for operands in (("ML-1/1", "white", "--withdraw", "x"), ("ML-1/1", "white"),
                         ("ML-1/1", "grey", "--withdraw", "0"),
                         ("ML-1/1", "white", "-", "2026-07-04T10:00:00Z"),
                         ("ML-1/1", "white", "-", "2026-07-04T10:00:00Z", "--change", "0", "--grant")):
            self.place.control("stop", *operands, code=2)
        self.control(START, "stop", "ML-1/9", "white", "--withdraw", "0", code=1)
        self.control(START, "stop", "ML-1/1", "white", "--withdraw", "0", code=1)


if __name__ == "__main__":
    unittest.main()
