"""Delivery to real mail servers, started for the test alone: Postfix with TLS, and logins by
Dovecot's auth, which also sends back what it cannot deliver; and Postfix's smtp-sink.
"""
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

import smtp
from club import ARBITER, CONFIGURATION, DAEMON, DIRECTOR, Club, Mail, Watch, address_of, scratch_folder
from mailers import letter
from smtp_server import PASSWORD, USER

MAIN = """\
compatibility_level = 3.6
queue_directory = {top}/spool
data_directory = {top}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
meta_directory = /etc/postfix
mail_owner = postfix
setgid_group = postdrop
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.club.example
mydestination =
mynetworks =
alias_maps =
alias_database =
virtual_mailbox_domains = club.example, players.example
virtual_mailbox_maps = inline:{{ {boxes} }}
virtual_mailbox_base = {top}/box
virtual_uid_maps = static:{user}
virtual_gid_maps = static:{group}
recipient_delimiter = +
maillog_file = {top}/log
maillog_file_prefixes = {top}
smtpd_reject_unlisted_recipient = no
smtpd_tls_cert_file = {certificate}
smtpd_tls_key_file = {certificate}
smtpd_tls_session_cache_database =
smtpd_tls_auth_only = yes
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = {top}/auth
smtpd_sasl_tls_security_options = noanonymous
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_recipient_restrictions =
    check_recipient_access inline:{{ {{ full@players.example = 452 4.2.2 Mailbox full }} }}, permit
"""

MASTER = """\
127.0.0.1:{starttls} inet n - n - - smtpd -o smtpd_tls_security_level=encrypt
127.0.0.1:{implicit} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
postlog unix-dgram n - n - 1 postlogd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
error unix - - n - - error
proxymap unix - - n - - proxymap
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
tlsmgr unix - - n 1000? 1 tlsmgr
"""

AUTH = """\
base_dir = {top}/run
log_path = {top}/auth.log
protocols = none
ssl = no
auth_mechanisms = plain login cram-md5 scram-sha-1 scram-sha-256
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid=nobody gid=nogroup home=/nonexistent
}}
service auth {{
  unix_listener {top}/auth {{
    mode = 0666
  }}
}}
"""


def free_ports(n):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [taken.getsockname()[1] for taken in sockets]
    for taken in sockets:
        taken.close()
    return ports


def wait_until(true, seconds=20):
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError("the server does not come up")
        time.sleep(0.02)


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Postfix:
    """A mail system of its own below TOP. BOXES: address -> Maildir below TOP/box."""

    def __init__(self, top: Path, certificate: Path, boxes):
        self.top = top
        self.starttls, self.implicit = free_ports(2)
        owner = pwd.getpwnam("postfix")
        for name in ("conf", "spool", "data", "box"):
            (top / name).mkdir(parents=True)
        for name in ("data", "box"):
            os.chown(top / name, owner.pw_uid, owner.pw_gid)
        for folder in (top, *top.parents):
            if folder.stat().st_mode & 0o005 != 0o005:
                folder.chmod(0o755)
        for path in boxes.values():
            for part in ("", "cur", "new", "tmp"):
                (top / "box" / path / part).mkdir()
                os.chown(top / "box" / path / part, owner.pw_uid, owner.pw_gid)
        listed = " ".join(f"{address}={path}/" for address, path in boxes.items())
        fields = {"top": top, "certificate": certificate, "boxes": listed, "user": owner.pw_uid,
                  "group": owner.pw_gid, "starttls": self.starttls, "implicit": self.implicit,
                  "password": PASSWORD}
        (top / "conf/main.cf").write_text(MAIN.format(**fields))
        (top / "conf/master.cf").write_text(MASTER.format(**fields))
        (top / "auth.conf").write_text(AUTH.format(**fields))
        self.auth = subprocess.Popen(["dovecot", "-F", "-c", str(top / "auth.conf")],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.command("start")
        wait_until(lambda: (top / "auth").exists() and answers(self.starttls))

    def command(self, word):
        done = subprocess.run(["postfix", "-c", str(self.top / "conf"), word], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"postfix {word}: {done.stdout}")

    def stop(self):
        self.command("stop")
        self.auth.send_signal(signal.SIGTERM)
        self.auth.wait(timeout=20)

    def log(self):
        return (self.top / "log").read_text()


@unittest.skipUnless(os.geteuid() == 0, "Postfix is started by root only")
@unittest.skipUnless(shutil.which("postfix") and shutil.which("dovecot"), "no Postfix, no Dovecot")
class WithPostfix(smtp.SmtpTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        os.umask(0o022)
        boxes = {ARBITER: "arbiter", DIRECTOR: "td", address_of("anna"): "anna",
                 "rossi@players.example": "rossi", "moves@club.example": "moves"}
        top = Path(tempfile.mkdtemp(prefix="zugpost-postfix-", dir=scratch_folder()))
        cls.addClassCleanup(shutil.rmtree, top, ignore_errors=True)
        cls.postfix = Postfix(top / "postfix", cls.certificates.server("good"), boxes)
        cls.addClassCleanup(cls.postfix.stop)

    def setUp(self):
        super().setUp()
        self.password = PASSWORD
        self.seen = set()
        for path in (self.postfix.top / "box").glob("*/new/*"):
            path.unlink()

    def club(self, target, auth="login", games=(("anna", "bruno"),), name="club"):
        """A club that also reads what Postfix puts into its mailbox."""
        top = self.folder / name
        top.mkdir()
        (top / "secret").write_text(PASSWORD)
        text = CONFIGURATION.format(top=top, otherwise="confirm")
        text = text.replace(f"maildir:{top}/in", f"maildir:{self.postfix.top}/box/moves")
        text = text.replace(f"target = maildir:{top}/out", f"target = {target}\nauth = {auth}\n"
                            f"password = file:{top}/secret\nca-file = {self.certificates.ca_file}")
        club = Club(top, configuration=text)
        club.import_text(smtp.tournament_text(list(games)))
        self.addCleanup(self.verify, club)
        return club

    def box(self, name, n=1, seconds=20):
        """Waits until so many new mails lie in a mailbox; all of them."""
        folder = self.postfix.top / "box" / name / "new"
        watch = Watch(folder)
        self.addCleanup(watch.close)
        end = time.monotonic() + seconds
        while len(fresh := sorted(set(folder.iterdir()) - self.seen)) < n:
            try:
                watch.wait(end - time.monotonic())
            except TimeoutError:
                self.fail(f"{len(fresh)} mails in {name}\n{self.postfix.log()}")
        self.seen.update(fresh)
        return [Mail(path) for path in fresh]

    def step(self, club, code=0):
        now = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(seconds=1)
        done = self.run_pass(club, now)
        self.assertEqual(done.returncode, code, done.stderr + self.postfix.log())
        return now

    def test_logins(self):
        for scheme, port in (("smtps", self.postfix.implicit), ("smtp", self.postfix.starttls)):
            for auth in ("login", "plain", "cram-md5", "scram-sha-1", "scram-sha-256"):
                config = f"{scheme}-{auth}"
                club = self.club(f"{scheme}://{USER}@localhost:{port}", auth, name=config)
                done = club.run(DAEMON, "--config", club.config, "--check", "--online")
                self.assertEqual((done.returncode, done.stderr), (0, ""), self.postfix.log())
        (club.top / "secret").write_text("wrong")
        done = club.run(DAEMON, "--config", club.config, "--check", "--online")
        self.assertEqual(done.returncode, 78)
        self.assertIn("the login is refused: 535", done.stderr)

    def test_a_mail_comes_back(self):
        club = self.club(f"smtps://{USER}@localhost:{self.postfix.implicit}")
        self.step(club)
        # Bruno's mailbox does not exist: his pairing comes back to the club.
        pairing, = self.box("anna")
        self.box("moves")
        self.step(club)
        self.assertEqual([message["verdict"] for message in club.messages()], ["bounce"])
        notice, = self.box("anna")
        self.assertEqual(notice.kind, "bounce-notice")
        self.assertIn("unknown user", notice.text)
        self.assertEqual([mail.kind for mail in self.box("td")], ["bounce-notice"])
        failed, = club.json("outbox")
        self.assertEqual((failed["kind"], failed["state"]), ("pairing", "failed"))
        self.assertIn("unknown user", failed["error"])
        # Anna moves; the move comes back too, and Bruno's time does not run.
        now = datetime.now(timezone.utc)
        raw = letter(pairing, address_of("anna"), now, "1. e4")
        inbox = self.postfix.top / "box/moves"
        (inbox / "tmp/x").write_bytes(raw)
        (inbox / "tmp/x").rename(inbox / f"new/{int(now.timestamp())}.x.y")
        self.step(club)
        self.assertIsNotNone(club.game(1)["deadline"])
        self.box("moves")
        self.step(club)
        self.assertEqual(club.game(1)["uci"], ["e2e4"])
        self.assertIsNone(club.game(1)["deadline"])
        # He gives another address.
        club.control("player", "bruno", "--email", "rossi@players.example")
        self.step(club)
        self.assertIn("move", [mail.kind for mail in self.box("rossi")])
        self.assertIsNotNone(club.game(1)["deadline"])

    def test_a_full_mailbox(self):
        club = self.club(f"smtp://{USER}@localhost:{self.postfix.starttls}")
        club.control("player", "bruno", "--email", "full@players.example")
        self.step(club)
        waiting, = [row for row in club.json("outbox") if row["kind"] == "pairing"]
        self.assertEqual((waiting["state"], waiting["attempts"]), ("waiting", 1))
        self.assertIn("452 4.2.2", waiting["error"])


class Sink:
    """Postfix's smtp-sink, which needs neither root nor a configuration."""

    def __init__(self, *options):
        self.port, = free_ports(1)
        user = ["-u", "nobody"] if os.geteuid() == 0 else []
        self.process = subprocess.Popen(
            ["smtp-sink", *user, *options, f"127.0.0.1:{self.port}", "64"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: answers(self.port))

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=20)


@unittest.skipUnless(shutil.which("smtp-sink"), "no smtp-sink")
class WithSink(smtp.SmtpTest):
    def test_what_it_can_do_wrong(self):
        for options, code, states in (
                ((), 0, set()), (("-p",), 0, set()), (("-8",), 0, set()),
                (("-e",), 75, {"waiting"}),
                (("-r", "mail"), 0, {"waiting"}), (("-r", "rcpt"), 0, {"waiting"}),
                (("-r", "."), 0, {"waiting"}), (("-f", "."), 0, {"waiting"}),
                (("-q", "mail"), 75, {"waiting"}), (("-q", "data"), 75, {"waiting"}),
                (("-q", "connect"), 75, {"waiting"}), (("-r", "connect"), 75, {"waiting"}),
                (("-q", "."), 75, {"waiting"})):
            with self.subTest(options):
                sink = Sink(*options)
                self.addCleanup(sink.stop)
                club = self.smtp_club(sink, user="", extra="tls = none", name="-".join(("sink", *options)))
                done = self.run_pass(club)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual({row["state"] for row in club.json("outbox")}, states, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
