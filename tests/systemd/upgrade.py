"""From the package of 0.1.0 (schema 1) to the one of this build, and back: a club plays on over the upgrade, and the
old program refuses what the new one has written.

0.1.0 is built from the project's history. Environment: see box.py, and ZUGPOST_OLD, a folder where what is built stays
(by default one in the build folder).
Exits with 77 where there is no history or no box.
"""
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from unittest import SkipTest

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "integration"))

from box import BUILD, BoxTest, run_tests, wait_for
from guide import GUIDE, blocks_of
from service import Served

OLD = "68868e130bf52dd4ef69f0c2067d7f2cb15232fb"
STORE = "/var/lib/zugpost/demo/zugpost.db"
BACKUP = "/var/lib/zugpost-backup/before.db"


def old_package(folder):
    """The package of 0.1.0, built in FOLDER unless it is there."""
    found = list(folder.glob("package/*.deb"))
    if found:
        return found[0]
    git = ["git", "-C", str(TOP)]
    if not shutil.which("git") or subprocess.run([*git, "cat-file", "-e", f"{OLD}^{{commit}}"], check=False,
                                                 stderr=subprocess.DEVNULL).returncode != 0:
        raise SkipTest(f"the history, with commit {OLD}, is not here")
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    archive = subprocess.run([*git, "archive", OLD], check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-x", "-C", source], check=True, input=archive)

    def quietly(*command):
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{command}\n{done.stdout}")
    build = folder / "build"
    launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    quietly("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
            "-DBUILD_TESTING=OFF", *launcher)
    quietly("cmake", "--build", build)
    quietly("cpack", "-G", "DEB", "--config", build / "CPackConfig.cmake", "-B", folder / "package")
    package, = folder.glob("package/*.deb")
    return package


class UpgradeTest(BoxTest):
    @classmethod
    def setUpClass(cls):
        folder = Path(os.environ.get("ZUGPOST_OLD", BUILD / "zugpost-0.1.0"))
        old = old_package(folder)
        super().setUpClass()
        shutil.copy(old, cls.box.path("/opt/old.deb"))

    def schema(self, path):
        script = ("import sqlite3\n"
                  f"print(sqlite3.connect('file:{path}?mode=ro', uri=True).execute('PRAGMA user_version').fetchone()[0])")
        return int(self.box.run("/usr/bin/python3", "-c", script).stdout)

    def digest(self, path):
        return hashlib.sha256(self.box.path(path).read_bytes()).hexdigest()

    def game(self, served):
        return json.loads(served.control("game", "KO-50.2/1", "--json").stdout)

    def version(self):
        return self.box.run("zugpostd", "--version").stdout.split()[1]

    def test_there_and_back(self):
        # A club of the old version plays; a copy is made.
        self.box.run("dpkg", "--install", "/opt/old.deb")
        old_version = self.version()
        served = Served(self.box, "demo")
        self.box.run("systemctl", "enable", "--now", served.unit)
        served.import_game()
        to_anna = served.play(moves=("e4", "e5"))
        to_bruno = served.await_mail("move", "bruno", 1)
        self.box.run("install", "-d", "-o", "zugpost", "-m", "700", "/var/lib/zugpost-backup")
        served.control("backup", BACKUP, user="zugpost")
        # One move waits for delivery, because the target is gone; the next for being read, because the mailbox
        # is closed.
        self.box.run("mv", f"{served.top}/out", f"{served.top}/gone")
        served.answer(to_anna, "anna", ["e4", "e5", "Nf3"])
        wait_for(lambda: self.game(served)["ply"] == 3, "the third move")
        self.box.run("chmod", "0", f"{served.top}/in/new")
        served.answer(to_bruno, "bruno", ["e4", "e5", "Nf3", "Nc6"])
        waiting = json.loads(served.control("outbox", "--json").stdout)
        self.assertEqual({mail["kind"] for mail in waiting}, {"move", "receipt", "copy"})
        before = self.game(served)
        pid = served.pid()

        # The new package.
        said = self.box.run("dpkg", "--install", "/opt/zugpost.deb")
        self.assertNotEqual(self.version(), old_version, said.stdout)
        self.assertEqual(served.show("ActiveState", "NRestarts"), {"ActiveState": "active", "NRestarts": "0"})
        self.assertNotEqual(served.pid(), pid)
        newest = self.schema(STORE)
        self.assertGreater(newest, 1)
        after = self.game(served)
        self.assertEqual({key: after[key] for key in before}, before)
        self.assertEqual([mail["id"] for mail in json.loads(served.control("outbox", "--json").stdout)],
                         [mail["id"] for mail in waiting])
        # What the store was is kept, and the journal has it.
        copy = f"{STORE}.schema-1"
        self.assertEqual(self.box.run("stat", "-c", "%a %U", copy).stdout, "600 zugpost\n")
        self.assertEqual(self.schema(copy), 1)
        self.assertIn(f"brought up to date from schema 1; kept as {copy}", self.box.journal(served.unit))
        self.assertIn("the earlier version can be used again with that",
                      " ".join(self.box.journal(served.unit, "--catalog").replace("░░", "").split()))

        # The game goes on.
        self.box.run("mv", f"{served.top}/gone", f"{served.top}/out")
        self.box.run("chmod", "700", f"{served.top}/in/new")
        served.systemctl("restart")
        mail = served.await_mail("move", "bruno", 3)
        self.assertIn("Nf3", mail.text)
        mail = served.await_mail("move", "anna", 4)
        served.answer(mail, "anna", ["e4", "e5", "Nf3", "Nc6", "Bb5"])
        served.await_mail("move", "bruno", 5)
        served.control("verify")

        # A copy of the old version is one for the new version too.
        served.systemctl("stop")
        self.box.run("sh", "-c", f"rm -f {STORE}-wal {STORE}-shm; install -m 600 -o zugpost -g zugpost {STORE} /root/new.db;"
                     f"install -m 600 -o zugpost -g zugpost {BACKUP} {STORE}")
        served.systemctl("start")
        self.assertEqual(self.game(served)["ply"], 2)
        served.control("verify")
        self.assertEqual(self.schema(STORE), newest)
        served.systemctl("stop")
        self.box.run("sh", "-c", f"rm -f {STORE}-wal {STORE}-shm; install -m 600 -o zugpost -g zugpost /root/new.db {STORE}")
        served.systemctl("start")
        self.assertEqual(self.game(served)["ply"], 5)

        # The old program refuses what the new one has written, and touches nothing.
        served.systemctl("stop")
        here = self.digest(STORE)
        said = self.box.run("dpkg", "--install", "/opt/old.deb")
        self.assertIn("cannot read stores", said.stdout + said.stderr)
        self.assertEqual(self.version(), old_version)
        refused = self.box.run("zugpostd", "--club", "demo", user="zugpost", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("it belongs to a newer version", refused.stderr)
        self.assertNotEqual(self.box.run("zugpostctl", "--club", "demo", "games", check=False).returncode, 0)
        self.assertEqual(self.digest(STORE), here)

        # The guide's way back, word by word: with what was kept. Here it is of before the backup was taken back.
        shutil.copy(self.box.path("/opt/old.deb"), self.box.path(f"/root/zugpost_{old_version}_amd64.deb"))
        steps = [block for block in blocks_of(GUIDE.read_text(encoding="utf-8")) if block.section == "Going back"]
        self.assertGreater(len(steps), 3)
        for block in steps:
            done = self.box.run("sh", "-c", f"cd /root; {block.text}", env=("HOME=/root",), check=False)
            self.assertEqual(done.returncode, 0, f"{block.text}{done.stdout}{done.stderr}")
        self.assertEqual(self.version(), old_version)
        self.assertEqual(served.show("ActiveState"), "active")
        self.assertEqual(self.game(served)["ply"], 2)
        served.control("verify")


if __name__ == "__main__":
    run_tests()
