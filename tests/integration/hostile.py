"""What strangers, robots, broken programs and bad days do to a club: nothing is played that its
player did not send, nothing secret gets out, nothing is lost."""
import os
import re
import signal
import sqlite3
import time
import unittest
from collections import Counter
from datetime import datetime, timedelta, timezone
from pathlib import Path

import club
import loop
import mailers
from club import address_of, instant, rfc3339

START = instant("2026-01-10T09:00:00+02:00")
ANNA, BRUNO = address_of("anna"), address_of("bruno")
STRANGER = "somebody@elsewhere.example"
ONE, TWO = "KO-50.2/1", "KO-50.2/2"


class HostileTest(club.ClubTest):
    def begin(self, pairs=(("anna", "bruno"), ("anna", "carla"))):
        self.place = self.club()
        self.place.import_text(club.tournament_text(pairs))
        self.now = START + timedelta(minutes=5)
        self.pairing = {(mail.to, mail.game): mail
                        for mail in club.find(self.place.once(self.now), "pairing")}
        self.serial = 0

    def say(self, text, mail=None, sender=ANNA, after=timedelta(minutes=10), **fields):
        """A message to game 1, or an answer to MAIL; its verdict."""
        self.serial += 1
        known = {message["id"] for message in self.place.messages()}
        self.now += after
        raw = mailers.letter(mail or self.pairing[ANNA, ONE], sender, self.now, text, False,
                             self.serial, **fields)
        self.place.drop(raw, self.now)
        self.mails = self.place.once(self.now)
        message, = [one for one in self.place.messages() if one["id"] not in known]
        return message["verdict"]

    def plain(self, subject="[KO-50.2 #1]", **fields):
        """Headers of a mail that answers nothing and holds no token."""
        return {"To": club.ADDRESS, "Delivered_To": club.ADDRESS, "In_Reply_To": None,
                "References": None, "Subject": subject, **fields}

    def kinds(self):
        return sorted((mail.kind, mail.to) for mail in self.mails)

    def state(self):
        return self.place.json("game", ONE, "--now", rfc3339(self.now))


class SenderTest(HostileTest):
    def test_token_counts_only_as_a_recipient(self):
        self.begin()
        own = self.pairing[ANNA, ONE].reply_address
        token = own.split("+")[1].split("@")[0]
        for name, fields in (
                ("subject", self.plain(f"Re: {own}")),
                ("references", self.plain("chess", References=f"<{own}>")),
                ("display name", self.plain("chess", Cc=f'"{own}" <list@elsewhere.example>')),
                ("cut short", self.plain("chess", Cc=own.replace(token, token[:-1]))),
                ("another domain", self.plain("chess", Cc=own + ".elsewhere.example")),
                ("another mailbox", self.plain("chess", Cc="x" + own))):
            with self.subTest(name):
                fields = {"In_Reply_To": None, "References": None, **fields}
                self.assertEqual(self.say("1. e4", sender=STRANGER, **fields), "unknown-sender")
                self.assertEqual(self.mails, [])
        self.assertEqual(self.say("1. e4", **self.plain(To=own.upper(), Delivered_To=None)), "accepted")

    def test_tokens_of_two_games(self):
        self.begin()
        one, two = (self.pairing[ANNA, game].reply_address for game in (ONE, TWO))
        for first, second in ((one, two), (two, one)):
            self.assertEqual(self.say("1. e4", **self.plain("chess", To=f"{first}, {second}")),
                             "ambiguous-game")
        self.assertEqual([self.place.game(number)["ply"] for number in (1, 2)], [0, 0])

    def test_spellings_of_an_address(self):
        """They are the same player, the answer goes to the address that is registered."""
        self.begin()
        for spelled in ('"anna"@players.example', "ANNA@Players.EXAMPLE", "anna@players.example."):
            with self.subTest(spelled):
                self.assertEqual(self.say(f"Hello! {self.serial}", From=f"Anna <{spelled}>"), "no-move")
                self.assertEqual(self.kinds(), [("refusal", ANNA)])

    def test_answers_are_capped_over_all_spellings(self):
        self.begin()
        kinds = Counter()
        for i in range(24):
            spelled = "".join(c.upper() if i >> k & 1 else c for k, c in enumerate("anna"))
            self.say("Hello!" * (i + 1), From=f"{spelled}@players.example", after=timedelta(minutes=1))
            kinds.update(mail.kind for mail in self.mails)
        # The arbiter is told once, and so is the administrator.
        self.assertEqual(kinds, {"refusal": 20, "copy": 1, "admin": 1})

    def test_confirmations_are_capped(self):
        self.begin()
        kinds = Counter()
        for i in range(24):
            self.say("1. e4\n\n" + "Hello!" * (i + 1), **self.plain(), after=timedelta(minutes=1))
            kinds.update(mail.kind for mail in self.mails)
        self.assertEqual(kinds, {"confirm": 20, "copy": 1, "admin": 1})

    def test_message_id_of_somebody_else(self):
        """A known Message-ID and the same words do not take a player's message away."""
        self.begin()
        fields = {"Message_ID": "<known@players.example>"}
        self.assertEqual(self.say("1. e4", sender=STRANGER, **self.plain(), **fields), "held")
        self.assertEqual(self.say("1. e4", **self.plain(), **fields), "held")
        self.assertEqual(self.say("1. e4", **fields), "accepted")
        self.assertEqual(self.say("1. e4", To=self.pairing[ANNA, ONE].reply_address, **fields),
                         "ignored-duplicate")

    def test_message_id_of_the_club_s_mail_server(self):
        """A player may have his mailbox where the club has its own."""
        self.begin()
        self.assertEqual(self.say("1. e4", Message_ID="<5f0e1c2a.7d4b.4b7c@club.example>"), "accepted")
        move, = club.find(self.mails, "move")
        echo = re.sub(rb"(?m)^Zugpost-.*\n", b"", move.raw).replace(b"moves@club", b"anna@players")
        self.place.drop(echo, self.now)
        self.place.once(self.now)
        self.assertEqual(self.place.messages()[-1]["verdict"], "ignored-loop")


class ConfirmTest(HostileTest):
    def hold(self):
        self.begin()
        self.assertEqual(self.say("1. e4", **self.plain()), "held")
        confirm, = self.mails
        return confirm

    def test_robots_do_not_confirm(self):
        confirm = self.hold()
        for fields in ({"Auto_Submitted": "auto-replied"}, {"Return_Path": "<>"},
                       {"Precedence": "bulk"}, {"Precedence": "junk"}, {"X_Autoreply": "yes"},
                       {"Subject": "Automatic reply: " + confirm.subject}):
            with self.subTest(fields):
                self.assertEqual(self.say("I am away until 1.2.", mail=confirm, **fields), "ignored-auto")
                self.assertEqual(self.mails, [])
        self.assertEqual(self.say("yes", mail=confirm), "command")
        self.assertEqual(self.state()["ply"], 1)

    def test_robots_get_no_answer(self):
        self.begin()
        subject = "Automatic reply: " + self.pairing[ANNA, ONE].subject
        for text in ("I am away until 1.2.", "1. Ke2"):
            self.assertEqual(self.say(text, Subject=subject), "ignored-auto")
            self.assertEqual(self.mails, [])
        self.assertEqual(self.state()["white"]["clock"]["running"]["penalty"], 0)

    def test_a_deadline_is_put_off_once(self):
        """Messages that nobody confirms do not hold the clock for ever."""
        self.begin()
        deadline = instant(self.state()["deadline"])
        self.now = deadline - timedelta(hours=1)
        self.assertEqual(self.say("1. e4", **self.plain()), "held")
        self.assertEqual(self.state()["state"], "active")
        self.now = deadline + timedelta(hours=60)
        self.assertEqual(self.say("1. e4", after=timedelta(), **self.plain()), "held")
        self.assertNotIn("confirm", [mail.kind for mail in self.mails])
        # Nor does a proven move that comes too late profit.
        self.assertEqual(self.say("1. d4"), "held")
        self.assertEqual(self.state()["ply"], 0)
        self.now = deadline + timedelta(hours=72)
        overstep = club.find(self.place.once(self.now), "overstep", BRUNO)
        self.assertEqual(len(overstep), 1)
        self.assertEqual(self.state()["state"], "suspended")

    def test_a_held_move_does_not_stop_the_opponent_s_clock(self):
        self.hold()
        self.assertIsNone(self.state()["deadline"])
        self.assertEqual(self.say("1. d4"), "accepted")
        state = self.state()
        self.assertIsNotNone(state["deadline"])
        self.assertEqual(state["held"], [])

    def test_lapsed(self):
        confirm = self.hold()
        self.now += timedelta(hours=73)
        self.place.once(self.now)
        self.assertEqual(self.state()["held"], [])
        self.assertEqual(self.say("yes", mail=confirm), "command-error")
        self.assertEqual(self.state()["ply"], 0)


class WordsTest(HostileTest):
    def test_tokens_and_addresses_stay_here(self):
        self.begin()
        own = self.pairing[ANNA, ONE].reply_address
        local, token = own.split("@")[0], own.split("+")[1].split("@")[0]
        self.say(f"1. e4\n\n{token} <{local}\n@club.example> moves%2B{token}%40club.example\n"
                 f"{token.upper()} anna@players.example\n\x1b[31m\u202ered\n" + "L" * 5000 + "\n"
                 + "\n".join(f"line {i}" for i in range(100)))
        for mail in club.find(self.mails, "move") + club.find(self.mails, "copy"):
            self.assertNotIn(token, mail.text.lower())
            self.assertNotIn(ANNA, mail.text)
            self.assertNotRegex(mail.text, "[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]")
            self.assertLessEqual(sum(line.startswith("|") for line in mail.text.split("\n")), 40)
            self.assertLess(max(map(len, mail.text.split("\n"))), 78)


class StoreTest(HostileTest):
    def test_nobody_else_can_read_it(self):
        self.begin()
        for path in (self.place.top / "store").iterdir():
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)

    def test_somebody_else_writes(self):
        """As when another process holds the store: tried again later, nothing is lost."""
        self.begin()
        self.now += timedelta(hours=1)
        self.place.drop(mailers.letter(self.pairing[ANNA, ONE], ANNA, self.now, "1. e4"), self.now)
        other = sqlite3.connect(self.place.top / "store/zugpost.db", isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN IMMEDIATE")
        done = self.place.run(club.DAEMON, "--config", self.place.config, "--once", "--now",
                              rfc3339(self.now))
        self.assertEqual(done.returncode, 75)
        self.assertNotEqual(done.stderr, "")
        other.execute("ROLLBACK")
        self.assertEqual(len(self.place.once(self.now)), 3)


class CrashTest(HostileTest):
    def test_killed_again_and_again(self):
        """Our own deaths are not blamed on the message that happens to be in hand."""
        self.begin()
        self.now += timedelta(hours=1)
        self.place.drop(mailers.letter(self.pairing[ANNA, ONE], ANNA, self.now, "1. e4"), self.now)
        for count in range(1, 8):
            for _ in range(3):
                done = self.place.run(
                    club.DAEMON, "--config", self.place.config, "--once", "--now", rfc3339(self.now),
                    env={"ZUGPOST_TEST_KILL_AT_COMMIT": str(count)})
                self.assertIn(done.returncode, (0, -signal.SIGKILL))
        self.place.once(self.now)
        self.assertEqual([message["verdict"] for message in self.place.messages()], ["accepted"])
        mails = [mail.id for mail in self.place.all_mails()]
        self.assertEqual(len(mails), len(set(mails)))


class TargetTest(HostileTest):
    def test_a_target_that_is_away_comes_back(self):
        self.begin()
        target, away = self.place.top / "out", self.place.top / "away"
        target.rename(away)
        self.now += timedelta(hours=1)
        self.place.drop(mailers.letter(self.pairing[ANNA, ONE], ANNA, self.now, "1. e4"), self.now)
        done = self.place.run(club.DAEMON, "--config", self.place.config, "--once", "--now",
                              rfc3339(self.now))
        self.assertEqual(done.returncode, 75)
        self.assertFalse(target.exists())
        away.rename(target)
        self.assertEqual(sorted(mail.kind for mail in self.place.once(self.now + timedelta(hours=1))),
                         ["copy", "move", "receipt"])

    def test_a_new_one_is_made(self):
        place = self.club()
        for folder in ("cur", "new", "tmp"):
            (place.top / "out" / folder).rmdir()
        (place.top / "out").rmdir()
        place.import_text(club.tournament_text([("anna", "bruno")]))
        self.assertEqual(len(place.once(START + timedelta(minutes=5))), 2)


class DaemonTest(club.ClubTest):
    def setUp(self):
        super().setUp()
        self.place = self.club()
        begun = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(hours=1)
        self.place.import_text(club.tournament_text([("anna", "bruno")], start=rfc3339(begun)))
        self.watch = club.Watch(self.place.top / "out/new")
        self.addCleanup(self.watch.close)
        self.daemon = loop.Daemon(self.place)
        self.addCleanup(self.daemon.kill)
        self.daemon.notified("READY=1")
        self.pairing, = club.find(self.mails(2), "pairing", ANNA)

    def mails(self, count):
        mails = self.place.new_mails()
        while len(mails) < count:
            self.watch.wait(loop.LIMIT)
            mails += self.place.new_mails()
        return mails

    def worker(self, kind):
        children = Path(f"/proc/{self.daemon.process.pid}/task/{self.daemon.process.pid}/children")
        for pid in map(int, children.read_text(encoding="ascii").split()):
            if kind.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
                return pid
        return None

    def test_a_new_worker_watches_the_mailbox(self):
        """Nothing waits for the next round of five minutes because a worker died in between."""
        descriptor = os.pidfd_open(self.worker("intake"))
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        os.close(descriptor)
        now = datetime.now(timezone.utc)
        self.place.drop(mailers.letter(self.pairing, ANNA, now, "1. e4"), now)
        self.assertEqual(sorted(mail.kind for mail in self.mails(3)), ["copy", "move", "receipt"])

    def test_a_message_read_again_is_answered_at_once(self):
        now = datetime.now(timezone.utc)
        self.place.drop(mailers.letter(self.pairing, ANNA, now, "Hello!"), now)
        self.mails(1)
        began = time.monotonic()
        self.place.control("message", 1, "--retry")
        again, = self.mails(1)
        self.assertEqual(again.kind, "refusal")
        self.assertLess(time.monotonic() - began, 30)


if __name__ == "__main__":
    unittest.main()
