"""Mails that were made to kill a reader, through the daemon: each is dealt with in little time and
memory, kept as it came and listed, and the mail beside it is read as on any other day."""
import hashlib
import mmap
import os
import subprocess
import time
import unittest
from datetime import datetime, timedelta, timezone

import club
import loop
import mailers
from club import address_of, rfc3339

ANNA, BRUNO = address_of("anna"), address_of("bruno")
SECONDS, KIBIBYTES = 2, 64 << 10
MOVE = b"12. Nf3 d5\r\n"
GAME = "a3 a6 b3 b6 c3 c6 e3 e6 g3 g6 h3 h6 a4 a5 g4 g5 h4 h5 e4 e5 c4 c5".split()
# None of them is cut before it is read.
CONFIGURATION = club.CONFIGURATION.replace("256K", "1M")

TYPE = b"Content-Type: "
HTML = TYPE + b"text/html; charset=utf-8\r\n\r\n"
SENDER = b"From: p@isp.example\r\n"
HEAD = (b"Return-Path: <p@isp.example>\r\nTo: relay@scacchi.example\r\n"
        b"Subject: Re: 1234- 12b Rossi-Bianchi\r\nMessage-ID: <d@isp.example>\r\nMIME-Version: 1.0\r\n")


def nested(n):
    return b"".join(b'multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\nContent-Type: ' % (i, i)
                    for i in range(n))


# The mail, what libraries made of it, its SHA-256, so that nothing is lost in the building.
ATTACKS = {
    "comment-from-150k": (
        b"From: " + 150000 * b"(" + b"x" + 150000 * b")" + b" p@isp.example\r\n" + HEAD + b"\r\n" + MOVE,
        "8aa158ff36b35835830a5b1e6191d042948933eb959ac6941035e75d2767be30"),
    "comment-ctype-150k": (
        SENDER + HEAD + TYPE + b"text/plain " + 150000 * b"(" + 150000 * b")" + b"\r\n\r\n" + MOVE,
        "ba0b58302df4331e893b1710ce587af5fb57f1b1666799048ac24bce9a836b44"),
    "rfc822-nest-30k": (
        SENDER + HEAD + 30001 * (TYPE + b"message/rfc822\r\n\r\n") + b"Subject: y\r\n\r\n" + MOVE,
        "83670ca51834c6319dd44247395b3351b56f83ef5b57a646944c50c6a010684c"),
    "multipart-nest-5k": (
        SENDER + HEAD + TYPE + nested(5000) + b"text/plain\r\n\r\n" + MOVE,
        "42b3fa4adc668d135ad4034440fdf51fe5ea00df728575ba7cbc8ca1ef20e199"),
    "boundary-one-quote": (
        SENDER + HEAD + TYPE + b'multipart/mixed; boundary="\\""\r\n\r\n--"\r\n' + TYPE
        + b'text/plain\r\n\r\n' + MOVE + b'--"--\r\n',
        "4919d72240ce2eb9be73adaffe3daec3168e983d9d2cff2a881517e3b278a92b"),
    "html-format-nest-100k": (
        SENDER + HEAD + HTML + 5000 * b"<a><b><i><font><u>" + MOVE,
        "9076991ac6245ce1e38451c6ed91804073da861dd8bf054ee14527e951be877b"),
    "html-b-nest-600k": (
        SENDER + HEAD + HTML + 200000 * b"<b>" + MOVE,
        "31c60fafb584f8fb6dc89fd7b128d6f925e3a3c8bfe8d93fae7e33edc36e13e4"),
    "html-div-nest-300": (
        SENDER + HEAD + HTML + 300 * b"<div>" + MOVE + 300 * b"</div>",
        "1b4325ff6530692e1ca0fa1cf00e6b786be36dd63b783d3b5d7acd01b926adfc"),
    "html-attrs-200k": (
        SENDER + HEAD + HTML + b"<p " + 200000 * b"a=b " + b">" + MOVE + b"</p>",
        "29ae05e5e020fafb20ed215133dde37bbc0c72b88921c450d6b5b87a33f970d9"),
}


def is_sanitized():
    """Sanitizers need more of everything."""
    with open(club.DAEMON, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as program:
        return program.find(b"__asan_init") >= 0


class DeepTest(club.ClubTest):
    def begin(self, start, name="club"):
        """A game that waits for 12... d5, of somebody who proves nothing."""
        text = CONFIGURATION.format(top=self.folder / name, otherwise="accept")
        text = text.replace("moves@club.example", "relay@scacchi.example")
        place = self.club(name, configuration=text)
        text = club.tournament_text([("anna", "bruno"), ("anna", "carla")], start=rfc3339(start),
                                    extra="repetition = typed")
        text = text.replace(BRUNO, "p@isp.example")
        text = text.replace("white = anna\nblack = bruno",
                            f"white = anna\nblack = bruno\ncode = 1234\nmoves = {' '.join(GAME + ['Nf3'])}")
        place.import_text(text)
        return place

    def judge(self, place, raw):
        """The verdict on the attack RAW: kept, listed, and played as it should be or not at all."""
        message, = [one for one in place.messages() if one["size"] == len(raw)]
        kept = subprocess.run([club.CONTROL, "--config", place.config, "message", str(message["id"]), "--raw"],
                              env=place.environment(), stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(kept, raw)
        state = place.game(1)
        if message["verdict"].startswith("accepted"):
            self.assertEqual(state["san"][len(GAME):], ["Nf3", "d5"])
        else:
            self.assertEqual(state["san"][len(GAME):], ["Nf3"])
            self.assertIn(message["verdict"], ("unparsable-mail", "unknown-sender", "no-move"))
        return message["verdict"]

    def timed_pass(self, place, now):
        """Seconds, and the KiB of the largest of the processes."""
        began = time.monotonic()
        pid = os.posix_spawn(club.DAEMON, [club.DAEMON, "--config", str(place.config), "--once", "--now",
                                           rfc3339(now)], place.environment(),
                             file_actions=[(os.POSIX_SPAWN_OPEN, 2, place.top / "log",
                                            os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)])
        _, status, usage = os.wait4(pid, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)
        return time.monotonic() - began, usage.ru_maxrss

    def test_each(self):
        start = club.instant("2026-01-10T09:00:00Z")
        read = set()
        for name, (raw, digest) in ATTACKS.items():
            with self.subTest(name):
                self.assertEqual(hashlib.sha256(raw).hexdigest(), digest)
                place = self.begin(start, name)
                now = start + timedelta(minutes=5)
                mail, = club.find(place.once(now), "pairing", ANNA, "KO-50.2/2")
                now += timedelta(hours=1)
                place.drop(raw, now)
                place.drop(mailers.letter(mail, ANNA, now, "1. e4"), now)
                seconds, size = self.timed_pass(place, now)
                if not is_sanitized():
                    self.assertLess(seconds, SECONDS)
                    self.assertLess(size, KIBIBYTES)
                if self.judge(place, raw) == "accepted":
                    read.add(name)
                self.assertEqual(place.game(2)["san"], ["e4"])
        # HTML is no attack for a reader that keeps no tree.
        self.assertEqual(read, {name for name in ATTACKS if name.startswith("html")})

    def test_all_at_once(self):
        """A daemon that runs gets all of them, lives on, and answers."""
        start = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(hours=1)
        place = self.begin(start)
        watch = club.Watch(place.top / "out/new")
        self.addCleanup(watch.close)
        daemon = loop.Daemon(place)
        self.addCleanup(daemon.kill)
        daemon.notified("READY=1")
        mails = []

        def expect(wanted):
            while not (found := club.find(mails, *wanted)):
                watch.wait(loop.LIMIT)
                mails.extend(place.new_mails())
            return found[0]

        mail = expect(("pairing", ANNA, "KO-50.2/2"))
        now = datetime.now(timezone.utc)
        for raw, _ in ATTACKS.values():
            place.drop(raw, now)
        place.drop(mailers.letter(mail, ANNA, now, "1. e4"), now)
        expect(("receipt", ANNA, "KO-50.2/2"))
        self.assertIsNone(daemon.process.poll())
        self.assertEqual(len(place.messages()), len(ATTACKS) + 1)
        self.assertEqual(place.game(2)["san"], ["e4"])
        self.assertNotIn("reader worker", daemon.words())
        self.assertEqual(daemon.stop(), 0)


if __name__ == "__main__":
    unittest.main()
