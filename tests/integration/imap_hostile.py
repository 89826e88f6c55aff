"""IMAP servers that are wrong, slow or hostile, at every step.

In each case: a pass that ends in time with exit 75 and a clear line, no password in a log; and
when the server has come to its senses, one pass that takes every mail in once.
"""
import base64
import re
import ssl
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

import club
from certificates import Certificates
from club import rfc3339
from hostile_imap import BYE, CAPABILITIES, FLOOD, GARBAGE, NO, PASSWORD, USER, Server
from loop import Daemon
from scripted import DRIP, EOF, RESET, SILENCE, Closed

NOW = datetime(2026, 1, 10, 12, 0, 0, tzinfo=timezone.utc)
DATE = "10-Jan-2026 11:00:00 +0000"
STEPS = ("greeting", "CAPABILITY", "LOGIN", "SELECT", "NOOP", "SEARCH", "FACTS", "BODIES")
# A pass makes two attempts at most, each of which may wait for one answer.
TIMEOUT, TOO_LONG = 1, 30

MAILBOX = """\
[mailbox moves]
source = {scheme}://{user}@{host}:{port}/INBOX
password = file:{top}/password
auth = {auth}
since = {since}
ca-file = {ca_file}
timeout = {timeout}s
{extra}
"""


def stranger(serial):
    return (b"From: stranger@elsewhere.example\r\nTo: moves@club.example\r\n"
            b"Message-ID: <%d@elsewhere.example>\r\nSubject: %d\r\n\r\nHello %d\r\n" %
            (serial, serial, serial))


class Place(club.Club):
    """A club whose mailbox is on a server of hostile_imap."""

    def __init__(self, top, server, ca_file, scheme="imaps", host="localhost", auth="login",
                 since="all", extra="", password=PASSWORD):
        top.mkdir()
        self.server, self.password, self.serial_mail = server, password, 0
        mailbox = MAILBOX.format(scheme=scheme, user=USER, host=host, port=server.port, top=top,
                                 auth=auth, since=since, ca_file=ca_file, timeout=TIMEOUT, extra=extra)
        text = club.CONFIGURATION.format(top=top, otherwise="confirm")
        super().__init__(top, configuration=re.sub(r"\[mailbox moves\]\nsource = .*\n",
                                                   lambda _: mailbox, text))
        (top / "password").write_text(password, encoding="utf-8")

    def add(self, date=DATE):
        self.serial_mail += 1
        raw = stranger(self.serial_mail)
        self.server.add(raw, date)
        return raw

    def go(self, code, now=NOW):
        """One pass: what it logs. It must end in time and keep the secret."""
        began = time.monotonic()
        done = self.run(club.DAEMON, "--config", self.config, "--once", "--now", rfc3339(now))
        took = time.monotonic() - began
        if done.returncode != code:
            raise club.ProgramError(f"exit {done.returncode}, not {code}\n{done.stderr}")
        if took > TOO_LONG:
            raise club.ProgramError(f"took {took} s\n{done.stderr}")
        for form in secret_forms(self.password):
            if form in done.stderr:
                raise club.ProgramError(f"the password is in the log\n{done.stderr}")
        return done.stderr


def secret_forms(password):
    plain = password.encode()
    return [password, *(base64.b64encode(form).decode() for form in
                        (plain, b"\0" + USER.encode() + b"\0" + plain,
                         b"user=" + USER.encode() + b"\x01auth=Bearer " + plain + b"\x01\x01"))]


class HostileTest(club.ClubTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.base = club.Path(club.tempfile.mkdtemp(prefix="zugpost-test-", dir=club.scratch_folder()))
        cls.addClassCleanup(club.shutil.rmtree, cls.base, ignore_errors=True)
        cls.certificates = Certificates(cls.base / "certificates")
        cls.good = cls.certificates.server("good")

    def place(self, name="club", options=None, **server):
        server.setdefault("certificate", self.good)
        made = Server(**server)
        self.addCleanup(made.close)
        return Place(self.folder / name, made, self.certificates.ca_file, **(options or {}))

    def recover(self, place, count):
        """The server is honest from now on: every mail is taken in once and moved once."""
        place.server.script = {}
        place.go(0)
        self.assertEqual(len(place.messages()), count)
        self.assertEqual(place.server.mails, {})
        moved = place.server.folders["Archive"] + place.server.folders.get("Rejected", [])
        self.assertEqual(sorted(set(moved)), sorted(stranger(i + 1) for i in range(count)))

    def all_cases(self, cases, check):
        """CASES: name -> operands of CHECK(name, ...). They mostly wait: several at a time."""
        with ThreadPoolExecutor(6) as pool:
            running = {name: pool.submit(check, name, *operands) for name, operands in cases.items()}
        for name, future in running.items():
            with self.subTest(name):
                future.result()


class Connection(HostileTest):
    """Certificates, TLS, STARTTLS: nothing is said to a server that is not the right one."""

    def refused(self, name, words, server, options=None):
        place = self.place(name, options, **server)
        place.add()
        log = place.go(75)
        if not re.search(words, log):
            raise AssertionError(f"{words} is not in: {log}")
        if place.server.logins or len(place.messages()):
            raise AssertionError("it logged in all the same")

    def test_certificates(self):
        year = "%Y%m%d%H%M%SZ"
        begun = datetime.now(timezone.utc)
        other = self.certificates
        cases = {
            "wrong-host": ("does not match|hostname|host", other.server("elsewhere", "elsewhere.example")),
            "other-ca": ("issuer is unknown|not trusted", other.server("foreign", ca="other-ca")),
            "expired": ("expired", other.server("old", end=(
                (begun - timedelta(days=9)).strftime(year), (begun - timedelta(days=1)).strftime(year)))),
            "future": ("not yet (activated|valid)|future", other.server("new", end=(
                (begun + timedelta(days=1)).strftime(year), (begun + timedelta(days=9)).strftime(year)))),
            "self-signed": ("issuer is unknown|not trusted", other.self_signed()),
        }
        both = {}
        for name, (words, certificate) in cases.items():
            both[name] = (f"localhost:\\d+: .*({words})", {"certificate": certificate})
            both[f"{name}-starttls"] = (*both[name][:1], {"certificate": certificate, "implicit": False},
                                        {"scheme": "imap"})
        self.all_cases(both, self.refused)

    def test_tls(self):
        def plain_injected(session, tag):
            session.send(f"{tag} OK go\r\n* OK [ALERT] me too\r\n".encode())
            session.secure()

        def offered_not_given(session, tag):
            session.send(f"{tag} OK go\r\n".encode())
            session.send(GARBAGE)

        starttls = {"implicit": False}
        imap = {"scheme": "imap"}
        self.all_cases({
            "tls-1.1": ("TLS", {"tls_max": ssl.TLSVersion.TLSv1_1}),
            "tls-1.1-starttls": ("TLS", {"tls_max": ssl.TLSVersion.TLSv1_1, **starttls}, imap),
            "plain-on-tls-port": ("TLS handshake", {"certificate": None}),
            "tls-on-plain-port": ("greeting: ", {}, imap),
            "stripped": ("no STARTTLS", {"certificate": None, **starttls}, imap),
            "stripped-after": ("STARTTLS: refused: .*not today", {"script": {"STARTTLS": NO}, **starttls}, imap),
            "injected": ("plain text behind", {"script": {"STARTTLS": plain_injected}, **starttls}, imap),
            "garbage": ("plain text behind|TLS handshake", {"script": {"STARTTLS": offered_not_given}, **starttls}, imap),
            "preauth": ("PREAUTH", {"script": {"greeting": b"* PREAUTH welcome\r\n"}, **starttls}, imap),
            "starttls-eof": ("closed|cut off", {"script": {"STARTTLS": EOF}, **starttls}, imap),
            "starttls-silence": ("within 1.0 s", {"script": {"STARTTLS": SILENCE}, **starttls}, imap),
            "plain-elsewhere": ("Login|LOGIN", {"capabilities": ("LOGINDISABLED",)}),
            "no-name": ("no address", {}, {"host": "nowhere.invalid"}),
        }, self.refused)

    def test_tls_silence(self):
        """A server that takes the connection and says nothing at all."""
        place = self.place()
        place.server.context = None
        place.server.script = {"greeting": SILENCE}
        self.assertRegex(place.go(75), r"localhost:\d+: no complete answer within 1\.0 s")

    def test_no_ca_file(self):
        place = self.place()
        (self.folder / "empty.pem").write_text("", encoding="utf-8")
        text = place.config.read_text(encoding="utf-8")
        for path in (self.folder / "missing.pem", self.folder / "empty.pem"):
            place.config.write_text(re.sub(r"ca-file = .*", f"ca-file = {path}", text), encoding="utf-8")
            self.assertIn(str(path), place.go(75))
        self.assertEqual(place.server.logins, [])


class Steps(HostileTest):
    def broken(self, name, step, action, words):
        place = self.place(name)
        place.server.script = {step: action}
        for _ in range(3):
            place.add()
        log = place.go(75)
        if not re.search(words, log):
            raise AssertionError(f"{words} is not in: {log}")
        self.recover(place, 3)

    def test_ends(self):
        actions = {"eof": (EOF, "closed|cut off"), "reset": (RESET, "cut off|reset|closed"),
                   "bye": (BYE, r"BYE\): closing down\b"), "garbage": (GARBAGE, "not IMAP")}
        self.all_cases({f"{step}-{name}": (step, action, f"mailbox moves: .*({words})")
                        for step in STEPS for name, (action, words) in actions.items()}, self.broken)

    def test_delays(self):
        cases = {f"{step}-silence": (step, SILENCE, "within 1.0 s") for step in STEPS}
        cases |= {f"{step}-drip": (step, DRIP, "within 1.0 s") for step in ("greeting", "LOGIN", "SEARCH")}
        cases |= {f"{step}-flood": (step, FLOOD, "longer than it may be") for step in ("greeting", "SELECT")}
        self.all_cases(cases, self.broken)

    def test_refusals(self):
        self.all_cases({f"{step}-no": (step, NO, f"{what}: refused: .*not today") for step, what in {
            "LOGIN": "login", "SELECT": "folder INBOX", "SEARCH": "SEARCH", "FACTS": "FETCH",
            "BODIES": "FETCH", "NOOP": "NOOP"}.items()}, self.broken)

    def test_literals(self):
        def stops(session, tag):
            session.send(b"* 1 FETCH (UID 1 BODY[]<0> {500}\r\nonly this")
            session.wait_for_ever()

        def ends(session, tag):
            session.send(b"* 1 FETCH (UID 1 BODY[]<0> {500}\r\nonly this")
            raise Closed

        def ends_in_a_mail(session, tag):
            session.send(b"* 1 FETCH (UID 1 BODY[]<0> {500}\r\nonly\r\n* BYE words of a player\r\n")
            raise Closed

        def goes(session, tag):
            session.send(b"* 1 FETCH (UID 1 BODY[]<0> {4}\r\nonly)\r\n* bye \x1b[2J going " + b"down " * 99 + b"\r\n")
            raise Closed

        def drips(session, tag):
            session.drip(b"* 1 FETCH (UID 1 BODY[]<0> {100000}\r\n", b"x")

        def answer(data):
            return data + b"{tag} OK done\r\n"

        def huge(size):
            def forge(session, tag):
                session.send(b"* 1 FETCH (UID 1 BODY[]<0> {%d}\r\n" % size)
                for _ in range(1000):
                    session.send(b"x" * 65536)
                session.wait_for_ever()
            return forge

        facts = b'* 1 FETCH (UID 1 INTERNALDATE "%s" RFC822.SIZE %s)\r\n'
        self.all_cases({
            "stops": ("BODIES", stops, "within 1.0 s"),
            "ends": ("BODIES", ends, "closed|cut off"),
            "ends-in-a-mail": ("BODIES", ends_in_a_mail, r"FETCH: localhost:\d+: .*(closed|cut off).*\n"),
            "goes": ("BODIES", goes, r"FETCH: .*BYE\): \?\[2J going (down ){50,60}[down]*\n"),
            "drips": ("BODIES", drips, "within 1.0 s"),
            # The limit of bytes or that of time: whichever a slow machine reaches first.
            "huge": ("BODIES", huge(4_000_000_000), "longer than|not IMAP|within 1.0 s"),
            "huge-64": ("BODIES", huge(1 << 63), "longer than|not IMAP|within 1.0 s"),
            "too-long": ("BODIES", huge(50_000_000), "longer than|within 1.0 s"),
            "kept-back": ("BODIES", answer(b""), "keeps back"),
            "nil": ("BODIES", answer(b"* 1 FETCH (UID 1 BODY[]<0> NIL)\r\n"), "keeps back"),
            "other-part": ("BODIES", answer(b"* 1 FETCH (UID 1 BODY[]<7> {1}\r\nx)\r\n"), "usable"),
            "no-date": ("FACTS", answer(b"* 1 FETCH (UID 1 RFC822.SIZE 5)\r\n"), "usable"),
            "bad-date": ("FACTS", answer(facts % (b"99-Jan-2026 11:00:00 +0000", b"5")), "usable|not IMAP"),
            "bad-zone": ("FACTS", answer(facts % (b"10-Jan-2026 11:00:00 +9999", b"5")), "usable|not IMAP"),
            "no-validity": ("SELECT", answer(b"* 1 EXISTS\r\n"), "UIDVALIDITY"),
        }, self.broken)

    def test_secret_comes_back(self):
        def echo(session, tag):
            forms = " ".join(secret_forms(PASSWORD)[:3])
            session.send(f"{tag} NO [ALERT] you said {forms}\r\n".encode())

        def bye(session, tag):
            session.send(f"* BYE {PASSWORD}\r\n".encode())
            raise Closed

        self.all_cases({"login": ("LOGIN", echo, "login: refused"), "select": ("SELECT", echo, "folder"),
                        "bye": ("SEARCH", bye, r"BYE\): \*{9}")}, self.broken)

    def test_secret_comes_back_from_sasl(self):
        def echo(session, tag):
            forms = " ".join(secret_forms(PASSWORD))
            session.send(f"{tag} NO you said {forms}\r\n".encode())

        for auth in ("plain", "xoauth2"):
            place = self.place(auth, {"auth": auth})
            place.server.script = {"AUTHENTICATE": echo}
            self.assertIn("login: refused: NO you said", place.go(75))
            place.server.script = {}
            place.go(0)
            self.assertEqual(place.server.logins[-1], (USER, PASSWORD))


class Moving(HostileTest):
    """Mail that is stored leaves the inbox, sooner or later, by whatever the server can do."""

    def test_servers_of_all_ages(self):
        for i, capabilities in enumerate((CAPABILITIES, ("UIDPLUS",), (), ("MOVE",))):
            for folders in (("Archive", "Rejected"), ()):
                with self.subTest(capabilities=capabilities, folders=folders):
                    place = self.place(f"club{i}{len(folders)}", capabilities=capabilities, folders=folders)
                    for _ in range(3):
                        place.add()
                    place.go(0)
                    self.recover(place, 3)
                    self.assertEqual("UID MOVE" in " ".join(place.server.commands), "MOVE" in capabilities)

    def test_moves_fail(self):
        def check(name, step, action, capabilities, code):
            place = self.place(name, capabilities=capabilities)
            place.server.script = {step: action}
            for _ in range(3):
                place.add()
            place.go(code)
            if len(place.messages()) != 3:
                raise AssertionError("not taken in")
            self.recover(place, 3)

        cases = {}
        for step in ("MOVE", "COPY", "STORE", "EXPUNGE"):
            capabilities = CAPABILITIES if step == "MOVE" else ("UIDPLUS",)
            for name, action in {"eof": EOF, "silence": SILENCE, "garbage": GARBAGE, "no": NO}.items():
                # A refusal is told in a notice; nothing is out of reach.
                cases[f"{step}-{name}"] = (step, action, capabilities, 0 if action is NO else 75)
        self.all_cases(cases, check)

    def test_connection_ends_between(self):
        """The server was tired of waiting: the pass goes on with a fresh connection."""
        for step in ("NOOP", "SEARCH", "BODIES"):
            place = self.place(step)
            place.server.script = {step: [EOF]}
            place.add()
            place.go(0)
            self.recover(place, 1)

    def test_zones(self):
        place = self.place()
        dates = {"10-Jan-2026 11:00:00 +0000": "2026-01-10T11:00:00Z",
                 "10-Jan-2026 11:00:01 +0530": "2026-01-10T05:30:01Z",
                 " 1-Jan-2026 23:30:00 -0330": "2026-01-02T03:00:00Z",
                 "01-Mar-2024 00:10:00 +1245": "2024-02-29T11:25:00Z"}
        for date in dates:
            place.add(date)
        place.go(0)
        self.assertEqual(sorted(message["arrival"] for message in place.messages()),
                         sorted(dates.values()))

    def test_arrival_orders(self):
        place = self.place()
        for minute in (5, 3, 3, 9, 1):
            place.add(f"10-Jan-2026 11:{minute:02}:00 +0000")
        place.go(0)
        self.assertEqual([int(message["place"][11:]) for message in place.messages()], [5, 2, 3, 1, 4])

    def test_sizes_that_are_off(self):
        def facts(session, tag):
            session.ok(tag, f'* 1 FETCH (UID 1 INTERNALDATE "{DATE}" RFC822.SIZE 3)')

        place = self.place()
        place.server.script = {"FACTS": facts}
        raw = place.add()
        place.go(0)
        message, = place.messages()
        self.assertEqual(message["size"], len(raw))
        self.recover(place, 1)


class Running(HostileTest):
    def daemon(self, place, timing):
        daemon = Daemon(place, {"ZUGPOST_TEST_MAIL_TIMING": timing})
        self.addCleanup(daemon.kill)
        daemon.notified("READY=1")
        return daemon

    def await_moved(self, place, count):
        end = time.monotonic() + 30
        while sum(map(len, place.server.folders.values())) < count:
            self.assertLess(time.monotonic(), end, place.server.commands)
            time.sleep(0.02)

    def test_idle_renewed(self):
        place = self.place()
        daemon = self.daemon(place, "100 60000 50 100")
        end = time.monotonic() + 30
        while place.server.counts.get("IDLE", 0) < 4:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        place.server.add(stranger(1), "01-Jan-2026 00:00:00 +0000")
        self.await_moved(place, 1)
        self.assertEqual(daemon.stop(), 0)

    def test_told_in_passing(self):
        """A server says only once that a mail has come, in the answer to any command."""
        def announce(session, tag):
            name, rest = session.server.commands[-1].split(" ", 1)
            answer = []
            session.send = answer.append
            with session.server.lock:
                session.honest(tag, *session.step_of(name, rest))
                del session.send
                session.server.add(stranger(2), "01-Jan-2026 00:00:00 +0000")
                head, end = b"".join(answer).rsplit(tag.encode() + b" OK", 1)
                session.send(head + f"* {len(session.server.mails)} EXISTS\r\n{tag} OK".encode() + end)

        for step in ("SEARCH", "FACTS", "BODIES", "MOVE"):
            with self.subTest(step):
                place = self.place(step)
                place.server.add(stranger(1), "01-Jan-2026 00:00:00 +0000")
                place.server.script = {step: [announce]}
                daemon = self.daemon(place, "60000 60000 50 100")
                self.await_moved(place, 2)
                self.assertEqual(daemon.stop(), 0)
                # Its own moves are no news.
                self.assertLessEqual(place.server.counts["SEARCH"], 3)

    def test_polled_without_idle(self):
        for capabilities, script in ((("MOVE",), {}), (("MOVE", "IDLE"), {"IDLE": NO})):
            place = self.place(str(len(capabilities)), capabilities=capabilities, script=script)
            daemon = self.daemon(place, "60000 100 50 100")
            for i in range(1, 3):
                place.server.add(stranger(i), "01-Jan-2026 00:00:00 +0000")
                self.await_moved(place, i)
            self.assertEqual(daemon.stop(), 0)
            self.assertLessEqual(place.server.counts.get("IDLE", 0), 1)

    def test_broken_in_idle(self):
        def bye(session, tag):
            session.send(b"+ idling\r\n* BYE idle for too long\r\n")
            raise Closed

        def garbage(session, tag):
            session.send(b"+ idling\r\n" + GARBAGE)
            raise Closed

        for name, action in {"bye": bye, "eof": EOF, "garbage": garbage}.items():
            place = self.place(name)
            place.server.script = {"IDLE": [action, action]}
            daemon = self.daemon(place, "60000 60000 50 100")
            end = time.monotonic() + 30
            while place.server.counts.get("IDLE", 0) < 3:
                self.assertLess(time.monotonic(), end, daemon.words())
                time.sleep(0.02)
            place.server.add(stranger(1), "01-Jan-2026 00:00:00 +0000")
            self.await_moved(place, 1)
            self.assertEqual(daemon.stop(), 0)
            self.assertNotIn("killed", daemon.words())
            self.assertNotIn(PASSWORD, daemon.words())

    def test_stopped_in_the_middle(self):
        """SIGTERM does not wait for a server that hangs."""
        place = self.place()
        place.server.script = {"SEARCH": SILENCE}
        place.config.write_text(place.config.read_text(encoding="utf-8").replace("timeout = 1s", "timeout = 60s"),
                                encoding="utf-8")
        daemon = self.daemon(place, "0 0 0 0")
        end = time.monotonic() + 30
        while not place.server.counts.get("SEARCH"):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        began = time.monotonic()
        self.assertEqual(daemon.stop(), 0)
        self.assertLess(time.monotonic() - began, 1.5)

    def test_attempts_become_rare(self):
        place = self.place()
        place.server.script = {"LOGIN": NO}
        daemon = self.daemon(place, "60000 60000 20 160")
        end = time.monotonic() + 30
        while place.server.counts.get("LOGIN", 0) < 8:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        # One line, however often.
        self.assertEqual(daemon.words().count("login: refused"), 1)
        place.server.add(stranger(1), "01-Jan-2026 00:00:00 +0000")
        place.server.script = {}
        self.await_moved(place, 1)
        self.assertIn("mailbox moves can be reached again", daemon.words())
        self.assertEqual(daemon.stop(), 0)


if __name__ == "__main__":
    unittest.main()
