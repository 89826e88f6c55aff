"""Killed at every commit of a pass, and started again: nothing is lost, nothing is doubled."""
import shutil
import signal
import unittest
from datetime import timedelta

import club
import mailers
from club import address_of, instant, rfc3339

START = instant("2026-01-10T09:00:00+02:00")
FOOLS_MATE = ["f3", "e5", "g4", "Qh4#"]


class CrashTest(club.ClubTest):
    def prepare(self):
        """A club before a pass with much to do: pairings, moves, faults, the end of a game."""
        place = self.club("start")
        place.import_text(club.tournament_text([("anna", "bruno"), ("carla", "dmitri"), ("emi", "finn")]))
        now = START + timedelta(minutes=1)
        mails = place.once(now)
        # Game 1 up to the move before the mate.
        players = ("anna", "bruno")
        mail, = club.find(mails, "pairing", address_of("anna"), "KO-50.2/1")
        for ply, san in enumerate(FOOLS_MATE[:3]):
            sender = address_of(players[ply % 2])
            now += timedelta(hours=5)
            place.drop(mailers.letter(mail, sender, now, san, serial=ply), now)
            mails = place.once(now)
            mail, = club.find(mails, "move", game="KO-50.2/1")
        # A second tournament whose pairings are due, and messages for all games.
        place.import_text(club.tournament_text([("gita", "hugo")], code="KO-51"), "second.ini")
        now += timedelta(hours=1)
        everything = place.all_mails()
        place.drop(mailers.letter(mail, address_of("bruno"), now, "Qh4", serial=10), now)
        second, = club.find(everything, "pairing", address_of("carla"))
        place.drop(mailers.letter(second, address_of("carla"), now, "1. Ke2", serial=11), now)
        place.drop(mailers.letter(second, address_of("carla"), now, "1. d4", serial=12),
                   now + timedelta(minutes=1))
        third, = club.find(everything, "pairing", address_of("emi"))
        place.drop(mailers.letter(third, "stranger@elsewhere.example", now, "1. e4", quote=False,
                                  serial=13, To=club.ADDRESS, Delivered_To=club.ADDRESS,
                                  In_Reply_To=None, References=None, Subject="chess"), now)
        place.drop(mailers.letter(third, address_of("emi"), now, "Hello, how are you?", serial=14), now)
        return place, now + timedelta(minutes=5)

    def outcome(self, place, now):
        """All that must not depend on crashes."""
        games = place.json("games")
        state = [place.json("game", game["id"], "--now", rfc3339(now)) for game in games]
        mails = sorted(mail.identity for mail in place.all_mails())
        verdicts = sorted(message["verdict"] or "" for message in place.messages())
        waiting = sorted(path.name for path in (place.top / "in/new").iterdir())
        return {"games": state, "mails": mails, "verdicts": verdicts, "in": waiting,
                "outbox": place.json("outbox")}

    def kill_everywhere(self, variable):
        start, now = self.prepare()
        whole = start.copy_to(self.folder / "whole")
        whole.once(now)
        wanted = self.outcome(whole, now)
        self.assertEqual(len(wanted["mails"]), len(set(wanted["mails"])))
        self.assertEqual(wanted["in"], [])
        self.assertEqual(wanted["games"][0]["termination"], "checkmate")

        kills = 0
        for count in range(1, 1000):
            place = start.copy_to(self.folder / f"{count}")
            done = place.run(club.DAEMON, "--config", place.config, "--once", "--now", rfc3339(now),
                             env={variable: str(count)})
            if done.returncode == 0:
                break
            self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
            kills += 1
            place.once(now)
            self.assertEqual(self.outcome(place, now), wanted, f"{variable}={count}")
            shutil.rmtree(place.top)
        else:
            self.fail("the pass never ran to its end")
        # Intake, decisions and deliveries commit each on their own.
        self.assertGreaterEqual(kills, 3)

    def test_after_each_commit(self):
        self.kill_everywhere("ZUGPOST_TEST_KILL_AT_COMMIT")

    def test_before_each_commit(self):
        self.kill_everywhere("ZUGPOST_TEST_KILL_BEFORE_COMMIT")

    def test_import_is_whole_or_not_at_all(self):
        text = club.tournament_text([("anna", "bruno"), ("carla", "dmitri")])
        for variable in ("ZUGPOST_TEST_KILL_BEFORE_COMMIT", "ZUGPOST_TEST_KILL_AT_COMMIT"):
            for count in range(1, 100):
                place = self.club(f"{variable}-{count}")
                path = place.top / "tournament.ini"
                path.write_text(text, encoding="utf-8")
                done = place.run(club.CONTROL, "--config", place.config, "import", path,
                                 env={variable: str(count)})
                if done.returncode == 0:
                    break
                self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
                self.assertIn(len(place.json("games")), (0, 2))
                place.control("import", path)
                self.assertEqual(len(place.json("games")), 2)
            self.assertGreater(count, 1, "the import never committed")


if __name__ == "__main__":
    unittest.main()
