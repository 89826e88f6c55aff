"""A mail over which the reader dies: it is set aside, its neighbours are read, the worker comes
back. The program dies on purpose; for what reason makes no difference to the one that started it."""
import unittest
from datetime import datetime, timedelta, timezone

import club
import hostile_imap
import imap_hostile
import loop
import mailers
from certificates import Certificates
from club import address_of, rfc3339

ANNA = address_of("anna")
POISON = "Oleum-Vitrioli"
DIES = {"ZUGPOST_TEST_READER_DIES": POISON}


class PoisonTest(club.ClubTest):
    def begin(self, start):
        place = self.club()
        place.import_text(club.tournament_text([("anna", "bruno"), ("anna", "carla"), ("anna", "dmitri")],
                                               start=rfc3339(start)))
        return place

    def fill(self, place, pairings, now):
        """Poison between the moves of two games; the third game's move is poisoned."""
        one, two, three = (next(mail for mail in pairings if mail.game == f"KO-50.2/{n}") for n in (1, 2, 3))
        place.drop(mailers.letter(one, ANNA, now, "1. e4", serial=1), now)
        self.poisoned = mailers.letter(three, ANNA, now, f"1. e4\n\n{POISON}", serial=2)
        place.drop(self.poisoned, now)
        place.drop(mailers.letter(two, ANNA, now, "1. d4", serial=3), now)

    def check(self, place, log):
        listed = {message["place"].split(".")[1]: message for message in place.messages()}
        self.assertEqual([listed[f"M{n:06}P1"]["verdict"] for n in (1, 2, 3)],
                         ["accepted", "unparsable-mail", "accepted"])
        self.assertEqual([place.game(n)["san"] for n in (1, 2, 3)], [["e4"], ["d4"], []])
        poisoned = listed["M000002P1"]["id"]
        self.assertNotEqual(place.json("message", poisoned)["notes"], [])
        self.assertEqual(place.control("message", poisoned, "--raw").encode(), self.poisoned)
        # Twice, and no third time.
        self.assertEqual(log.count(f"message {poisoned}: "), 2, log)
        self.assertEqual(place.json("messages", "--verdict", "unparsable-mail")[0]["id"], poisoned)
        return poisoned

    def test_in_one_pass(self):
        start = club.instant("2026-01-10T09:00:00Z")
        place, now = self.begin(start), start + timedelta(minutes=5)
        self.fill(place, club.find(place.once(now), "pairing", ANNA), now)
        now += timedelta(hours=1)
        done = place.run(club.DAEMON, "--config", place.config, "--once", "--now", rfc3339(now), env=DIES)
        self.assertEqual(done.returncode, 0, done.stderr)
        poisoned = self.check(place, done.stderr)
        self.assertEqual(sorted({mail.kind for mail in place.new_mails()}), ["admin", "copy", "move", "receipt"])
        # It has left the inbox with the others.
        self.assertEqual(list((place.top / "in/new").iterdir()), [])
        self.assertEqual(len(list((place.top / "in/cur").iterdir())), 3)
        # After the repair it can be read.
        place.control("message", poisoned, "--retry", "--now", rfc3339(now))
        place.once(now)
        self.assertEqual(place.game(3)["san"], ["e4"])

    def test_in_a_daemon(self):
        start = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(hours=1)
        place = self.begin(start)
        watch = club.Watch(place.top / "out/new")
        self.addCleanup(watch.close)
        left = club.Watch(place.top / "in/cur")
        self.addCleanup(left.close)
        daemon = loop.Daemon(place, DIES)
        self.addCleanup(daemon.kill)
        daemon.notified("READY=1")
        mails = []

        def expect(kind, game, to=ANNA):
            while not club.find(mails, kind, to, game):
                watch.wait(loop.LIMIT)
                mails.extend(place.new_mails())

        for n in (1, 2, 3):
            expect("pairing", f"KO-50.2/{n}")
        self.fill(place, club.find(mails, "pairing", ANNA), datetime.now(timezone.utc))
        for n in (1, 2):
            expect("receipt", f"KO-50.2/{n}")
        self.assertIsNone(daemon.process.poll())
        while list((place.top / "in/new").iterdir()):
            left.wait(loop.LIMIT)
        # A reader of the same daemon reads what comes later.
        move, = club.find(mails, "move", address_of("bruno"), "KO-50.2/1")
        now = datetime.now(timezone.utc)
        place.drop(mailers.letter(move, address_of("bruno"), now, "e5", serial=4), now)
        expect("receipt", "KO-50.2/1", address_of("bruno"))
        self.assertEqual(place.game(1)["san"], ["e4", "e5"])
        self.assertEqual(daemon.stop(), 0)

    def test_on_a_server(self):
        """It goes to the junk folder in the pass that has set it aside."""
        certificates = Certificates(self.folder / "certificates")
        server = hostile_imap.Server(certificate=certificates.server("good"))
        self.addCleanup(server.close)
        place = imap_hostile.Place(self.folder / "club", server, certificates.ca_file,
                                   extra="junk = Rejected")
        self.addCleanup(self.verify, place)
        mails = [imap_hostile.stranger(n) for n in (1, 2, 3)]
        mails[1] = mails[1].replace(b"Hello", POISON.encode())
        for raw in mails:
            server.add(raw, imap_hostile.DATE)
        done = place.run(club.DAEMON, "--config", place.config, "--once", "--now",
                         rfc3339(imap_hostile.NOW), env=DIES)
        self.assertEqual(done.returncode, 0, done.stderr)
        verdicts = [message["verdict"] for message in place.messages()]
        self.assertEqual(verdicts.count("unparsable-mail"), 1)
        self.assertEqual(server.mails, {})
        self.assertEqual(set(server.folders["Rejected"]), set(mails), server.folders)


if __name__ == "__main__":
    unittest.main()
