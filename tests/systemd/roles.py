"""Accounts of the machine and their roles at the installed service: a real systemd in a box.

Environment: see box.py. Exits with 77 where no box can be made.
"""
import json

import service
from box import run_tests, wait_for

ROLES = """
[account alice]
role = admin

[account tarmo]
role = arbiter
events = KO-*

[account berta]
role = admin
"""
GROUP = ("alice", "tarmo", "anselm")


class RolesTest(service.Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in GROUP:
            cls.box.run("useradd", "--groups", "zugpost", name)
        # She has a role, and cannot get at the socket.
        cls.box.run("useradd", "berta")

    def start(self, name):
        served = self.served(name)
        served.configure(served.text + ROLES)
        served.systemctl("start")
        served.import_game()
        served.await_mail("pairing", "anna")
        return served

    def refused(self, served, user, *words):
        done = served.control(*words, user=user, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_roles(self):
        """Each account gets what its section gives it, from the socket that the group may use."""
        served = self.start("roles")
        self.assertEqual([game["id"] for game in
                          json.loads(served.control("games", "--json", user="tarmo").stdout)], ["KO-50.2/1"])
        self.assertIn("daemon             running", served.control("status", user="tarmo").stdout)
        served.control("rule", "KO-50.2/1", "penalty", "white", 1, user="tarmo")
        self.assertIn("is for administrators", self.refused(served, "tarmo", "pause"))
        self.assertIn("is for root and the daemon's own account", self.refused(served, "tarmo", "verify"))
        served.control("pause", user="alice")
        served.control("resume", user="alice")
        for words in (["games"], ["status"], ["pause"]):
            self.assertIn("no [account NAME] in /etc/zugpost/roles.conf gives a role",
                          self.refused(served, "anselm", *words))
            self.refused(served, "berta", *words)
        self.assertIn("entered by tarmo", served.control("log", "KO-50.2/1").stdout)
        # From the reload on there is another arbiter.
        served.configure(served.text.replace("tarmo", "anselm"))
        served.control("reload", user="alice")
        wait_for(lambda: served.control("games", user="anselm", check=False).returncode == 0, "the new arbiter")
        self.refused(served, "tarmo", "games")
        # The machine forgets an account: that is told, and the service goes on.
        self.box.run("userdel", "berta")
        served.systemctl("restart")
        self.assertIn("account berta: this machine has none of that name", self.box.journal(served.unit))
        self.box.run("useradd", "berta")
        served.control("verify")

    def test_stopped(self):
        """A daemon that was stopped is not woken, and started again it is there again."""
        served = self.start("stopped")
        served.systemctl("stop")
        self.assertIn("no daemon answers", self.refused(served, "alice", "status"))
        self.assertEqual(served.show("ActiveState"), "inactive")
        served.systemctl("start")
        served.control("status", user="alice")

    def test_restarts(self):
        """Who asks while the service is started again waits for it, and it is done once."""
        served = self.start("again")
        # Longer than the daemon itself takes.
        served.drop_in("ExecStartPre=+sleep 2\nRestartSec=100ms\n")
        for verb, *options in (("restart", "--no-block"), ("kill", "--signal=KILL", "--kill-who=main")):
            pid = served.pid()
            self.box.run("systemctl", verb, *options, served.unit)
            for n in range(3):
                for user in ("alice", "tarmo"):
                    self.assertEqual(served.control("announce", "KO-50.2", f"{verb} {n}", user=user).stderr, "")
            self.assertNotEqual(served.pid(), pid)
        served.systemctl("stop")
        self.box.run("rm", "-rf", "/tmp/again")
        served.control("export", "/tmp/again")
        rows = map(json.loads, self.box.path("/tmp/again/events.jsonl").read_text().splitlines())
        said = [(row["data"]["by"], row["data"]["command"][2]) for row in rows
                if row["kind"] == "command" and row["data"]["command"][0] == "announce"]
        self.assertEqual(sorted(said), sorted((user, f"{verb} {n}") for verb in ("restart", "kill")
                                              for n in range(3) for user in ("alice", "tarmo")))
        served.control("verify")


if __name__ == "__main__":
    run_tests()
