"""Mailboxes on a real IMAP server (Dovecot): from the login to the mail in its folder.

One server for all tests, an account for each.
"""
import re
import signal
import time
import unittest
from datetime import datetime, timedelta, timezone

import club
import dovecot
import mailers
from certificates import Certificates
from club import address_of, rfc3339
from loop import Daemon

LIMIT = 60.0
START = datetime(2026, 1, 10, 7, 0, 0, tzinfo=timezone.utc)

MAILBOX = """\
[mailbox moves]
source = {scheme}://{user}@localhost:{port}/{folder}
password = file:{top}/password
auth = {auth}
since = {since}
archive = {archive}
junk = Rejected
ca-file = {ca_file}
timeout = 5s
{extra}
"""


class ImapClub(club.Club):
    """A club whose mail comes over IMAP. Its Maildir `in` is of no use."""

    def __init__(self, top, server, scheme="imaps", auth="login", since="all", archive="Archive",
                 folder="INBOX", extra="", **options):
        top.mkdir()
        self.server = server
        self.user = server.user()
        self.account = server.mailbox(self.user)
        port = server.tls_port if scheme == "imaps" else server.port
        mailbox = MAILBOX.format(top=top, scheme=scheme, user=self.user, port=port, auth=auth,
                                 since=since, archive=archive, folder=folder, extra=extra,
                                 ca_file=server.ca_file)
        text = club.CONFIGURATION.format(top=top, otherwise="confirm")
        text = re.sub(r"\[mailbox moves\]\nsource = .*\n", lambda _: mailbox, text)
        super().__init__(top, configuration=text, **options)
        self.set_password(dovecot.PASSWORD)

    def set_password(self, password):
        path = self.top / "password"
        path.write_text(password + "\n", encoding="utf-8")
        path.chmod(0o600)

    def drop(self, raw, arrival, name=None):
        self.account.append(raw, arrival)

    def once_words(self, now, code=0):
        """One pass; what it said on standard error."""
        done = self.run(club.DAEMON, "--config", self.config, "--once", "--now", rfc3339(now))
        if done.returncode != code:
            raise club.ProgramError(f"exit {done.returncode}, not {code}\n{done.stderr}")
        return done.stderr


class ImapTest(club.ClubTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.base = club.tempfile.mkdtemp(prefix="zugpost-test-", dir=club.scratch_folder())
        cls.addClassCleanup(club.shutil.rmtree, cls.base, ignore_errors=True)
        base = club.Path(cls.base)
        cls.certificates = Certificates(base / "certificates")
        cls.server = dovecot.Dovecot(base / "dovecot", cls.certificates)
        cls.addClassCleanup(lambda: cls.server.stop())

    def imap_club(self, name="club", **options):
        return ImapClub(self.folder / name, self.server, **options)

    def pairing(self, place, pairs=(("anna", "bruno"),)):
        place.import_text(club.tournament_text(pairs, start=rfc3339(START)))
        mails = place.once(START)
        return club.find(mails, "pairing", address_of(pairs[0][0]))[0]

    def play(self, place, mail, moves, when):
        """Each move is mailed to the account and relayed by a pass; the last mail to a player."""
        for ply, san in enumerate(moves):
            when += timedelta(hours=1)
            sender = address_of(("anna", "bruno")[ply % 2])
            place.drop(mailers.letter(mail, sender, when, san, serial=ply), when)
            mails = place.once(when + timedelta(minutes=1))
            self.assertEqual(sorted(one.kind for one in mails), ["copy", "move", "receipt"])
            mail, = club.find(mails, "move")
        return mail


class Relay(ImapTest):
    """Passes: every way to log in, folders, numbers, sizes."""

    def test_every_way_in(self):
        ways = [("imaps", auth, "") for auth in
                ("login", "plain", "cram-md5", "scram-sha-1", "scram-sha-256")]
        ways += [("imap", "login", ""), ("imap", "scram-sha-256", ""),
                 ("imap", "plain", "tls = none")]
        for i, (scheme, auth, extra) in enumerate(ways):
            with self.subTest(scheme=scheme, auth=auth, extra=extra):
                place = self.imap_club(f"club{i}", scheme=scheme, auth=auth, extra=extra)
                mail = self.pairing(place)
                self.play(place, mail, ["1. e4", "e5"], START)
                self.assertEqual(place.game(1)["san"], ["e4", "e5"])
                self.assertEqual((place.account.count(), place.account.count("Archive")), (0, 2))

    def test_games(self):
        """Real games, all their moves by this way; what the players write comes in any order."""
        place = self.imap_club()
        games = [game for game in club.real_games() if game["end"] == "checkmate"]
        games = sorted(games, key=lambda game: len(game["san"]))[:3]
        pairs = [("anna", "bruno"), ("carla", "dmitri"), ("emi", "finn")][:len(games)]
        place.import_text(club.tournament_text(pairs, start=rfc3339(START)))
        waiting = {mail.game: mail for mail in club.find(place.once(START), "pairing")
                   if mail.to in [address_of(white) for white, _ in pairs]}
        when, moves = START, 0
        for ply in range(max(len(game["san"]) for game in games)):
            when += timedelta(hours=1)
            written = []
            for number, game in enumerate(games, 1):
                if ply >= len(game["san"]):
                    continue
                sender = address_of(pairs[number - 1][ply % 2])
                text = f"{ply // 2 + 1}.{'..' * (ply % 2)} {game['san'][ply]}"
                at = when + timedelta(seconds=number)
                written.append((mailers.letter(waiting[f"KO-50.2/{number}"], sender, at, text,
                                               serial=ply * 10 + number), at))
            place.account.append_all(reversed(written))
            moves += len(written)
            waiting |= {mail.game: mail for mail in
                        club.find(place.once(when + timedelta(minutes=1)), "move")}
        for number, game in enumerate(games, 1):
            relayed = place.game(number)
            self.assertEqual(relayed["uci"], game["uci"])
            self.assertEqual((relayed["termination"], relayed["result"]), ("checkmate", game["result"]))
        self.assertEqual((place.account.count(), place.account.count("Archive")), (0, moves))

    def test_arrival_is_internaldate(self):
        place = self.imap_club()
        mail = self.pairing(place)
        arrival = START + timedelta(days=2, hours=3, seconds=7)
        # Sent long before by its own Date; what counts is when the server took it.
        place.drop(mailers.letter(mail, address_of("anna"), START, "1. e4"), arrival)
        self.assertEqual(place.once(arrival - timedelta(seconds=1)), [])
        self.assertEqual(place.account.count(), 1)
        self.assertEqual(len(place.once(arrival)), 3)
        self.assertEqual(place.game(1)["ledger"][0]["sent"], rfc3339(arrival))

    def test_folders(self):
        place = self.imap_club(archive="Züge & Läufer/Старое")
        mail = self.pairing(place)
        when = START + timedelta(hours=1)
        place.drop(mailers.letter(mail, address_of("anna"), when, "1. e4"), when)
        place.drop(b"From: stranger@elsewhere.example\r\nSubject: cheap\r\n"
                   b"Message-ID: <1@elsewhere.example>\r\nList-Id: <all.elsewhere.example>\r\n"
                   b"Precedence: bulk\r\n\r\nBuy now\r\n", when)
        place.once(when)
        archive = "Z&APw-ge &- L&AOQ-ufer/&BCEEQgQwBEAEPgQ1-"
        self.assertEqual((place.account.count(), place.account.count(archive),
                          place.account.count("Rejected")), (0, 1, 1))

    def test_folder_missing(self):
        place = self.imap_club(folder="Moves/2026")
        self.assertIn("folder Moves/2026", place.once_words(START, code=75))
        self.assertNotIn("Moves/2026", place.account.folders())

    def test_since_first_connection(self):
        place = self.imap_club(since="first-connection")
        place.import_text(club.tournament_text([("anna", "bruno")], start=rfc3339(START)))
        place.drop(b"From: anna@players.example\r\nSubject: old\r\n\r\nHello\r\n", START - timedelta(days=9))
        mail, = club.find(place.once(START), "pairing", address_of("anna"))
        self.assertEqual(place.messages(), [])
        self.play(place, mail, ["1. e4"], START)
        self.assertEqual(len(place.messages()), 1)
        # Other numbers: the date tells what is old.
        self.server.stop()
        place.account.renumber()
        self.server.start()
        self.assertEqual(place.once(START + timedelta(days=1)), [])
        self.assertEqual((place.account.count(), place.account.count("Archive")), (1, 1))

    def test_numbered_anew_before_the_move(self):
        """The server forgets its numbers while mail that was decided waits to be moved."""
        place = self.imap_club()
        mail = self.pairing(place)
        when = START + timedelta(hours=1)
        place.drop(mailers.letter(mail, address_of("anna"), when, "1. e4"), when)
        done = place.run(club.DAEMON, "--config", place.config, "--once", "--now", rfc3339(when),
                         env={"ZUGPOST_TEST_KILL_AT_COMMIT": "3"})
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.server.stop()
        place.account.renumber()
        self.server.start()
        later = when + timedelta(hours=1)
        place.once(later)
        self.assertEqual(place.once(later), [])
        self.assertEqual([one.kind for one in place.all_mails()].count("move"), 1)
        self.assertEqual(len(place.messages()), 1)
        self.assertEqual((place.account.count(), place.account.count("Archive")), (0, 1))

    def test_too_large(self):
        place = self.imap_club()
        mail = self.pairing(place)
        when = START + timedelta(hours=1)
        raw = mailers.letter(mail, address_of("anna"), when, "1. e4")
        place.drop(raw + b"x" * 70 + b"\r\n" + b"0123456789\r\n" * 100_000, when)
        place.once(when)
        message, = place.messages()
        self.assertGreater(message["size"], 1_200_000)
        self.assertEqual(place.account.count(), 0)

    def test_backlog(self):
        """Hundreds of mails wait, the last of them first."""
        count = 700
        place = self.imap_club()
        pairs = [("anna", "bruno"), ("carla", "dmitri")]
        mail = self.pairing(place, pairs)
        when = START + timedelta(hours=1)
        mails = [(mailers.letter(mail, address_of("anna"), when, "1. e4"), when)]
        mails += [(b"From: stranger%d@elsewhere.example\r\nSubject: %d\r\n\r\nHello\r\n" % (i, i),
                   when + timedelta(seconds=i)) for i in range(count)]
        place.account.append_all(reversed(mails))
        place.once(when + timedelta(days=1))
        messages = place.messages()
        self.assertEqual(len(messages), count + 1)
        arrivals = [message["arrival"] for message in messages]
        self.assertEqual(sorted(arrivals), arrivals)
        self.assertEqual(place.game(1)["san"], ["e4"])
        self.assertEqual(place.account.count(), 0)
        self.assertEqual(place.account.count("Archive") + place.account.count("Rejected"), count + 1)

    def test_password(self):
        place = self.imap_club()
        wrong = "not-the-Password-77"
        place.set_password(wrong)
        words = place.once_words(START, code=75)
        self.assertRegex(words, r"mailbox moves: login: refused: .*[Aa]uthentication failed")
        self.assertNotIn(wrong, words)
        (place.top / "password").unlink()
        self.assertIn(f"{place.top}/password", place.once_words(START, code=75))
        # Read afresh each time.
        place.set_password(dovecot.PASSWORD)
        place.once(START)

    def test_check_online(self):
        place = self.imap_club()
        place.drop(b"From: a@b.example\r\nSubject: x\r\n\r\nx\r\n", START)
        flags = place.account.flags()

        def check(code):
            done = place.run(club.DAEMON, "--config", place.config, "--check", "--online")
            self.assertEqual(done.returncode, code, done.stderr)
            return done.stderr

        self.assertEqual(check(0), "")
        self.assertEqual((place.account.flags(), place.account.folders()), (flags, ["INBOX"]))
        self.assertFalse((place.top / "store/zugpost.db").exists())
        place.set_password("wrong-Password-1")
        line = place.config.read_text(encoding="utf-8").split("\n").index("[mailbox moves]") + 1
        self.assertRegex(check(78), rf"^{place.config}:{line}: login: refused")


class Running(ImapTest):
    """The daemon: woken by the server, and back after it was gone."""

    def daemon(self, place):
        daemon = Daemon(place)
        self.addCleanup(daemon.kill)
        daemon.notified("READY=1")
        return daemon

    def begin(self, **options):
        place = self.imap_club(**options)
        begun = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(hours=1)
        place.import_text(club.tournament_text([("anna", "bruno")], start=rfc3339(begun)))
        watch = club.Watch(place.top / "out/new")
        self.addCleanup(watch.close)
        daemon = self.daemon(place)
        mail, = club.find(self.await_mails(place, watch, 2), "pairing", address_of("anna"))
        return place, daemon, watch, mail

    def await_mails(self, place, watch, count):
        mails = place.new_mails()
        end = time.monotonic() + LIMIT
        while len(mails) < count:
            watch.wait(end - time.monotonic())
            mails += place.new_mails()
        self.assertEqual(len(mails), count)
        return mails

    def move(self, place, watch, mail, san, ply):
        now = datetime.now(timezone.utc)
        place.drop(mailers.letter(mail, address_of(("anna", "bruno")[ply]), now, san, serial=ply), now)
        mails = self.await_mails(place, watch, 3)
        self.assertEqual(sorted(one.kind for one in mails), ["copy", "move", "receipt"])
        return club.find(mails, "move")[0]

    def test_woken_by_idle(self):
        place, daemon, watch, mail = self.begin()
        began = time.monotonic()
        mail = self.move(place, watch, mail, "1. e4", 0)
        self.move(place, watch, mail, "e5", 1)
        # Without IDLE it would have been a minute each.
        self.assertLess(time.monotonic() - began, 20)
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual((place.account.count(), place.account.count("Archive")), (0, 2))

    def test_server_gone_and_back(self):
        place, daemon, watch, mail = self.begin()
        mail = self.move(place, watch, mail, "1. e4", 0)
        self.server.stop()
        end = time.monotonic() + LIMIT
        while "mailbox moves: " not in daemon.words():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        self.server.start()
        self.move(place, watch, mail, "e5", 1)
        self.assertIn("mailbox moves can be reached again", daemon.words())
        self.assertEqual(daemon.stop(), 0)
        self.assertNotIn(dovecot.PASSWORD, daemon.words())

    def test_pass_without_server(self):
        place = self.imap_club()
        self.pairing(place)
        self.server.stop()
        self.addCleanup(lambda: self.server.process or self.server.start())
        # The deadline of the first move lies far back, but nobody has looked into the mailbox.
        words = place.once_words(START + timedelta(days=300), code=75)
        self.assertRegex(words, r"mailbox moves: localhost:\d+: Connection refused")
        self.assertEqual(place.game(1)["state"], "active")
        self.assertEqual(place.new_mails(), [])
        self.server.start()
        place.once(START + timedelta(days=300))
        self.assertNotEqual(place.game(1)["state"], "active")


if __name__ == "__main__":
    unittest.main()
