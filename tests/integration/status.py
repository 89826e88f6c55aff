"""What an administrator sees who has been woken: `zugpostctl status` and the line of `systemctl
status` say what is wrong, since when, why, and who is waited for."""
import time
import unittest
from datetime import datetime, timedelta, timezone

import club
import mailers
from club import address_of, find, instant, rfc3339
from loop import LIMIT, Daemon

START = instant("2026-01-10T08:00:00Z")
HOUR = timedelta(hours=1)
UNPROVEN = {"To": club.ADDRESS, "Delivered-To": club.ADDRESS, "In-Reply-To": None, "References": None,
            "Subject": "[KO-50.2 #1]"}


class StatusTest(club.ClubTest):
    def begin(self, pairs=(("anna", "bruno"), ("carla", "dmitri"))):
        self.place = self.club()
        self.place.import_text(club.tournament_text(list(pairs), start=rfc3339(START)))
        self.now = START + HOUR
        self.mails = self.place.once(self.now)

    def status(self):
        """The same as JSON, and as a table: name -> what stands behind it."""
        words = ("status", "--now", rfc3339(self.now))
        lines = self.place.control(*words).splitlines()
        return self.place.json(*words), {line[:18].strip(): line[19:] for line in lines[1:]}

    def test_all_is_well(self):
        self.begin()
        told, shown = self.status()
        self.assertEqual((told["oldest_message"], told["oldest_mail"], told["last_backup"]), (None, None, None))
        self.assertEqual(told["confirmations"], {"waiting": 0, "first_ends": None})
        self.assertEqual(told["rulings"], {"games": 0, "leaves": 0})
        self.assertEqual([box["reason"] for box in told["mailboxes"]], [None])
        self.assertEqual(shown["last backup"], "not known")
        self.assertFalse({"oldest mail", "oldest message", "confirmations", "rulings", "work"} & set(shown), shown)

    def test_mails_that_wait(self):
        self.begin()
        target = self.place.top / "out"
        target.rename(self.place.top / "away")
        since = self.now
        pairing, = find(self.mails, "pairing", address_of("anna"))
        self.place.drop(mailers.letter(pairing, pairing.to, self.now, "1. e4"), self.now)
        self.now += HOUR
        self.place.once_fails = self.place.run(club.DAEMON, "--config", self.place.config, "--once", "--now",
                                               rfc3339(self.now))
        self.assertEqual(self.place.once_fails.returncode, 75)
        told, shown = self.status()
        self.assertEqual(told["waiting_mails"], 3)
        oldest = told["oldest_mail"]
        self.assertEqual((oldest["kind"], oldest["game"], oldest["created"]), ("move", "KO-50.2/1", rfc3339(self.now)))
        self.assertIn("No such file or directory", oldest["error"])
        self.assertRegex(shown["oldest mail"], rf"^no\. {oldest['id']} \(move, KO-50\.2/1\), of .*: .*No such file")
        self.assertTrue(shown["delivery"].startswith("OUT OF REACH since"), shown)
        self.assertGreater(rfc3339(self.now), rfc3339(since))
        (self.place.top / "away").rename(target)
        self.place.once(self.now)

    def test_who_is_waited_for(self):
        self.begin()
        self.place.drop(mailers.letter(find(self.mails, "pairing", address_of("anna"))[0], address_of("anna"),
                                       self.now, "1. e4", quote=False, **UNPROVEN), self.now)
        self.place.once(self.now)
        told, shown = self.status()
        self.assertEqual(told["confirmations"], {"waiting": 1, "first_ends": rfc3339(self.now + 72 * HOUR)})
        self.assertRegex(shown["confirmations"], r"^1 message waits for its sender's word, the first until 2026-01-13")
        # More leave than IECC 8.3 gives without the director's word.
        self.place.drop(mailers.letter(find(self.mails, "pairing", address_of("dmitri"))[0], address_of("dmitri"),
                                       self.now, "leave 2026-03-01 2026-06-01", quote=False), self.now)
        self.place.once(self.now)
        told, shown = self.status()
        self.assertEqual((told["rulings"], shown["rulings"]), ({"games": 0, "leaves": 1}, "1 leave waits for the arbiter"))
        # White oversteps in both games; in the first one the held move lapses before.
        self.now += timedelta(days=20)
        self.place.once(self.now)
        told, shown = self.status()
        self.assertEqual((told["rulings"], told["games"]["suspended"]), ({"games": 2, "leaves": 1}, 2))
        self.assertEqual(shown["rulings"], "2 games wait for the arbiter, 1 leave waits for him")

    def test_pause_and_backup(self):
        self.begin()
        self.place.control("pause", "--until", rfc3339(self.now + 5 * HOUR), "--now", rfc3339(self.now))
        self.place.control("backup", self.place.top / "copy.db", "--now", rfc3339(self.now))
        self.place.drop(mailers.letter(find(self.mails, "pairing", address_of("anna"))[0], address_of("anna"),
                                       self.now, "1. e4"), self.now)
        self.now += 2 * HOUR
        self.place.once(self.now)
        told, shown = self.status()
        self.assertEqual((told["paused"], told["paused_until"]), (True, rfc3339(self.now + 3 * HOUR)))
        self.assertEqual(told["last_backup"], rfc3339(self.now - 2 * HOUR))
        self.assertRegex(shown["last backup"], r"^2026-01-10 09:00 UTC, 2 hours ago$")
        self.assertEqual(told["oldest_message"]["arrival"], rfc3339(self.now - 2 * HOUR))
        self.assertRegex(shown["oldest message"], rf"^no\. {told['oldest_message']['id']}, of 2026-01-10 09:00 UTC$")
        self.place.control("resume", "--now", rfc3339(self.now))
        self.place.once(self.now)

    # ---- By the daemon ----

    def line(self, daemon, right):
        """The first STATUS= that is right."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            lines = daemon.notifications.get(timeout=LIMIT)
            for text in lines:
                if text.startswith("STATUS=") and right(text[7:]):
                    return text[7:]
        self.fail("no such line")

    def test_line_of_the_service(self):
        self.begin()
        daemon = Daemon(self.place)
        self.addCleanup(daemon.kill)
        self.line(daemon, lambda text: text.startswith("0 messages and "))
        (self.place.top / "in").rename(self.place.top / "away")
        until = datetime.now(timezone.utc).replace(microsecond=0) + 5 * HOUR
        self.place.control("pause", "--until", rfc3339(until))
        text = self.line(daemon, lambda text: "PAUSED" in text and "mailbox moves" in text)
        self.assertIn(until.strftime("PAUSED until %Y-%m-%d %H:%M UTC; "), text)
        self.assertRegex(text, r"mailbox moves OUT OF REACH since 20\d\d-\d\d-\d\d \d\d:\d\d UTC: .*No such file or directory; ")
        told = self.place.json("status")
        self.assertIn("No such file or directory", told["mailboxes"][0]["reason"])
        self.assertRegex(self.place.control("status"), r"(?m)^mailbox moves +OUT OF REACH since .*: .*No such file")
        (self.place.top / "away").rename(self.place.top / "in")
        self.place.control("resume")
        # What is wrong no longer is not said.
        self.line(daemon, lambda text: text.split(" ")[1:3] == ["messages", "and"])
        self.assertEqual(self.place.json("status")["mailboxes"][0]["reason"], None)
        self.assertEqual(daemon.stop(), 0)


if __name__ == "__main__":
    unittest.main()
