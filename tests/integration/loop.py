"""The running daemon: it wakes by itself, answers zugpostctl, reloads, and ends cleanly.

Every wait is for an event (a notification, a file in the Maildir, the end of the process);
the limits are only for failures.
"""
import queue
import signal
import socket
import subprocess
import threading
import time
import unittest
from datetime import datetime, timedelta, timezone

import club
import mailers
from club import address_of, rfc3339

LIMIT = 60.0


class Daemon:
    """zugpostd with a NOTIFY_SOCKET, its standard error in a file."""

    def __init__(self, place, env=None):
        self.place = place
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        path = place.top / "notify"
        path.unlink(missing_ok=True)
        self.socket.bind(str(path))
        self.notifications = queue.Queue()
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()
        self.log = place.top / "log"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([club.DAEMON, "--config", place.config], stderr=log,
                                            stdin=subprocess.DEVNULL,
                                            env=place.environment({"NOTIFY_SOCKET": str(path), **(env or {})}))

    def listen(self):
        """Takes every notification at once, as systemd does: a full socket would stop the daemon."""
        with self.socket:
            while data := self.socket.recv(65536):
                self.notifications.put(data.decode().split("\n"))

    def notified(self, word):
        """Waits for a notification that has the line WORD; returns all its lines."""
        while True:
            try:
                lines = self.notifications.get(timeout=LIMIT)
            except queue.Empty:
                raise AssertionError(f"no {word}; the log says\n{self.words()}") from None
            if word in lines:
                return lines

    def words(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(LIMIT)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.listener.is_alive():
            self.socket.shutdown(socket.SHUT_RDWR)
            self.listener.join()


class LoopTest(club.ClubTest):
    def setUp(self):
        super().setUp()
        self.place = self.club()
        self.begun = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(hours=1)

    def daemon(self):
        daemon = Daemon(self.place)
        self.addCleanup(daemon.kill)
        daemon.notified("READY=1")
        return daemon

    def await_mails(self, watch, count):
        """The next COUNT mails, as soon as they are there."""
        mails = self.place.new_mails()
        end = time.monotonic() + LIMIT
        while len(mails) < count:
            watch.wait(end - time.monotonic())
            mails += self.place.new_mails()
        self.assertEqual(len(mails), count)
        return mails

    def watch(self):
        watch = club.Watch(self.place.top / "out/new")
        self.addCleanup(watch.close)
        return watch

    def tournament(self, pairs=(("anna", "bruno"),)):
        return club.tournament_text(pairs, start=rfc3339(self.begun))

    def test_a_move_goes_through_at_once(self):
        daemon, watch = self.daemon(), self.watch()
        self.place.import_text(self.tournament())
        mails = self.await_mails(watch, 2)
        mail, = club.find(mails, "pairing", address_of("anna"))
        for ply, san in enumerate(("1. e4", "e5", "2. Nf3")):
            now = datetime.now(timezone.utc)
            sender = address_of(("anna", "bruno")[ply % 2])
            began = time.monotonic()
            self.place.drop(mailers.letter(mail, sender, now, san, serial=ply), now)
            mails = self.await_mails(watch, 3)
            # Woken by the delivery, not by a clock of its own.
            self.assertLess(time.monotonic() - began, 10)
            self.assertEqual(sorted(one.kind for one in mails), ["copy", "move", "receipt"])
            mail, = club.find(mails, "move")
        game = self.place.game(1)
        self.assertEqual(game["san"], ["e4", "e5", "Nf3"])
        self.assertEqual(daemon.stop(), 0)
        daemon.notified("STOPPING=1")
        self.assertEqual(self.place.game(1), game)
        self.assertEqual(list((self.place.top / "in/new").iterdir()), [])

    def test_control_works_through_the_daemon(self):
        daemon, watch = self.daemon(), self.watch()
        self.assertEqual(self.place.json("games"), [])
        self.place.import_text(self.tournament((("anna", "bruno"), ("carla", "dmitri"))))
        self.await_mails(watch, 4)
        self.assertEqual([game["id"] for game in self.place.json("games")], ["KO-50.2/1", "KO-50.2/2"])
        self.assertIsInstance(self.place.json("status"), dict)
        self.assertEqual(self.place.json("messages"), [])
        # A faulty file is refused by the daemon as without it.
        done = self.place.run(club.CONTROL, "--config", self.place.config, "import",
                              self.place.config)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.place.config}:1:", done.stderr)
        self.assertEqual(daemon.stop(), 0)

    def test_one_daemon_a_store(self):
        daemon = self.daemon()
        other = self.place.run(club.DAEMON, "--config", self.place.config)
        self.assertNotEqual(other.returncode, 0)
        self.assertNotEqual(other.stderr, "")
        self.place.once(datetime.now(timezone.utc), code=75)
        self.assertIsNone(daemon.process.poll())
        self.assertEqual(daemon.stop(), 0)
        self.place.once(datetime.now(timezone.utc))

    def test_reload(self):
        self.place.import_text(self.tournament())
        watch = self.watch()
        daemon = self.daemon()
        pairing, = club.find(self.await_mails(watch, 2), "pairing", address_of("anna"))
        text = self.place.config.read_text(encoding="utf-8")
        self.place.config.write_text(text.replace("name = Demo Chess Club", "name = Renamed Club"),
                                     encoding="utf-8")
        daemon.process.send_signal(signal.SIGHUP)
        self.assertTrue(any(line.startswith("MONOTONIC_USEC=") for line in daemon.notified("RELOADING=1")))
        daemon.notified("READY=1")
        # A bad file is named in the log, the old configuration stays.
        self.place.config.write_text(text.replace("language = en", "language = xx"), encoding="utf-8")
        daemon.process.send_signal(signal.SIGHUP)
        daemon.notified("RELOADING=1")
        daemon.notified("READY=1")
        self.assertRegex(daemon.words(), rf"{self.place.config}:\d+: .*xx")
        self.place.config.write_text(text, encoding="utf-8")
        now = datetime.now(timezone.utc)
        self.place.drop(mailers.letter(pairing, address_of("anna"), now, "1. e4"), now)
        mails = self.await_mails(watch, 3)
        self.assertIn("Renamed Club", str(mails[0].message["From"]))
        self.assertEqual(daemon.stop(), 0)

    def test_killed_and_started_again(self):
        self.place.import_text(self.tournament())
        watch = self.watch()
        daemon = self.daemon()
        pairing, = club.find(self.await_mails(watch, 2), "pairing", address_of("anna"))
        daemon.kill()
        now = datetime.now(timezone.utc)
        self.place.drop(mailers.letter(pairing, address_of("anna"), now, "1. e4"), now)
        daemon = self.daemon()
        self.assertEqual(sorted(mail.kind for mail in self.await_mails(watch, 3)),
                         ["copy", "move", "receipt"])
        self.assertEqual(daemon.stop(), 0)

    def test_terminated_while_it_starts(self):
        daemon = Daemon(self.place)
        self.addCleanup(daemon.kill)
        # The signal may come before the program has begun to look for it.
        self.assertIn(daemon.stop(), (0, -signal.SIGTERM))


if __name__ == "__main__":
    unittest.main()
