"""Delivery to a mail server: one that takes mail as it should, and ones that do everything
wrong. Whatever happens, a pass ends in time, says in one line what was wrong, holds no
secret, loses no mail, and repeats one only under the same Message-ID.
"""
import re
import shutil
import ssl
import tempfile
import time
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

from certificates import Certificates
from club import CONFIGURATION, DAEMON, Club, ClubTest, address_of, rfc3339, tournament_text
from loop import Daemon
from scripted import DRIP, EOF, RESET, SILENCE
from smtp_server import ENDLESS, GARBAGE, LONG_LINE, OFFERS, PASSWORD, USER, Server

START = datetime(2026, 1, 10, 8, 0, tzinfo=timezone.utc)
TOKEN = re.compile(r"\b[a-z2-7]{20}\b")
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def text_of(done):
    return done.stdout + done.stderr


def await_mails(server, n, seconds=60):
    """N mails in all; nothing tells when one has come."""
    end = time.monotonic() + seconds
    while len(server.mails) < n:
        if time.monotonic() > end:
            raise TimeoutError(f"{len(server.mails)} mails, not {n}")
        time.sleep(0.02)


class SmtpTest(ClubTest):
    """A club whose mails go to a server of smtp_server.py."""
    certificates = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = Path(tempfile.mkdtemp(prefix="zugpost-certs-"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.certificates = Certificates(folder)

    def server(self, **options):
        server = Server(**options)
        self.addCleanup(server.close)
        return server

    def tls_server(self, **options):
        return self.server(certificate=self.certificates.server("good"), **options)

    def smtp_club(self, server, scheme="smtp", user=USER, extra="", name="club", timeout="2s",
                  games=(("anna", "bruno"),), password=PASSWORD):
        top = self.folder / name
        top.mkdir()
        (top / "secret").write_text(password + "\n")
        login = f"{user}@" if user else ""
        lines = [f"target = {scheme}://{login}localhost:{server.port}",
                 f"ca-file = {self.certificates.ca_file}", f"timeout = {timeout}"]
        if user:
            lines.append(f"password = file:{top}/secret")
        text = CONFIGURATION.format(top=top, otherwise="confirm").replace(
            f"target = maildir:{top}/out", "\n".join(lines + [extra]))
        club = Club(top, configuration=text)
        club.import_text(tournament_text(list(games)))
        self.addCleanup(self.verify, club)
        self.password = password
        return club

    def run_pass(self, club, now=START, within=20):
        """One pass. It ends in time, and its log holds no secret."""
        begin = time.monotonic()
        done = club.run(DAEMON, "--config", club.config, "--once", "--now", rfc3339(now))
        self.assertLess(time.monotonic() - begin, within)
        self.assert_silent(club, done.stderr)
        return done

    def assert_silent(self, club, log):
        self.assertNotIn(self.password, log)
        self.assertEqual(TOKEN.findall(log), [])
        self.assertNotIn("players.example", log)

    def ids(self, server):
        return [mail.id for mail in server.mails]


class Honest(SmtpTest):
    def test_mails_go_over_one_connection(self):
        for scheme, implicit in (("smtps", True), ("smtp", False)):
            server = self.tls_server(implicit=implicit)
            club = self.smtp_club(server, scheme, name=scheme,
                                  games=[("anna", "bruno"), ("carla", "dmitri")])
            done = self.run_pass(club)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(server.connections, 1)
            self.assertEqual(server.logins, ["LOGIN"])
            self.assertEqual([mail.recipients for mail in server.mails],
                             [[address_of(name)] for name in ("anna", "bruno", "carla", "dmitri")])
            for mail in server.mails:
                self.assertRegex(mail.sender, r"^moves\+[a-z2-7]{20}@club\.example$")
                self.assertIn("RET=HDRS", mail.parameters[0])
                self.assertIn(f"ENVID={mail.id[1:-1]}", mail.parameters[0])
                self.assertIn("NOTIFY=FAILURE,DELAY", mail.parameters[1])
                self.assertIn(f"ORCPT=rfc822;{mail.recipients[0]}", mail.parameters[1])
                self.assertTrue(mail.data.endswith(b"\r\n") and not mail.data.endswith(b"\r\n\r\n\r\n"))
            self.assertEqual(club.control("outbox"), "")

    def foreign_club(self, server, name):
        """Anna's address has letters that no ASCII has; Bruno's domain only."""
        club = self.smtp_club(server, name=name)
        text = tournament_text([("anna", "bruno")])
        club.import_text(text.replace(address_of("anna"), "jäärä@players.example").replace(
            address_of("bruno"), "bruno@käpälä.example"))
        return club

    def test_addresses_of_all_scripts(self):
        """RFC 6531 where the server knows it; a foreign domain is written in A-labels."""
        server = self.tls_server()
        club = self.foreign_club(server, "knows")
        self.assertEqual(self.run_pass(club).returncode, 0)
        self.assertEqual([mail.recipients for mail in server.mails],
                         [["jäärä@players.example"], ["bruno@xn--kpl-qlabb.example"]])
        self.assertIn("SMTPUTF8", server.mails[0].parameters[0])
        self.assertNotIn("SMTPUTF8", server.mails[1].parameters[0])
        self.assertIn("<jäärä@players.example>".encode(), server.mails[0].data)
        self.assertIn(b"<bruno@xn--kpl-qlabb.example>", server.mails[1].data)
        # He answers from that address, and is known by it.
        token = re.search(rb"^Reply-To: <?(\S+@club.example)", server.mails[0].data, re.M)[1].decode()
        when = START + HOUR
        club.drop(f"From: Anna <jäärä@players.example>\nTo: {token}\nSubject: move\n"
                  f"Message-ID: <1@players.example>\n\n1. e4\n".encode(), when)
        self.assertEqual(self.run_pass(club, when).returncode, 0)
        row, = club.json("messages")
        self.assertEqual((row["verdict"], row["trust"], row["player"]), ("accepted", "token", "anna"))
        self.assertEqual({mail.recipients[0] for mail in server.mails[2:]},
                         {"bruno@xn--kpl-qlabb.example", "jäärä@players.example", "td@club.example"})

    def test_a_server_that_knows_no_other_script(self):
        server = self.tls_server(offers=[offer for offer in OFFERS if offer != "SMTPUTF8"])
        club = self.foreign_club(server, "knows-not")
        self.run_pass(club)
        self.assertEqual([mail.recipients[0] for mail in server.mails][:1], ["bruno@xn--kpl-qlabb.example"])
        row, = [row for row in club.json("outbox") if row["recipient"] == "jäärä@players.example"]
        self.assertIn("SMTPUTF8", row["error"])
        self.run_pass(club, START + MINUTE)
        self.assertTrue(any(b"Zugpost-Kind: bounce-notice" in mail.data for mail in server.mails))

    def test_every_mechanism(self):
        for auth in ("login", "plain", "cram-md5", "scram-sha-1", "scram-sha-256", "xoauth2"):
            # A token of OAuth2 is long: it does not fit into the line of the command.
            password = "ya29." + "tok" * 500 if auth == "xoauth2" else PASSWORD
            server = self.tls_server(auth=auth.upper(), users={USER: password})
            club = self.smtp_club(server, name=auth, extra=f"auth = {auth}", password=password)
            done = self.run_pass(club)
            self.assertEqual((done.returncode, len(server.mails)), (0, 2), done.stderr)
            # And a wrong one.
            (club.top / "secret").write_text("no-" + password + "\n")
            done = club.run(DAEMON, "--config", club.config, "--check", "--online")
            self.assertEqual(done.returncode, 78)
            self.assertIn("the login is refused", done.stderr)
            self.assertNotIn(password, text_of(done))

    def test_a_token_that_is_replaced(self):
        """The running daemon logs in with what the file holds then: a new token costs nothing, not even a pause."""
        server = self.tls_server(auth="XOAUTH2", users={USER: "old-token"})
        club = self.smtp_club(server, extra="auth = xoauth2", password="old-token")
        daemon = Daemon(club)
        self.addCleanup(daemon.kill)
        for n, who, text, token in ((2, "anna", "1. e4", "new-token"), (5, "bruno", "1. e4 e5", "newest-token")):
            await_mails(server, n)
            self.password = token
            server.users = {USER: token}
            (club.top / "fresh").write_text(token + "\n")
            (club.top / "fresh").rename(club.top / "secret")
            mail, = [mail for mail in server.mails[n - 3 if n > 2 else 0:n] if mail.recipients == [address_of(who)]]
            reply_to = re.search(rb"^Reply-To: <?(\S+@club.example)", mail.data, re.M)[1].decode()
            club.drop(f"From: {address_of(who)}\nTo: {reply_to}\nSubject: move\nMessage-ID: <{n}@players.example>\n"
                      f"\n{text}\n".encode(), datetime.now(timezone.utc))
        await_mails(server, 8)
        self.assertEqual(server.logins, ["XOAUTH2"] * 3)
        self.assertEqual(daemon.stop(), 0)
        self.assertNotIn("refused", daemon.words())
        self.assertNotIn("no mail goes out", daemon.words())

    def test_offers_that_are_missing(self):
        for name, offers, wanted in (("bare", (), []), ("no-pipelining", OFFERS[1:], ["SIZE", "RET"])):
            server = self.tls_server(offers=offers)
            club = self.smtp_club(server, name=name)
            self.assertEqual(self.run_pass(club).returncode, 0)
            self.assertEqual(len(server.mails), 2)
            parameters = server.mails[0].parameters[0]
            self.assertEqual([word for word in ("SIZE", "RET") if word in parameters], wanted)

    def test_plain_text_for_loopback(self):
        server = self.server(auth="PLAIN")
        club = self.smtp_club(server, extra="tls = none\nauth = plain")
        self.assertEqual(self.run_pass(club).returncode, 0)
        self.assertEqual((len(server.mails), server.logins), (2, ["PLAIN"]))
        server = self.server(auth="")
        club = self.smtp_club(server, user="", extra="tls = none", name="open")
        self.assertEqual(self.run_pass(club).returncode, 0)
        self.assertEqual(len(server.mails), 2)

    def test_check_online_sends_nothing(self):
        server = self.tls_server()
        club = self.smtp_club(server)
        done = club.run(DAEMON, "--config", club.config, "--check", "--online")
        self.assertEqual((done.returncode, text_of(done)), (0, ""))
        self.assertEqual(server.logins, ["LOGIN"])
        self.assertEqual([line for line in server.commands if line.startswith("MAIL")], [])
        (club.top / "secret").unlink()
        done = club.run(DAEMON, "--config", club.config, "--check", "--online")
        self.assertEqual(done.returncode, 78)
        self.assertIn("secret", done.stderr)
        # A password that is not there is a target that cannot be reached.
        self.assertEqual(self.run_pass(club).returncode, 75)
        (club.top / "secret").write_text(PASSWORD + "\n")
        self.assertEqual(self.run_pass(club).returncode, 0)
        self.assertEqual(len(server.mails), 2)


class Hostile(SmtpTest):
    """Each server is wrong in its way, then mends it: every mail has come once."""

    def check(self, name, server, wanted, code=75, scheme="smtp", doubled=False, within=20,
              taken=0, **options):
        with self.subTest(name):
            club = self.smtp_club(server, scheme, name=name.replace(" ", "-"), **options)
            done = self.run_pass(club, within=within)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertRegex(done.stderr, wanted)
            self.assertEqual(len(server.mails), taken)
            # What is wrong is said once, not for every mail.
            self.assertLessEqual(done.stderr.count("cannot be reached"), 1)
            self.mend(club, server, scheme, doubled)

    def mend(self, club, server, scheme, doubled):
        good = server
        if server.script.get("bad"):
            good = self.tls_server(implicit=scheme == "smtps")
            text = club.config.read_text().replace(f":{server.port}", f":{good.port}")
            club.config.write_text(text)
        good.script = {}
        done = self.run_pass(club, START + HOUR)
        self.assertEqual(done.returncode, 0, done.stderr)
        ids = self.ids(good)
        self.assertEqual(len(set(ids)), 2)
        self.assertEqual(len(ids), 2)
        if doubled:
            # Taken at the first attempt too, as far as anybody knows: the same mails.
            self.assertEqual({mail.id for mail in good.taken}, set(ids))
            self.assertGreater(len(good.taken), 2)
        self.assertEqual(club.control("outbox"), "")

    def test_certificates(self):
        make = self.certificates
        past = ("20200101000000Z", "20210101000000Z")
        future = ("20500101000000Z", "20600101000000Z")
        bad = {
            "wrong host": make.server("wrong-host", host="other.example"),
            "other ca": make.server("other", ca="other-ca"),
            "expired": make.server("expired", end=past),
            "not yet valid": make.server("future", end=future),
            "self-signed": make.self_signed(),
        }
        for scheme in ("smtps", "smtp"):
            for name, certificate in bad.items():
                server = self.server(certificate=certificate, implicit=scheme == "smtps",
                                     script={"bad": True})
                self.check(f"{scheme} {name}", server, "certificate", scheme=scheme)
                self.assertEqual([line for line in server.commands if line.startswith("AUTH")], [])

    def test_old_tls(self):
        for scheme in ("smtps", "smtp"):
            server = self.tls_server(implicit=scheme == "smtps", tls_max=ssl.TLSVersion.TLSv1_1,
                                     script={"bad": True})
            self.check(f"{scheme} tls 1.1", server, "target-down|cannot be reached", scheme=scheme)

    def test_starttls_is_insisted_on(self):
        stripped = self.server(auth="PLAIN", script={"bad": True})
        self.check("stripped", stripped, "does not offer STARTTLS")
        self.assertEqual(stripped.commands, ["EHLO club.example"] if stripped.hellos else [])
        refused = self.tls_server(script={"STARTTLS": "454 4.7.0 not now"})
        self.check("refused", refused, "STARTTLS: 454 4.7.0 not now")
        # Plain text behind the consent would be taken for the protected session's.
        injected = self.tls_server(script={
            "STARTTLS": b"220 go\r\n250-injected\r\n250 AUTH PLAIN\r\n"})
        self.check("injected", injected, "cannot be reached")
        garbled = self.tls_server(script={"STARTTLS": b"220 go\r\n", "bad": True})
        self.check("no handshake", garbled, "cannot be reached")

    def test_what_is_no_reply(self):
        for step in ("greeting", "EHLO", "AUTH"):
            for name, action in (("garbage", GARBAGE), ("long line", LONG_LINE), ("endless", ENDLESS),
                                 ("eof", EOF), ("reset", RESET), ("nothing", b"\r\n"),
                                 ("299", "299 fine"), ("421", "421 4.3.2 later"),
                                 ("554", "554 5.3.2 go away")):
                server = self.tls_server(script={step: action})
                # What a server says of itself is told; of a login the codes alone.
                said = action if name in ("421", "554") and step != "AUTH" else ""
                self.check(f"{step} {name}", server, f"cannot be reached: .*{said}")

    def test_one_that_keeps_us_waiting(self):
        for step, action in (("greeting", SILENCE), ("greeting", DRIP), ("EHLO", DRIP),
                             ("MAIL", SILENCE), ("END", DRIP)):
            server = self.tls_server(script={step: action})
            self.check(f"{step} {'drip' if action is DRIP else 'silence'}", server,
                       "no complete answer within", within=12 if step == "END" else 6, timeout="1s",
                       doubled=step == "END")

    def test_the_login_decides(self):
        for name, script, wanted in (
                ("299", {"AUTH2": "299 sure"}, "login is refused: 299"),
                ("334 for ever", {"AUTH2": "334 "}, "."),
                ("454", {"AUTH2": "454 4.7.0 later"}, "login is refused: 454 4.7.0")):
            self.check(name, self.tls_server(script=script), wanted)
        server = self.tls_server(auth="DIGEST-MD5")
        server.script["bad"] = True
        self.check("no mechanism", server, "does not offer AUTH LOGIN")

    def test_lost_over_a_mail(self):
        for step in ("MAIL", "RCPT", "DATA", "END"):
            for name, action in (("eof", EOF), ("reset", RESET), ("garbage", GARBAGE),
                                 ("long line", LONG_LINE)):
                server = self.tls_server(script={step: action})
                self.check(f"{step} {name}", server, "mail [0-9]+ waits: ",
                           doubled=step == "END")

    def test_421_at_every_step(self):
        for step in ("MAIL", "RCPT", "DATA", "END"):
            server = self.tls_server(script={step: "421 4.3.2 shutting down"})
            self.check(f"421 {step}", server, "421 4.3.2 shutting down", code=0)

    def test_a_connection_that_has_had_its_number_of_mails(self):
        server = self.tls_server(script={"MAIL": [None, "421 4.7.0 enough for one connection"]})
        club = self.smtp_club(server)
        done = self.run_pass(club)
        self.assertEqual((done.returncode, len(server.mails), server.connections), (0, 2, 2),
                         done.stderr)
        server = self.tls_server(script={"MAIL": [None, EOF]})
        club = self.smtp_club(server, name="closed")
        done = self.run_pass(club)
        self.assertEqual((done.returncode, len(server.mails), server.connections), (0, 2, 2),
                         done.stderr)

    def test_nobody_there(self):
        server = self.tls_server()
        club = self.smtp_club(server)
        server.close()
        done = self.run_pass(club)
        self.assertEqual(done.returncode, 75)
        self.assertRegex(done.stderr, "refused")
        listed = club.json("outbox")
        self.assertEqual([(row["state"], row["attempts"]) for row in listed], [("waiting", 0)] * 2)
        self.assertRegex(club.control("outbox"), "cannot be reached since")


if __name__ == "__main__":
    unittest.main(verbosity=2)
