"""The installed service: a real systemd in a box, the package, and clubs that play in it.

Environment: see box.py. Exits with 77 where no box can be made.
"""
import json
import os
import re
import shutil
import sys
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

HERE = Path(__file__).resolve().parent
INTEGRATION = HERE.parent / "integration"
sys.path.insert(0, str(INTEGRATION))

import club
from box import BoxTest, run_tests, wait_for
from club import address_of, find, tournament_text
from mailers import Reply, headers, assemble

CONFIGURATION = """\
[club]
name = Demo Chess Club
address = moves@club.example
arbiter = arbiter@club.example
admin = postmaster@club.example

[store]
directory = /var/lib/zugpost/{name}

[mailbox moves]
source = maildir:{top}/in

[delivery]
target = maildir:{top}/out
"""

# Enough for sendmail: what it is given waits in the queue's maildrop.
MAIN = """\
compatibility_level = 3.6
myhostname = box.club.example
"""
MAILDROP = "/var/spool/postfix/maildrop"


class Served:
    """A club of the service zugpostd@NAME in the box."""

    def __init__(self, box, name, text=None, top=None):
        self.box = box
        self.name = name
        self.unit = f"zugpostd@{name}.service"
        self.top = top or f"/var/lib/zugpost/{name}"
        self.seen = set()
        self.serial = 0
        account = self.account()
        for sub in ("in/new", "in/cur", "in/tmp", "out/new", "out/cur", "out/tmp"):
            path = box.path(f"{self.top}/{sub}")
            path.mkdir(parents=True, exist_ok=True)
            os.chown(path, *account)
            os.chown(path.parent, *account)
        os.chown(box.path(self.top), *account)
        self.configure(text or CONFIGURATION.format(name=name, top=self.top))

    def account(self):
        for line in self.box.path("/etc/passwd").read_text().splitlines():
            if line.startswith("zugpost:"):
                return tuple(map(int, line.split(":")[2:4]))
        raise LookupError("there is no account zugpost")

    def configure(self, text):
        path = self.box.path(f"/etc/zugpost/{self.name}.conf")
        path.write_text(text)
        path.chmod(0o644)
        self.text = text

    def drop_in(self, text):
        folder = self.box.path(f"/etc/systemd/system/{self.unit}.d")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "test.conf").write_text("[Service]\n" + text)
        self.box.run("systemctl", "daemon-reload")

    def systemctl(self, verb, check=True):
        return self.box.run("systemctl", verb, self.unit, check=check)

    def show(self, *names):
        return self.box.show(self.unit, *names)

    def pid(self):
        return int(self.show("MainPID"))

    def kill(self, sig):
        self.box.run("kill", f"-{sig}", self.pid())

    def control(self, *words, check=True, user=None):
        return self.box.run("zugpostctl", "--club", self.name, *words, check=check, user=user)

    def import_game(self, pairs=(("anna", "bruno"),)):
        start = datetime.now(timezone.utc) - timedelta(hours=1)
        text = tournament_text(pairs, start=club.rfc3339(start))
        path = self.box.path(f"/tmp/{self.name}.ini")
        path.write_text(text)
        self.control("import", f"/tmp/{self.name}.ini")

    def mails(self, kind, player, ply=None):
        found = self.box.path(self.out(player))
        mails = [club.Mail(path) for path in sorted(found.iterdir())] if found.is_dir() else []
        return [mail for mail in find(mails, kind, address_of(player)) if ply in (None, mail.ply)]

    def await_mail(self, kind, player, ply=None):
        try:
            return wait_for(lambda: self.mails(kind, player, ply), f"{kind} {ply} to {player}")[-1]
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n{self.box.journal(self.unit)}") from None

    def answer(self, mail, player, moves):
        """The player replies to a mail with the last one of these moves, and repeats the one before."""
        self.serial += 1
        now = datetime.now(timezone.utc)
        reply = Reply(mail=mail, sender=address_of(player), name=player, when=now, san=moves[-1], uci="",
                      ply=len(moves) - 1, last=moves[-2] if len(moves) > 1 else "", serial=self.serial)
        raw = assemble(headers(reply), f"{reply.repeated}\n".encode())
        self.deliver(raw, f"{int(now.timestamp())}.M{self.serial:06}P1.mx")

    def deliver(self, raw, name):
        """Into the Maildir that the club reads."""
        path = self.box.path(f"{self.top}/in/tmp/{name}")
        path.write_bytes(raw)
        os.chown(path, *self.account())
        path.rename(self.box.path(f"{self.top}/in/new/{name}"))

    def out(self, player):
        """The Maildir where a player's mail arrives."""
        return f"{self.top}/out/new"

    def play(self, moves=("e4", "e5", "Nf3")):
        """Anna and Bruno move in turn."""
        players = ("anna", "bruno")
        mail = self.await_mail("pairing", "anna")
        for ply in range(1, len(moves) + 1):
            self.answer(mail, players[(ply - 1) % 2], moves[:ply])
            mail = self.await_mail("move", players[ply % 2], ply)
        return mail


class Installed(BoxTest):
    """The package in a box."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.box.run("dpkg", "--install", "/opt/zugpost.deb")

    def served(self, name, **options):
        served = Served(self.box, name, **options)
        self.addCleanup(self.box.run, "systemctl", "stop", served.unit, check=False)
        return served


class ServiceTest(Installed):
    def test_install(self):
        """Account, folders, manuals, completion."""
        self.assertIn("zugpost", self.box.run("id", "zugpost").stdout)
        self.assertEqual(self.box.run("stat", "-c", "%a %U %G", "/etc/zugpost", "/var/lib/zugpost",
                                      "/run/zugpost").stdout,
                         "750 root zugpost\n750 zugpost zugpost\n755 root root\n")
        self.box.run("sh", "-c", "man -w zugpostd || ls /usr/share/man/man8/zugpostd.8.gz")
        words = self.box.run("bash", "-c", "touch /etc/zugpost/demo.conf; "
                             ". /usr/share/bash-completion/completions/zugpostctl; "
                             "COMP_WORDS=(zugpostctl --club demo ru); COMP_CWORD=3; _zugpostctl; "
                             "echo ${COMPREPLY[@]}; COMP_WORDS=(zugpostctl --club de); COMP_CWORD=2; "
                             "_zugpostctl; echo ${COMPREPLY[@]}; rm /etc/zugpost/demo.conf").stdout
        self.assertEqual(words, "rule\ndemo\n")

    def test_game(self):
        """Enabled, started, told of; a game is relayed under the hardening; the journal has it."""
        served = self.served("game")
        self.box.run("systemctl", "enable", "--now", served.unit)
        self.assertEqual(served.show("ActiveState", "UnitFileState"),
                         {"ActiveState": "active", "UnitFileState": "enabled"})
        status = self.box.path(f"/proc/{served.pid()}/status").read_text()
        for line in (r"CapBnd:\s0+$", r"CapEff:\s0+$", r"NoNewPrivs:\s1$", r"Seccomp:\s2$"):
            self.assertRegex(status, re.compile(line, re.M))
        served.import_game()
        served.play()
        self.box.await_property(served.unit, "StatusText",
                                lambda text: text.startswith("0 messages and 0 mails wait, next deadline 2"))
        lines = [json.loads(line) for line in
                 self.box.journal(served.unit, "--output=json").splitlines()]
        moves = [line for line in lines if line.get("ZUGPOST_EVENT") == "message"]
        self.assertEqual([(line["ZUGPOST_GAME"], line["ZUGPOST_PLY"], line["ZUGPOST_PLAYER"],
                           line["ZUGPOST_VERDICT"], line["CLUB"]) for line in moves],
                         [("KO-50.2/1", str(ply), player, "accepted", "game")
                          for ply, player in ((1, "anna"), (2, "bruno"), (3, "anna"))])
        self.assertEqual({len(line["MESSAGE_ID"]) for line in moves}, {32})
        said = self.box.journal(served.unit, "--catalog")
        self.assertIn("Subject: A message was decided", said)
        self.assertIn("The daemon serves game", said)
        served.systemctl("stop")
        self.assertEqual(served.show("Result", "ExecMainStatus"), {"Result": "success", "ExecMainStatus": "0"})
        self.assertFalse(self.box.path("/run/zugpost/game.sock").exists())
        # Without the daemon the same command works on the store, and leaves it to its account.
        self.assertIn("KO-50.2/1", served.control("games").stdout)
        served.control("pause")
        owners = self.box.run("find", "/var/lib/zugpost/game", "!", "-user", "zugpost").stdout
        self.assertEqual(owners, "")
        served.control("resume")

    def test_credentials(self):
        """With a password that is not there the service does not start, and is not tried again."""
        served = self.served("login", text=CONFIGURATION.replace(
            "maildir:{top}/out", "smtps://moves@localhost\npassword = credential:smtp").format(
                name="login", top="/var/lib/zugpost/login"))
        # The documented drop-in, as it stands.
        text = self.box.path("/usr/share/doc/zugpost/examples/credentials.conf").read_text()
        served.drop_in(text[text.index("[Service]") + len("[Service]\n"):])
        refused = served.systemctl("start", check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertEqual(served.show("ExecMainStatus", "ActiveState", "NRestarts"),
                         {"ExecMainStatus": "243", "ActiveState": "failed", "NRestarts": "0"})
        for name in ("imap", "smtp"):
            path = self.box.path(f"/etc/zugpost/login.{name}")
            path.write_text("password\n")
            path.chmod(0o600)
        self.box.run("systemctl", "reset-failed", served.unit, "zugpostd@login.socket")
        served.systemctl("start")
        self.assertEqual(served.show("ActiveState"), "active")

    @unittest.skipUnless(shutil.which("postdrop"), "no Postfix")
    def test_told_of_failure(self):
        """Root and the administrator get a mail when the daemon is given up, or starts again and again; not two."""
        self.box.path("/etc/postfix/main.cf").write_text(MAIN)

        def mail_of(club_name):
            """The one mail that is about this club."""
            unit = f"zugpost-failed@zugpostd@{club_name}.service"
            self.box.await_property(unit, "ExecMainExitTimestampMonotonic", lambda at: at not in ("", "0"))
            self.assertEqual(self.box.show(unit, "Result"), "success", self.box.journal(unit))
            mails = [self.box.run("postcat", f"{MAILDROP}/{path.name}", check=False).stdout
                     for path in self.box.path(MAILDROP).iterdir()]
            text, = [mail for mail in mails if f"\nSubject: zugpostd@{club_name} has failed on " in mail]
            self.assertIn("\nTo: root, postmaster@club.example\n", text)
            self.assertEqual(re.findall(r"^recipient: (.*)$", text, re.M), ["root", "postmaster@club.example"])
            return text

        served = self.served("given-up")
        served.configure(served.text + "colour = blue\n")
        self.assertNotEqual(served.systemctl("start", check=False).returncode, 0)
        text = mail_of("given-up")
        self.assertIn("code=exited, status=78/CONFIG", text)
        self.assertIn("It has been given up", text)
        self.assertIn('unknown key "colour"', text)
        # Once is enough.
        self.assertNotEqual(served.systemctl("start", check=False).returncode, 0)
        wait_for(lambda: "told of it less than" in self.box.journal("zugpost-failed@zugpostd@given-up"), "the second time")

        held = self.served("held")
        held.drop_in("RestartSec=100ms\n")
        self.box.run("systemd-run", "--unit=holder", "--uid=zugpost", "flock", "/var/lib/zugpost/held/zugpost.lock",
                     "sh", "-c", "touch /var/lib/zugpost/held/locked; sleep infinity")
        wait_for(self.box.path("/var/lib/zugpost/held/locked").exists, "the lock")
        self.box.run("systemctl", "start", held.unit, check=False)
        text = mail_of("held")
        self.assertIn("code=exited, status=75/TEMPFAIL", text)
        self.assertIn("systemd starts it again", text)
        self.assertIn("another process holds the store", text)
        self.box.run("systemctl", "stop", "holder")
        self.box.await_property(held.unit, "ActiveState", lambda state: state == "active")
        mail_of("given-up")
        mail_of("held")

    def test_reload(self):
        """A good configuration is taken; a bad one is refused visibly, and the old one stays."""
        served = self.served("reload")
        served.systemctl("start")
        pid = served.pid()
        good = served.text
        served.configure(good.replace("Demo Chess Club", "Another Club"))
        served.systemctl("reload")
        served.configure(good + "colour = blue\n")
        refused = served.systemctl("reload", check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn('unknown key "colour"', self.box.journal(served.unit))
        self.assertEqual(served.show("ActiveState", "MainPID"), {"ActiveState": "active", "MainPID": str(pid)})
        # By signal the daemon itself refuses it.
        served.kill("HUP")
        wait_for(lambda: "the old one stays" in self.box.journal(served.unit), "a word on the reload")
        self.assertEqual(served.show("ActiveState"), "active")
        served.configure(good)
        served.import_game()
        mail = served.await_mail("pairing", "anna")
        self.assertIn("Another Club", str(mail.message["From"]))

    def test_faulty_configuration(self):
        """No restart loop: the start fails once, with 78."""
        served = self.served("faulty")
        served.configure("[club]\nname = Only a name\n")
        self.assertNotEqual(served.systemctl("start", check=False).returncode, 0)
        self.assertEqual(served.show("ActiveState", "ExecMainStatus", "NRestarts"),
                         {"ActiveState": "failed", "ExecMainStatus": "78", "NRestarts": "0"})
        self.assertIn("[club] lacks address", self.box.journal(served.unit))

    def test_store_of_a_later_version(self):
        """A program that is too old refuses it once, says so and touches nothing."""
        served = self.served("later")
        served.control("players")
        store = self.box.path("/var/lib/zugpost/later/zugpost.db")
        self.box.run("/usr/bin/python3", "-c", "import sqlite3\n"
                     "store = sqlite3.connect('/var/lib/zugpost/later/zugpost.db')\n"
                     "store.execute('PRAGMA user_version = 99')\nstore.execute('PRAGMA wal_checkpoint(TRUNCATE)')")
        before = store.read_bytes()
        self.assertNotEqual(served.systemctl("start", check=False).returncode, 0)
        self.assertEqual(served.show("ActiveState", "ExecMainStatus", "NRestarts"),
                         {"ActiveState": "failed", "ExecMainStatus": "78", "NRestarts": "0"})
        self.assertIn("the store /var/lib/zugpost/later: it belongs to a newer version", self.box.journal(served.unit))
        self.assertEqual(store.read_bytes(), before)

    def test_kill(self):
        """Killed at any time it comes back, and goes on where it was."""
        served = self.served("kill")
        served.drop_in("RestartSec=100ms\n")
        served.systemctl("start")
        served.import_game()
        served.play(moves=("d4",))
        pid = served.pid()
        served.kill("KILL")
        self.box.await_property(served.unit, "NRestarts", lambda n: n == "1")
        self.box.await_property(served.unit, "ActiveState", lambda state: state == "active")
        self.assertNotEqual(served.pid(), pid)
        mail = served.await_mail("move", "bruno")
        served.answer(mail, "bruno", ["d4", "d5"])
        served.await_mail("move", "anna", 2)

    def test_watchdog(self):
        """One that hangs is ended and started again."""
        served = self.served("watchdog")
        served.drop_in("RestartSec=100ms\nWatchdogSec=1s\n")
        served.systemctl("start")
        served.kill("STOP")
        self.box.await_property(served.unit, "NRestarts", lambda n: n == "1")
        self.assertIn("Watchdog timeout", self.box.journal(served.unit))
        self.box.await_property(served.unit, "ActiveState", lambda state: state == "active")

    def test_two_clubs(self):
        """Two clubs side by side, ended by the target; two daemons of one store never."""
        one, other = self.served("one"), self.served("other")
        self.box.run("systemctl", "enable", "--now", one.unit, other.unit, "zugpost.target")
        done = self.box.run("zugpostd", "--club", "one", user="zugpost", check=False)
        self.assertEqual(done.returncode, 75)
        self.assertIn("another process holds the store", done.stderr)
        self.box.run("systemctl", "stop", "zugpost.target")
        for served in (one, other):
            self.box.await_property(served.unit, "ActiveState", lambda state: state == "inactive")

    def test_maildir_outside(self):
        """A Maildir elsewhere needs the documented drop-in."""
        served = self.served("outside", top="/srv/outside")
        self.box.path("/var/lib/zugpost/outside").mkdir(exist_ok=True)
        os.chown(self.box.path("/var/lib/zugpost/outside"), *served.account())
        served.import_game()
        served.systemctl("start")
        wait_for(lambda: "Read-only file system" in self.box.journal(served.unit), "a word on the Maildir")
        text = self.box.path("/usr/share/doc/zugpost/examples/maildir.conf").read_text()
        served.drop_in(text[text.index("ReadWritePaths="):].replace("/var/mail/chess", served.top))
        served.systemctl("restart")
        served.play(moves=("c4",))

    def test_backup(self):
        """The timer's copy is whole and nobody else's to read."""
        served = self.served("backup")
        served.systemctl("start")
        served.import_game()
        served.play(moves=("e4", "c5"))
        self.box.run("systemctl", "enable", "--now", "zugpost-backup@backup.timer")
        self.assertRegex(self.box.show("zugpost-backup@backup.timer", "NextElapseUSecRealtime"), "20")
        self.box.run("systemctl", "start", "zugpost-backup@backup.service")
        copy, = self.box.path("/var/lib/zugpost-backup/backup").iterdir()
        self.assertEqual(copy.stat().st_mode & 0o7777, 0o600)
        # Put in the place of a store, it is one.
        store = self.box.path("/var/lib/zugpost/restored")
        store.mkdir()
        shutil.copy(copy, store / "zugpost.db")
        shutil.chown(store, *served.account())
        shutil.chown(store / "zugpost.db", *served.account())
        restored = self.served("restored")
        self.assertEqual(json.loads(restored.control("game", "KO-50.2/1", "--json").stdout)["uci"],
                         ["e2e4", "c7c5"])
        restored.control("verify")

    def test_z_upgrade_and_purge(self):
        """An upgrade starts running clubs again; a purge keeps what was played."""
        served = self.served("upgrade")
        self.box.run("systemctl", "enable", "--now", served.unit)
        served.import_game()
        served.play(moves=("e4",))
        pid = served.pid()
        self.box.run("dpkg", "-i", "/opt/zugpost.deb")
        self.assertEqual(served.show("ActiveState"), "active")
        self.assertNotEqual(served.pid(), pid)
        mail = served.await_mail("move", "bruno")
        served.answer(mail, "bruno", ["e4", "e5"])
        served.await_mail("move", "anna", 2)
        pid = served.pid()
        said = self.box.run("dpkg", "--purge", "zugpost")
        self.assertIn("/var/lib/zugpost is kept", said.stderr + said.stdout)
        self.assertTrue(self.box.path("/var/lib/zugpost/upgrade/zugpost.db").exists())
        left = self.box.run("find", "/etc/systemd", "/usr/bin", "/usr/sbin", "/usr/libexec", "/usr/lib/systemd",
                            "/usr/lib/sysusers.d", "/usr/lib/tmpfiles.d", "/usr/share/doc", "/usr/share/man",
                            "/usr/share/zugpost", "/usr/share/bash-completion", "-name", "*zugpost*",
                            "-not", "-path", "*/*.service.d", check=False).stdout
        self.assertEqual(left, "")
        self.assertFalse(self.box.path(f"/proc/{pid}").exists())


if __name__ == "__main__":
    run_tests()
