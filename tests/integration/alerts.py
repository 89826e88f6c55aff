"""What the administrator is told by mail, and what a monitoring system reads.

Each alert is brought about through the programs; nothing sets the machine's clock.
"""
import re
import time
import unittest
from datetime import datetime, timedelta, timezone

import club
import mailers
from club import address_of, find, rfc3339, tournament_text
from loop import LIMIT, Daemon

ADMIN = "postmaster@club.example"
START = datetime(2026, 1, 10, 7, 0, 0, tzinfo=timezone.utc)
# A header that no mail program writes.
UNREADABLE = (b"From: anna@players.example\nTo: moves@club.example\nSubject: move\nMessage-ID: "
              b"<%d@players.example>\nX-Long: " + b"x" * (70 << 10) + b"\n\n1. e4\n")


def await_true(true, what):
    """Awaits what only the daemon's files tell."""
    end = time.monotonic() + LIMIT
    while not (value := true()):
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come about")
        time.sleep(0.02)
    return value


class AlertsTest(club.ClubTest):
    def setUp(self):
        super().setUp()
        self.place = self.club()
        self.place.import_text(tournament_text([("anna", "bruno")]))

    def configure(self, section, *lines):
        text = self.place.config.read_text(encoding="utf-8")
        self.place.config.write_text(text.replace(f"[{section}]\n", f"[{section}]\n" + "\n".join(lines) + "\n"),
                                     encoding="utf-8")

    def daemon(self, **env):
        daemon = Daemon(self.place, env)
        self.addCleanup(daemon.kill)
        daemon.notified("READY=1")
        return daemon

    def alerts(self):
        return find(self.place.all_mails(), "admin", ADMIN)

    def await_alert(self, words):
        """An alert whose subject and text hold these words."""
        def there():
            return [mail for mail in self.alerts() if words in f"{mail.subject}\n{mail.text}".replace("\n", " ")]
        return await_true(there, f"an alert with '{words}'")[-1]

    # ---- By passes ----

    def test_unreadable_message(self):
        """It is set aside and told of, and the tenth one of a day is not."""
        self.configure("limits", "alerts-per-day = 3")
        self.place.once(START)
        for number in range(10):
            self.place.drop(UNREADABLE % number, START + timedelta(seconds=number))
        mails = self.place.once(START + timedelta(minutes=1))
        rows = self.place.messages()
        aside = [row for row in rows if row["verdict"] == "unparsable-mail"]
        self.assertEqual(len(aside), 10)
        told = find(mails, "admin", ADMIN)
        self.assertEqual(len(told), 3)
        numbers = {int(re.search(r"\(no\. (\d+)\)", mail.text)[1]) for mail in told}
        self.assertEqual(len(numbers), 3)
        self.assertLessEqual(numbers, {row["id"] for row in aside})
        self.place.drop(UNREADABLE % 10, START + timedelta(days=1))
        self.assertEqual(len(find(self.place.once(START + timedelta(days=1, minutes=1)), "admin")), 1)

    def test_nobody_to_tell(self):
        text = self.place.config.read_text(encoding="utf-8")
        self.place.config.write_text(text.replace(f"admin = {ADMIN}\n", ""), encoding="utf-8")
        self.place.drop(UNREADABLE % 0, START)
        self.assertEqual(find(self.place.once(START + timedelta(minutes=1)), "admin"), [])

    def test_mailbox_out_of_reach(self):
        """Told of once when it has lasted, and once when it is over, whatever the number of passes."""
        self.configure("limits", "alert-after = 2h")
        self.place.once(START)
        (self.place.top / "in").rename(self.place.top / "away")
        passes = [self.place.once(START + timedelta(hours=hour), code=75) for hour in (1, 2, 3, 4, 9)]
        told = [find(mails, "admin", ADMIN) for mails in passes]
        self.assertEqual([len(mails) for mails in told], [0, 0, 1, 0, 0])
        words = told[2][0].text.replace("\n", " ")
        self.assertIn('mailbox "moves" cannot be reached since', words)
        self.assertIn("No such file or directory", words)
        (self.place.top / "away").rename(self.place.top / "in")
        back = find(self.place.once(START + timedelta(hours=10)), "admin", ADMIN)
        self.assertEqual([mail.subject for mail in back], ["Demo Chess Club: a mailbox is reached again"])
        self.assertEqual(find(self.place.once(START + timedelta(hours=11)), "admin"), [])

    def test_short_outage(self):
        self.place.once(START)
        (self.place.top / "in").rename(self.place.top / "away")
        self.place.once(START + timedelta(minutes=10), code=75)
        (self.place.top / "away").rename(self.place.top / "in")
        self.assertEqual(find(self.place.once(START + timedelta(hours=1)), "admin"), [])

    def test_delivery_out_of_reach(self):
        """The mails about it wait with all the others, and are the story of it in the end."""
        self.configure("limits", "alert-after = 1h")
        self.place.once(START)
        target = self.place.top / "out"
        target.rename(self.place.top / "away")
        self.place.control("announce", "KO-50.2", "A round of mails.", "--now", rfc3339(START))
        for hour in (0, 1, 2, 3):
            done = self.place.run(club.DAEMON, "--config", self.place.config, "--once", "--now",
                                  rfc3339(START + timedelta(hours=hour)))
            self.assertEqual(done.returncode, 75, done.stderr)
        (self.place.top / "away").rename(target)
        self.place.once(START + timedelta(hours=4))
        told = [mail.subject for mail in find(self.place.all_mails() +
                                              self.place.once(START + timedelta(hours=5)), "admin", ADMIN)]
        self.assertEqual(sorted(set(told)), ["Demo Chess Club: mail cannot be delivered",
                                             "Demo Chess Club: mail is delivered again"])

    def test_disk_nearly_full(self):
        """Once a day, while it lasts."""
        self.configure("store", "free-space = 1000000000M")
        hours = [find(self.place.once(START + timedelta(hours=hour)), "admin", ADMIN) for hour in (0, 1, 2, 25)]
        self.assertEqual([len(mails) for mails in hours], [1, 0, 0, 1])
        self.assertRegex(hours[0][0].text, r"\d+ MB are free where the store is")

    # ---- What follows from messages ----

    def begin(self):
        """The first pass; Anna's pairing."""
        self.now, self.serial = START, 0
        return find(self.place.once(START), "pairing", address_of("anna"))[0]

    def hear(self, raw, after=timedelta(minutes=1)):
        """What a message causes that arrives then."""
        self.now += after
        self.place.drop(raw, self.now)
        self.now += timedelta(seconds=1)
        return self.place.once(self.now)

    def say(self, mail, text, sender=None, **options):
        self.serial += 1
        fields = {name: value for name, value in options.items() if name != "after"}
        raw = mailers.letter(mail, sender or mail.to, self.now, text, serial=self.serial, quote=False, **fields)
        return self.hear(raw, **{name: value for name, value in options.items() if name == "after"})

    def test_answers_of_the_day(self):
        """The refusal that is one too many is told of: whatever refuses, once for an address, and no
        more than the administrator wants in a day."""
        self.configure("limits", "alerts-per-day = 2")
        text = self.place.config.read_text(encoding="utf-8")
        self.place.config.write_text(text.replace("answers-per-day = 20", "answers-per-day = 3"), encoding="utf-8")
        self.place.import_text(tournament_text([("anna", "bruno"), ("carla", "anna"), ("dmitri", "emi")]))
        pairing = self.begin()
        plain = {"To": club.ADDRESS, "Delivered-To": club.ADDRESS, "In-Reply-To": None, "References": None,
                 "Subject": "chess"}
        pairings = {mail.to: mail for mail in find(self.place.all_mails(), "pairing")}
        cases = {"anna": lambda i: self.say(pairing, f"language no{i}"),
                 "carla": lambda i: self.say(pairings[address_of("carla")], f"1. e5 {i}"),
                 "dmitri": lambda i: self.say(pairing, f"leave 2026-05-0{i} 2026-06-01", address_of("dmitri"), **plain)}
        for ident, say in cases.items():
            with self.subTest(ident):
                answers = [say(i) for i in range(1, 7)]
                self.assertEqual([len(find(mails, "refusal", address_of(ident))) for mails in answers],
                                 [1, 1, 1, 0, 0, 0])
                told = [len(find(mails, "admin", ADMIN)) for mails in answers]
                self.assertEqual(told, [0, 0, 0, ident != "dmitri", 0, 0])
        # The number of the message is that of the first one without an answer.
        number = int(re.search(r"no\. (\d+)", self.alerts()[0].text)[1])
        self.assertEqual([row["verdict"] for row in self.place.messages() if row["id"] == number], ["command-error"])
        self.say(pairings[address_of("dmitri")], "Hello", after=timedelta(days=1))
        for i in range(1, 5):
            cases["dmitri"](i)
        self.assertEqual(len(self.alerts()), 3)

    def test_an_accepted_move_is_copied_all_the_same(self):
        """Who has had his answers of the day may play on, and the arbiter sees it."""
        text = self.place.config.read_text(encoding="utf-8")
        self.place.config.write_text(text.replace("answers-per-day = 20", "answers-per-day = 1"), encoding="utf-8")
        pairing = self.begin()
        for i in range(3):
            self.say(pairing, f"Hello {i}")
        self.assertEqual(sorted(mail.kind for mail in self.say(pairing, "1. e4")), ["copy", "move", "receipt"])

    def test_address(self):
        """IECC 4.1: a change is told; so is one that nobody has confirmed in time."""
        pairing = self.begin()
        new = "anna@elsewhere.example"
        self.assertEqual(find(self.say(pairing, f"address {new}"), "admin"), [])
        confirms = {mail.to: mail for mail in find(self.place.all_mails(), "confirm")}
        for mail in confirms.values():
            mails = self.say(mail, "yes")
        told, = find(mails, "admin", ADMIN)
        words = " ".join(told.text.split())
        self.assertIn("The address of Virtanen, Anna (anna) has changed (IECC 4.1).", words)
        self.assertIn(f"until now: {pairing.to} new: {new}", words)
        # Nothing waits for it any more.
        self.assertGreater(self.place.json("status")["next_deadline"], rfc3339(START + timedelta(hours=73)))
        asked = find(self.say(mails[0] if mails[0].to == new else find(mails, to=new)[0], f"address {pairing.to}"),
                     "confirm", new)[0]
        self.say(asked, "yes")
        self.now += timedelta(hours=71)
        self.assertEqual(find(self.place.once(self.now), "admin"), [])
        self.now += timedelta(hours=2)
        told, = find(self.place.once(self.now), "admin", ADMIN)
        self.assertIn("not both of them have confirmed it", " ".join(told.text.split()))
        self.assertEqual(self.place.json("player", "anna")["email"], [new])
        # Entered by somebody else it is a change like any other; a second address is none.
        self.place.control("player", "anna", "--email", f"{pairing.to}, {new}", "--now", rfc3339(self.now))
        self.assertEqual(len(find(self.place.once(self.now), "admin", ADMIN)), 1)
        self.place.control("player", "anna", "--email", pairing.to, "--now", rfc3339(self.now))
        self.assertEqual(find(self.place.once(self.now), "admin"), [])

    def test_a_player_out_of_reach(self):
        """IECC 3.8: what comes back is told, once a day for an address."""
        self.place.import_text(tournament_text([("anna", "bruno"), ("carla", "anna")]))
        self.begin()
        mine = find(self.place.all_mails(), "pairing", address_of("anna"))
        mails = self.hear(mailers.bounce(mine[0], self.now))
        told, = find(mails, "admin", ADMIN)
        self.assertEqual(told.subject, "Demo Chess Club: a player cannot be reached")
        for words in (mine[0].to, "no such user"):
            self.assertIn(words, told.text)
        self.assertEqual(find(self.hear(mailers.bounce(mine[1], self.now)), "admin"), [])
        self.assertEqual({row["verdict"] for row in self.place.messages()}, {"bounce"})

    # ---- By the daemon ----

    def test_clock_went_back(self):
        """The store has seen a later time than it is."""
        self.place.once(datetime.now(timezone.utc) + timedelta(hours=3))
        daemon = self.daemon()
        self.assertRegex(self.await_alert("went back or jumped").text, r"it was set back by 10[78]\d\d s")
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual(len(self.alerts()), 1)

    def test_worker_that_fails_again_and_again(self):
        """A reader that dies over three messages, twice over each."""
        self.configure("limits", "alerts-per-day = 1")
        daemon = self.daemon(ZUGPOST_TEST_READER_DIES="Kaboom 1234")
        begun = datetime.now(timezone.utc)
        for number in range(3):
            self.place.drop(b"From: anna@players.example\nTo: moves@club.example\nSubject: x\n"
                            b"Message-ID: <%d@players.example>\n\nKaboom 1234\n" % number, begun)
        words = self.await_alert('worker "reader" fails again and again').text.replace("\n", " ")
        self.assertIn("What was said:", words)
        self.await_alert("could not be read")
        self.assertEqual(daemon.stop(), 0)

    # ---- Metrics ----

    def read(self, path):
        """The metrics: name with labels but the club's -> number. Every line must be of the format, and
        name the club: the collector refuses what the files of two clubs have in common."""
        found = {}
        text = path.read_text(encoding="utf-8")
        for line in text.splitlines():
            if line.startswith("#"):
                self.assertRegex(line, r"^# (HELP zugpost_\w+ .+|TYPE zugpost_\w+ (gauge|counter))$")
                continue
            match = re.fullmatch(r'(zugpost_\w+)\{club="The \\"Demo\\" \\\\ Club"(?:,(\w+="\w[\w.]*"))?\}'
                                 r" (-?[0-9.e+]+)", line)
            self.assertTrue(match, line)
            name = f"{match[1]}{{{match[2]}}}" if match[2] else match[1]
            self.assertNotIn(name, found)
            found[name] = float(match[3])
        return found

    def test_metrics(self):
        path = self.place.top / "metrics" / "zugpost-demo.prom"
        path.parent.mkdir()
        self.configure("store", f"metrics = {path}")
        text = self.place.config.read_text(encoding="utf-8")
        self.place.config.write_text(text.replace("Demo Chess Club", 'The "Demo" \\ Club'), encoding="utf-8")
        daemon = self.daemon()
        await_true(lambda: path.exists() and self.read(path).get("zugpost_mails_delivered_total", 0) >= 2,
                   "the delivery of the pairings")
        self.place.drop(UNREADABLE % 0, datetime.now(timezone.utc))
        now = await_true(lambda: (found := self.read(path))["zugpost_messages_decided_total"] == 1 and
                         found["zugpost_alerts_total"] == 1 and found, "the message")
        self.assertEqual(path.stat().st_mode & 0o777, 0o644)
        wanted = {"zugpost_up": 1, "zugpost_messages_waiting": 0,
                  'zugpost_games{state="active"}': 1, 'zugpost_games{state="finished"}': 0,
                  'zugpost_mailbox_up{mailbox="moves"}': 1, "zugpost_delivery_up": 1, "zugpost_paused": 0}
        self.assertEqual({name: now.get(name) for name in wanted}, wanted)
        deadline = now["zugpost_next_deadline_timestamp_seconds"]
        self.assertEqual(rfc3339(datetime.fromtimestamp(deadline, timezone.utc)),
                         self.place.json("status")["next_deadline"])
        self.place.control("pause")
        await_true(lambda: self.read(path)["zugpost_paused"] == 1, "the pause")
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual(list(self.read(path).values()), [0, 1])
        self.assertEqual([entry.name for entry in path.parent.iterdir()], [path.name])

    def test_metrics_that_cannot_be_written(self):
        self.configure("store", f"metrics = {self.place.top}/nowhere/zugpost.prom")
        daemon = self.daemon()
        await_true(lambda: "metrics" in daemon.words(), "a word")
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual(daemon.words().count("metrics"), 1)


if __name__ == "__main__":
    unittest.main()
