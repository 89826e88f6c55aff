"""Ends that were entered by mistake: `resume` and `rollback` of a finished game."""
import unittest
from datetime import timedelta

import arbiter
import club
import desk
from club import address_of, instant, rfc3339
from desk import DAY, GAME, MINUTE, SECOND, START

ANNA, BRUNO = address_of("anna"), address_of("bruno")
HOUR = timedelta(hours=1)
MCLINK = "mclink\nmoves-per-manche = 10\nstandard-hours = 480"


class ReopenTest(desk.Desk):
    def rule(self, *ruling, code=0):
        """By zugpostctl; the line of its refusal."""
        self.now += MINUTE
        done = self.place.run(club.CONTROL, "--config", self.place.config, "rule", GAME, *ruling,
                              "--now", rfc3339(self.now))
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.mails = self.place.once(self.now)
        return done.stderr.strip()

    def play(self, *moves):
        for move in moves:
            self.answer(self.on_move, move)
            self.on_move, = club.find(self.mails, "move") or [None]

    def open(self, rules="iecc", name="club"):
        self.begin(rules, name)
        self.on_move, = club.find(self.mails, "pairing", ANNA)

    def words(self, kind, to):
        mail, = club.find(self.mails, kind, to)
        return " ".join(mail.text.split())


class GameTest(ReopenTest):
    def test_a_result_for_the_wrong_game(self):
        """Time between the end and the notice is nobody's, everybody is told, and the game goes on."""
        for rules, days in (("iecc", 2), ("razsh", 2), (MCLINK, 48)):
            with self.subTest(rules.split("\n")[0]):
                self.open(rules, rules.split("\n")[0])
                self.play("1. e4", "1... e5")
                self.now += 2 * DAY
                self.rule("result", "1-0")
                ended = rfc3339(self.now)
                self.now += 40 * DAY
                self.assertEqual(self.place.once(self.now), [])
                self.rule("resume", "--reason", "It was another game.")
                told = rfc3339(self.now)
                for to in (ANNA, BRUNO, club.DIRECTOR):
                    text = self.words("ruling", to)
                    self.assertIn("The end of the game no longer holds: it is open again.", text)
                    self.assertIn("It was another game.", text)
                    self.assertIn("The game goes on.", text)
                state = self.state()
                self.assertEqual((state["state"], state["result"], state["termination"]), ("active", "*", None))
                clock = state["white"]["clock"]
                running = clock["running"]
                self.assertEqual(running["days"] if rules == "iecc" else running, days)
                row = state["ledger"][-1]
                self.assertEqual((row["ply"], row["by"], row["received"], row["sent"], row["article"]),
                                 (3, "white", ended, told, "ruling"))
                self.assertEqual((row.get("days", row.get("hours")), row["penalty"], row["outage"]), (0, 0, False))
                self.assertIn("the game had ended, which a ruling has put aside", self.place.control("game", GAME))
                log = self.place.control("log", GAME)
                self.assertIn("resume (It was another game.)", log)
                self.assertIn("the end is put aside", log)
                # An answer to the ruling is a move; what was used before the end is charged with it.
                self.now += DAY
                self.answer(club.find(self.mails, "ruling", ANNA)[0], "2. Nf3")
                self.assertEqual(self.state()["ply"], 3)
                charge = self.state()["ledger"][-1]
                self.assertIn(charge.get("days", charge.get("hours")), (days + 1, days + 24))

    def test_the_notice_is_long_on_its_way(self):
        self.open()
        self.rule("annul")
        self.now += 5 * DAY
        self.place.control("rule", GAME, "resume", "--now", rfc3339(self.now))
        self.now += 3 * DAY
        self.place.once(self.now)
        self.now += DAY
        self.assertEqual(self.state()["white"]["clock"]["running"]["days"], 1)
        deadline = instant(self.state()["deadline"])
        self.assertEqual(club.find(self.place.once(deadline - SECOND), "overstep"), [])
        self.now = deadline
        self.assertEqual(len(club.find(self.place.once(deadline), "overstep")), 4)
        # Put aside once more, with the overstep that ended it: the windows begin anew.
        self.rule("uphold")
        self.assertEqual(self.state()["termination"], "time")
        self.rule("resume", "--days", "3")
        self.assertEqual(self.state()["white"]["clock"]["running"]["days"], 3)
        self.now = instant(self.state()["deadline"])
        self.assertEqual(len(club.find(self.place.once(self.now), "overstep")), 4)

    def test_ends_of_players(self):
        self.open()
        self.play("1. e4", "1... e5")
        self.answer(self.on_move, "resign")
        self.assertEqual(self.state()["termination"], "resignation")
        self.rule("resume")
        self.assertEqual(self.state()["state"], "active")
        self.play("2. Nf3")
        self.answer(self.on_move, "2... Nc6 draw")
        mail, = club.find(self.mails, "move")
        self.answer(mail, "accept")
        self.assertEqual(self.state()["termination"], "agreement")
        self.rule("resume")
        self.assertEqual((self.state()["state"], self.state()["draw_offer"]), ("active", None))

    def test_mate_stands_on_the_board(self):
        self.open()
        self.play("1. f3", "1... e5", "2. g4", "2... Qh4")
        self.assertEqual(self.state()["termination"], "checkmate")
        self.assertIn("the position on the board has ended the game", self.rule("resume", code=1))
        self.assertIn("there is nothing to rule on", self.rule("rollback", "4", code=1))
        copy, = club.find(self.place.all_mails(), "result", club.DIRECTOR)
        self.answer(copy, "resume")
        self.assertEqual((self.mails[0].kind, self.last()["verdict"]), ("refusal", "command-error"))
        self.assertIn("Take moves back first", " ".join(self.mails[0].text.split()))
        self.answer(copy, "rollback 3")
        state = self.state()
        self.assertEqual((state["state"], state["ply"], state["to_move"], state["termination"]),
                         ("active", 3, "black", None))
        self.assertIn("it is open again", self.words("ruling", BRUNO))
        self.answer(club.find(self.mails, "ruling", BRUNO)[0], "2... Nc6")
        self.assertEqual(self.state()["ply"], 4)

    def test_a_withdrawal_waits_again(self):
        self.open()
        self.answer(self.on_move, "withdraw")
        self.rule("uphold")
        self.assertEqual(self.state()["result"], "0-1")
        self.rule("resume")
        self.assertEqual((self.state()["state"], self.state()["awaiting"]), ("suspended", "withdrawal"))
        self.assertIn("The game is suspended.", self.words("ruling", BRUNO))
        self.rule("reject")
        self.assertEqual(self.state()["state"], "active")

    def test_what_was_held_is_heard(self):
        self.open()
        self.overstep()
        self.answer(self.on_move, "1. e4")
        self.assertEqual(self.last()["verdict"], "held")
        self.rule("uphold")
        self.assertEqual(self.state()["ply"], 0)
        self.rule("resume")
        self.assertEqual((self.state()["state"], self.state()["ply"]), ("active", 1))

    def test_a_game_that_had_not_begun(self):
        for late in (False, True):
            with self.subTest(late=late):
                self.place = self.club(f"start-{late}")
                self.place.import_text(club.tournament_text([("anna", "bruno")], start=rfc3339(START)))
                self.now = START - 2 * DAY
                self.place.once(self.now)
                self.rule("annul")
                self.now = START + DAY if late else START - DAY
                self.assertEqual(club.find(self.place.once(self.now), "pairing"), [])
                self.rule("resume")
                if not late:
                    self.assertEqual(self.state()["state"], "scheduled")
                    self.assertIn("The game has not begun.", self.words("ruling", ANNA))
                    self.now = START
                    self.mails = self.place.once(self.now)
                self.assertEqual(len(club.find(self.mails, "pairing")), 2)
                self.assertEqual(self.state()["state"], "active")
                self.assertIsNotNone(self.state()["deadline"])

    def test_a_late_sender_who_is_not_on_the_move(self):
        """IECC 7.8: the day for an illegal conditional oversteps together with the move."""
        self.open("iecc\nwindow-days = 5")
        self.now += 5 * DAY
        self.answer(self.on_move, "1. e4\nif 1... e5 then 2. Ke3")
        state = self.state()
        self.assertEqual((state["state"], state["ply"], state["to_move"]), ("suspended", 1, "black"))
        self.rule("uphold")
        self.assertEqual((self.state()["result"], self.state()["termination"]), ("0-1", "time"))


class ObstacleTest(arbiter.ArbiterTest):
    def setUp(self):
        super().setUp()
        self.now = arbiter.START

    def begin(self, pairs, stage="league", **more):
        self.place.import_text(arbiter.mclink_text(pairs, stage=stage, players=club.PLAYERS, **more))
        self.place.once(self.now)

    def rule(self, game, *ruling, code=0):
        self.now += HOUR
        answer = self.control(self.now, "rule", game, *ruling, code=code)
        self.mails = self.place.once(self.now)
        return answer

    def test_its_code_is_another_game_s(self):
        self.begin([("anna", "bruno")])
        self.rule("ML-1/1", "result", "1-0")
        self.begin([("carla", "dmitri")], code="ML-2")
        self.assertIn("another unfinished game has its code by now", self.rule("ML-1/1", "resume", code=1))
        self.rule("ML-2/1", "draw")
        self.rule("ML-1/1", "resume")
        self.assertEqual(self.place.game(1, "ML-1")["state"], "active")
        self.assertIn("another unfinished game has its code by now", self.rule("ML-2/1", "resume", code=1))

    def test_a_code_that_no_subject_needs(self):
        """Under other rules than MC-link's it gives way, as in an import."""
        for code in ("KO-1", "KO-2"):
            self.place.import_text(club.tournament_text([("anna", "bruno")], code=code,
                                                        start=rfc3339(self.now)))
            self.place.once(self.now)
            if code == "KO-1":
                self.rule("KO-1/1", "result", "1-0")
        self.rule("KO-1/1", "resume")
        self.assertEqual([self.place.game(1, code)["state"] for code in ("KO-1", "KO-2")], ["active"] * 2)

    def test_a_time_out_whose_code_is_taken(self):
        self.begin([("anna", "bruno")])
        self.now += timedelta(days=30)
        self.place.once(self.now)
        self.assertEqual(self.place.game(1, "ML-1")["termination"], "time")
        self.begin([("carla", "dmitri")], code="ML-2")
        self.assertIn("another unfinished game has its code by now", self.rule("ML-1/1", "reject", code=1))

    def test_a_game_has_followed(self):
        self.begin([("anna", "bruno"), ("carla", "dmitri")], stage="final")
        self.rule("ML-1/1", "draw")
        games = [game["id"] for game in self.place.json("games")]
        self.assertEqual(len(games), 3)
        self.assertIn("another game, or a lot, has followed", self.rule("ML-1/1", "resume", code=1))
        # Of the game that has followed itself nothing has.
        self.rule("ML-1/3", "result", "1-0")
        self.rule("ML-1/3", "resume")
        self.assertEqual(self.place.game(3, "ML-1")["state"], "active")
        # Nor of a game of others.
        self.rule("ML-1/2", "result", "1-0")
        self.rule("ML-1/2", "resume")

    def test_a_lot_has_been_drawn(self):
        self.begin([("anna", "bruno")], stage="knockout")
        self.rule("ML-1/1", "draw")
        self.rule("ML-1/1", "resume")
        self.rule("ML-1/1", "draw")
        self.now += HOUR
        self.control(self.now, "lotto", "ML-1/1", "--drawn", "5")
        self.assertIn("another game, or a lot, has followed", self.rule("ML-1/1", "resume", code=1))

    def test_hours_are_not_charged_in_days(self):
        self.begin([("anna", "bruno")])
        self.rule("ML-1/1", "result", "1-0")
        self.assertIn("the rules of this event do not know it",
                      self.rule("ML-1/1", "resume", "--days", "2", code=1))

    def test_a_withdrawal_bars_for_ninety_days(self):
        """MC-link 11.5: from other events, until its game is open again."""
        self.begin([("anna", "bruno"), ("carla", "dmitri")])
        self.control(self.now, "withdraw", "anna")
        self.assertEqual(self.place.game(1, "ML-1")["termination"], "forfeit")
        barred = arbiter.mclink_text([("bruno", "carla"), ("anna", "emi")], code="ML-2", players=club.PLAYERS,
                                     start="2026-08-29T21:59:59Z").replace("[game", "[game ")
        barred = barred.replace("[game  1]", "[game 1]\ncode = bc01").replace("[game  2]", "[game 2]\ncode = ae01")
        path = self.place.top / "ML-2.ini"
        path.write_text(barred, encoding="utf-8")
        done = self.place.run(club.CONTROL, "--config", self.place.config, "import", path)
        line = barred[:barred.index("[game 2]")].count("\n") + 1
        self.assertEqual((done.returncode, done.stderr.strip()), (
            1, f"{path}:{line}: who has withdrawn enters no event that begins before 2026-08-30 (MC-link 11.5): anna"))
        # Other rules, her own event again, and the ninetieth day.
        self.place.import_text(club.tournament_text([("anna", "emi")], code="KO", start="2026-07-01").replace(
            "[game 1]", "[game 1]\ncode = ko01"))
        self.place.import_text(arbiter.mclink_text([("anna", "bruno"), ("carla", "dmitri"), ("anna", "emi")],
                                                   players=club.PLAYERS).replace("[game 3]", "[game 3]\ncode = ae03"))
        self.place.import_text(barred.replace("2026-08-29T21:59:59Z", "2026-08-29T22:00:00Z").replace("ML-2", "ML-3"))
        self.rule("ML-1/1", "resume")
        self.place.import_text(barred.replace("bc01", "bc02").replace("ae01", "ae02"))

    def test_games_are_counted_again(self):
        """MC-link 7.5': a game that is open again gives hours in the others."""
        self.begin([("anna", "bruno"), ("anna", "carla")],
                   extra="public = area@club.example\nincrements = 2:48")

        def counted():
            return [line for line in self.place.control("log", "ML-1/2").split("\n")
                    if "unfinished games of white" in line.lower() or "unfinished games of" in line]

        before = len(counted())
        self.rule("ML-1/1", "result", "1-0")
        self.assertEqual(len(counted()), before + 1)
        self.rule("ML-1/1", "resume")
        self.assertEqual(len(counted()), before + 2)
        self.assertTrue(counted()[-1].endswith(": 2"), counted()[-1])
        area = club.find(self.mails, "ruling", arbiter.AREA)
        self.assertEqual(len(area), 1)


if __name__ == "__main__":
    unittest.main()
