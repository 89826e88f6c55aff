"""`./setup install` and `./setup package`, from the sources on: what is below /usr/local serves a club as what the package
installs does.

Environment: see box.py. Exits with 77 where no box can be made.
"""
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "integration"))

from box import BoxTest, run_tests
from service import CONFIGURATION, MAIN, Served

SOURCES = "/root/zugpost"
BUILD_LIMIT = 1500.0


class SetupTest(BoxTest):
    needed = ("git", "cmake", "ninja", "postdrop")

    def setup(self, word):
        done = self.box.run("sh", "-c", f"cd {SOURCES} && ./setup {word}", limit=BUILD_LIMIT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-3000:])
        return done.stdout

    def test_from_the_sources(self):
        files = subprocess.run(["git", "-C", TOP, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                               check=True, stdout=subprocess.PIPE).stdout
        there = b"\0".join(name for name in files.split(b"\0") if name and (TOP / name.decode()).exists())
        archive = subprocess.run(["tar", "-C", TOP, "-c", "--null", "-T", "-"], check=True, input=there,
                                 stdout=subprocess.PIPE).stdout
        self.box.path(SOURCES).mkdir()
        subprocess.run(["tar", "-x", "-C", self.box.path(SOURCES)], check=True, input=archive)

        # What it says at its end is done as it says.
        said = self.setup("install")
        steps = [re.sub(r"\s+and edit it$", "", line.strip()).replace("NAME", "demo")
                 for line in said[said.rindex("Installed."):].splitlines()[1:]]
        self.assertEqual([step.split()[0] for step in steps], ["cp", "zugpostd", "systemctl"])
        self.box.run("sh", "-c", steps[0])
        self.assertIn("[mailbox moves]", self.box.path("/etc/zugpost/demo.conf").read_text())
        served = Served(self.box, "demo", text=CONFIGURATION.format(name="demo", top="/var/lib/zugpost/demo"))
        for step in steps[1:]:
            self.box.run("sh", "-c", step)
        self.assertEqual(self.box.run("which", "zugpostd", "zugpostctl").stdout,
                         "/usr/local/sbin/zugpostd\n/usr/local/bin/zugpostctl\n")
        served.import_game()
        served.play(moves=("e4", "e5"))
        self.box.run("systemctl", "start", "zugpost-backup@demo.service")
        self.box.path("/etc/postfix/main.cf").write_text(MAIN)
        self.box.run("systemctl", "start", "zugpost-failed@zugpostd@demo.service")
        self.assertEqual(len(list(self.box.path("/var/spool/postfix/maildrop").iterdir())), 1)
        self.assertIn("The daemon serves demo", self.box.journal(served.unit, "--catalog"))

        self.setup("package")
        package, = self.box.path(f"{SOURCES}/build/package").glob("zugpost_*.deb")
        self.assertEqual(package.name, self.package.name)
        served.systemctl("stop")


if __name__ == "__main__":
    run_tests()
