"""IECC 7.4, 7.5 and 7.10, MC-link 7bis.1: an overstep fires at its exact instant, once, and only
when due."""
import unittest
from datetime import timedelta

import arbiter
import club
import mailers
import model
from club import ZONES, address_of, instant, rfc3339

START = instant("2026-01-10T09:00:00+02:00")
SECOND = timedelta(seconds=1)
GAME = "KO-50.2/1"
# A quiet game for windows: knights go out and home, never to the same position three times
# within the moves that a test plays.
SHUFFLE = ["Nf3", "Nf6", "Nc3", "Nc6", "d3", "d6", "e3", "e6", "Be2", "Be7", "O-O", "O-O", "a3", "a6"]


class Table:
    """One game at a club, and the model's clock beside it."""

    def __init__(self, place, start=START, white="anna", black="bruno"):
        self.place = place
        self.players = (white, black)
        place.import_text(club.tournament_text([(white, black)], start=rfc3339(start)))
        self.now = start + timedelta(minutes=5)
        self.mail, = club.find(place.once(self.now), "pairing", address_of(white))
        self.clock = model.Clock(ZONES[white], ZONES[black])
        self.clock.start(self.now)
        self.ply = 0
        self.serial = 0

    @property
    def mover(self):
        return address_of(self.players[self.ply % 2])

    def drop(self, text, when, mail=None, sender=None):
        self.serial += 1
        raw = mailers.letter(mail or self.mail, sender or self.mover, when, text, serial=self.serial)
        return self.place.drop(raw, when)

    def once(self, now, code=0):
        self.now = now
        return self.place.once(now, code)

    def move(self, when):
        """The mover plays his move of SHUFFLE; it is delivered a minute later."""
        self.drop(SHUFFLE[self.ply], when)
        mails = self.once(when + timedelta(minutes=1))
        self.clock.move(when, self.now)
        self.ply += 1
        self.mail, = club.find(mails, "move", self.mover)

    def state(self):
        return self.place.json("game", GAME, "--now", rfc3339(self.now))


class OverstepTest(club.ClubTest):
    def table(self, **options):
        return Table(self.club(), **options)

    def check_report(self, mails, table):
        reports = club.find(mails, "overstep")
        wanted = {club.DIRECTOR, club.ARBITER, *map(address_of, table.players)}
        self.assertEqual(sorted(mail.to for mail in reports), sorted(wanted))
        self.assertEqual({mail.game for mail in reports}, {GAME})
        state = table.state()
        self.assertEqual((state["state"], state["deadline"]), ("suspended", None))
        return [mail for mail in reports if mail.to == club.DIRECTOR][0]

    def test_reminded_on_the_sixth_day(self):
        """IECC 7.11: the last message once more, at the start of the day that counts as the sixth."""
        table = self.table()
        reminder = instant("2026-01-15T22:00:00Z")  # 16 January begins in Helsinki
        self.assertEqual(table.once(reminder - SECOND), [])
        mails = table.once(reminder)
        self.assertEqual([(mail.kind, mail.to) for mail in sorted(mails, key=lambda one: one.to)],
                         [("repeat", address_of("anna")), ("repeat", address_of("bruno"))])
        self.assertEqual(table.once(reminder + SECOND), [])
        table.mail, = club.find(mails, "repeat", address_of("anna"))
        table.move(reminder + timedelta(hours=1))
        self.assertEqual(table.state()["ply"], 1)
        report = self.check_report(table.once(table.now + timedelta(days=12)), table)
        self.assertRegex(report.text, r"Reminder after five days \(IECC 7.11\): 2026-01-\d\d")

    def test_exact_instant_once(self):
        table = self.table()
        deadline = instant("2026-01-20T22:00:00Z")  # 21 January begins in Helsinki
        self.assertEqual(table.clock.deadline(), deadline)
        self.assertEqual(table.state()["deadline"], rfc3339(deadline))
        self.assertEqual(club.find(table.once(deadline - SECOND), "overstep"), [])
        self.assertEqual(table.state()["state"], "active")
        report = self.check_report(table.once(deadline), table)
        for item in ("Knockout 50, group 2", "Virtanen, Anna", "Rossi, Bruno",
                     address_of("anna"), address_of("bruno"), "7.5", "2026-01-10"):
            self.assertIn(item, report.text)
        # Item 9 has the move that is thought about, since it was received.
        self.assertRegex(report.text, r"\n   1  2026-01-10 \d\d:\d\d\S* \+0200 +- +11 +0 +11\n +the move that is thought about")
        self.assertEqual(table.once(deadline), [])
        self.assertEqual(table.once(deadline + timedelta(days=40)), [])

    def test_heard_before_the_deadline_though_seen_after(self):
        table = self.table()
        deadline = table.clock.deadline()
        table.drop("1. Nf3", deadline - SECOND)
        mails = table.once(deadline + timedelta(days=3))
        self.assertEqual(club.find(mails, "overstep"), [])
        self.assertEqual(len(club.find(mails, "move", address_of("bruno"))), 1)
        self.assertEqual(table.state()["state"], "active")
        self.assertEqual(table.state()["white"]["clock"]["days"], [10])

    def test_deadline_is_the_first_instant_too_late(self):
        table = self.table()
        deadline = table.clock.deadline()
        table.drop("1. Nf3", deadline)
        mails = table.once(deadline + timedelta(minutes=5))
        self.check_report(mails, table)
        self.assertEqual(club.find(mails, "move"), [])
        self.assertEqual([mail.verdict for mail in club.find(mails, "receipt", address_of("anna"))],
                         ["held"])
        state = table.state()
        self.assertEqual((state["ply"], len(state["held"])), (0, 1))

    def test_found_after_the_overstep(self):
        table = self.table()
        deadline = table.clock.deadline()
        self.check_report(table.once(deadline + SECOND), table)
        table.drop("1. Nf3", deadline - timedelta(minutes=10))
        mails = table.once(deadline + timedelta(minutes=1))
        self.assertEqual(club.find(mails, "move"), [])
        self.assertEqual(len(table.state()["held"]), 1)
        self.assertEqual(table.state()["state"], "suspended")

    def test_window(self):
        table = self.table()
        when = table.now
        for days in (9, 1, 9, 1, 9, 1):
            when = model.start_of(table.clock.mover.arrival + timedelta(days=days),
                                  table.clock.mover.zone) + timedelta(hours=8)
            table.move(when)
        self.assertEqual(table.clock.mover.days, [9, 9, 9])
        self.assertEqual(table.clock.mover.limit(), 3)
        deadline = table.clock.deadline()
        self.assertEqual(table.state()["deadline"], rfc3339(deadline))
        # An illegal move costs the day that was left.
        table.drop("Ke2", table.now + timedelta(minutes=1))
        refusal, = club.find(table.once(table.now + timedelta(minutes=2)), "refusal")
        self.assertEqual(refusal.verdict, "illegal-move")
        table.clock.illegal()
        earlier = table.clock.deadline()
        self.assertEqual(earlier, deadline - timedelta(days=1))
        self.assertEqual(table.state()["deadline"], rfc3339(earlier))
        self.assertEqual(club.find(table.once(earlier - SECOND), "overstep"), [])
        report = self.check_report(table.once(earlier), table)
        self.assertIn("7.4", report.text)

    def test_penalty_alone(self):
        table = self.table()
        for days in (10, 0, 10, 0, 10, 0):
            start = model.start_of(table.clock.mover.arrival + timedelta(days=days),
                                   table.clock.mover.zone)
            table.move(max(table.now, start) + timedelta(minutes=10))
        self.assertEqual(table.clock.mover.limit(), 0)
        sinned = table.now + timedelta(minutes=3)
        table.drop("Ke2", sinned)
        mails = table.once(sinned + timedelta(minutes=1))
        self.check_report(mails, table)
        self.assertEqual(len(club.find(mails, "refusal", address_of("anna"))), 1)

    def test_unreachable_mailbox_stops_the_deadline(self):
        table = self.table()
        deadline = table.clock.deadline()
        box = table.place.top / "in/new"
        box.rename(table.place.top / "in/away")
        mails = table.once(deadline + timedelta(hours=1), code=75)
        self.assertEqual(club.find(mails, "overstep"), [])
        self.assertEqual(table.state()["state"], "active")
        (table.place.top / "in/away").rename(box)
        self.check_report(table.once(deadline + timedelta(hours=2)), table)

    def test_day_that_begins_at_one_o_clock(self):
        table = self.table(start=instant("2006-10-25T12:00:00Z"), white="carla")
        deadline = instant("2006-11-05T03:00:00Z")  # clocks go forward at midnight that night
        self.assertEqual(table.state()["deadline"], rfc3339(deadline))
        self.assertEqual(club.find(table.once(deadline - SECOND), "overstep"), [])
        self.check_report(table.once(deadline), table)

    def test_passes_do_not_go_back(self):
        table = self.table()
        table.place.once(table.now - SECOND, code=1)
        self.assertEqual(table.state()["state"], "active")

    def test_messages_from_the_future_wait(self):
        table = self.table()
        arrival = table.now + timedelta(hours=1)
        table.drop("1. Nf3", arrival)
        self.assertEqual(table.once(arrival - SECOND), [])
        self.assertEqual(table.state()["ply"], 0)
        self.assertEqual(len(table.once(arrival)), 3)
        self.assertEqual(table.state()["ply"], 1)


class PutOffTest(club.ClubTest):
    """A held move that came in time puts the deadline off; nobody profits from what comes later."""
    HOUR = timedelta(hours=1)
    UNPROVEN = {"To": club.ADDRESS, "Delivered-To": club.ADDRESS}
    # The rules, the move in time, another one.
    SYSTEMS = [("iecc", "1. e4", "1. d4"), ("mclink", "1b e2-e4\n1b e2-e4", "1b d2-d4\n1b d2-d4")]

    def begin(self, rules, move):
        """Anna's move in time waits for her confirmation, and her deadline passes."""
        self.serial += 1
        self.place = self.club(f"club{self.serial}")
        start = instant("2026-06-01T10:00:00Z")
        text = arbiter.mclink_text([("anna", "bruno")], start=rfc3339(start))
        if rules == "iecc":
            text = club.tournament_text([("anna", "bruno")], code="ML-1", start=rfc3339(start))
        self.place.import_text(text)
        self.mails = self.place.once(start)
        self.pairing = {mail.to: mail for mail in club.find(self.mails, "pairing")}
        deadline = instant(self.place.game(1, "ML-1")["deadline"])
        self.say("anna", move, deadline - self.HOUR, **self.UNPROVEN)
        self.assertEqual((self.last(), self.state()["deadline"]), ("held", None))
        self.confirm, = club.find(self.mails, "confirm")
        self.now = deadline + self.HOUR

    def say(self, player, text, when, mail=None, **fields):
        self.serial += 1
        mail = mail or self.pairing[address_of(player)]
        self.place.drop(mailers.letter(mail, address_of(player), when, text, serial=self.serial, **fields), when)
        self.now = when
        self.mails = self.place.once(when)

    def last(self):
        return self.place.messages()[-1]["verdict"]

    def state(self):
        return self.place.json("game", "ML-1/1", "--now", rfc3339(self.now))

    serial = 0

    def test_a_later_move(self):
        for rules, first, second in self.SYSTEMS:
            for confirmed in (True, False):
                with self.subTest(rules=rules, confirmed=confirmed):
                    self.begin(rules, first)
                    self.say("anna", second, self.now)
                    self.assertEqual((self.last(), self.state()["ply"]), ("held", 0))
                    if confirmed:
                        self.say("anna", "yes", self.now + self.HOUR, self.confirm)
                        state = self.state()
                        self.assertEqual((state["uci"], state["held"]), (["e2e4"], []))
                        self.assertEqual(len(state["white"]["clock"]["hours" if rules == "mclink" else "days"]), 1)
                        self.assertEqual([message["verdict"] for message in self.place.messages()],
                                         ["accepted", "stale-move", "command"])
                        self.assertIsNotNone(state["deadline"])
                        continue
                    self.place.once(self.now + 80 * self.HOUR)
                    state = self.state()
                    self.assertEqual((state["ply"], state["state"]),
                                     (0, "finished" if rules == "mclink" else "suspended"))

    def test_what_is_booked_meanwhile(self):
        """The instant of the original's arrival counts, whatever was granted since."""
        for rules, first, _ in self.SYSTEMS:
            with self.subTest(rules=rules):
                self.begin(rules, first)
                day = [(self.now + timedelta(days=n)).date().isoformat() for n in (2, 4)]
                order = ["leave", "bruno", *day, "--approve"] if rules == "iecc" else \
                    ["stop", "ML-1/1", "black", *(f"{one}T10:00:00Z" for one in day), "--grant"]
                # (The Coordinator cannot stop a clock that has run out.)
                when = self.now - (timedelta(0) if rules == "iecc" else 1.5 * self.HOUR)
                self.place.control(*order, "--now", rfc3339(when))
                self.say("anna", "yes", self.now + self.HOUR, self.confirm)
                state = self.state()
                self.assertEqual((state["uci"], state["state"]), (["e2e4"], "active"))
                clock = state["white"]["clock"]
                self.assertEqual(clock["days"] if rules == "iecc" else clock["hours"],
                                 [10] if rules == "iecc" else [480])
                self.assertIsNotNone(state["deadline"])

    def test_a_ruling_meanwhile(self):
        """It neither makes the overstep that is put off, nor loses it."""
        for rules, first, _ in self.SYSTEMS:
            for confirmed in (True, False):
                with self.subTest(rules=rules, confirmed=confirmed):
                    self.begin(rules, first)
                    self.place.control("rule", "ML-1/1", "penalty", "white", "1", "--now", rfc3339(self.now))
                    if rules == "iecc":
                        day = (self.now + timedelta(days=2)).date().isoformat()
                        self.place.control("leave", "anna", day, day, "--approve", "--now", rfc3339(self.now))
                    self.assertEqual(self.state()["state"], "active")
                    if confirmed:
                        self.say("anna", "yes", self.now + self.HOUR, self.confirm)
                        self.assertEqual((self.state()["ply"], self.state()["state"]), (1, "active"))
                        continue
                    mails = self.place.once(self.now + 80 * self.HOUR)
                    self.assertEqual(len(club.find(mails, "overstep")), 4)
                    self.assertEqual((self.state()["ply"], self.state()["state"]),
                                     (0, "suspended" if rules == "iecc" else "finished"))

    def test_commands(self):
        """Whatever anybody writes then is decided; what ends a lost game ends it."""
        for rules, first, _ in self.SYSTEMS:
            for player, text, verdict, result in (
                    ("anna", "withdraw", "command", "0-1" if rules == "mclink" else "*"),
                    ("bruno", "resign", "command", "1-0"), ("bruno", "accept", "command-error", "*")):
                with self.subTest(rules=rules, player=player, text=text):
                    self.begin(rules, first)
                    self.say(player, text, self.now)
                    self.assertEqual((self.last(), self.state()["result"]), (verdict, result))
                    self.assertEqual(len(club.find(self.mails, to=address_of(player))), 1 + (result != "*"))
                    after = self.state()["white"]["clock"]
                    self.now += 400 * self.HOUR
                    if result != "*" and rules == "mclink":
                        self.assertEqual(self.state()["white"]["clock"], after)


class TimeOutTest(club.ClubTest):
    """MC-link: a time-out ends the game, subject to the Coordinator; it is of one game alone."""

    def test_two_at_once_and_one_put_aside(self):
        place = self.club()
        start = instant("2026-06-01T10:00:00Z")
        place.import_text(arbiter.mclink_text([("anna", "bruno"), ("bruno", "anna")], start=rfc3339(start),
                                              extra="increments = 2:48"))
        pairing, = club.find(place.once(start), "pairing", address_of("anna"), "ML-1/1")
        deadline = instant(place.game(1, "ML-1")["deadline"])
        self.assertEqual(instant(place.game(2, "ML-1")["deadline"]), deadline)
        place.once(deadline - SECOND)
        mails = place.once(deadline)
        for number in (1, 2):
            self.assertEqual(len(club.find(mails, "overstep", game=f"ML-1/{number}")), 3)
            self.assertEqual(len(club.find(mails, "result", game=f"ML-1/{number}")), 3)
            self.assertEqual(place.game(number, "ML-1")["termination"], "time")
        # He answers one of the reports with the word that it names.
        report, = club.find(mails, "overstep", club.DIRECTOR, "ML-1/1")
        self.assertIn('"reject"', report.text)
        now = deadline + timedelta(days=2)
        place.drop(mailers.letter(report, club.DIRECTOR, now, "reject"), now)
        mails = place.once(now)
        self.assertEqual(len(club.find(mails, "ruling", game="ML-1/1")), 3)
        state = place.json("game", "ML-1/1", "--now", rfc3339(now + timedelta(hours=5)))
        self.assertEqual((state["state"], state["result"], state["white"]["clock"]["running"]), ("active", "*", 5))
        again = instant(state["deadline"])
        self.assertEqual(again - now, timedelta(hours=529))  # from the full hour to 31 past
        # It may be lost by time again, and put aside again; and then a move is made.
        self.assertEqual(len(club.find(place.once(again), "overstep")), 3)
        place.control("rule", "ML-1/1", "resume", "--now", rfc3339(again))
        place.control("rule", "ML-1/1", "resume", "--now", rfc3339(again), code=1)
        now = again + timedelta(hours=7)
        place.drop(mailers.letter(pairing, address_of("anna"), now, "1b e2-e4\n1b e2-e4"), now)
        place.once(now)
        state = place.game(1, "ML-1")
        self.assertEqual((state["uci"], state["white"]["clock"]["hours"]), (["e2e4"], [7]))


if __name__ == "__main__":
    unittest.main()
