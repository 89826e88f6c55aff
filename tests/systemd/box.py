"""A machine in a box: a real systemd over a copy-on-write view of this machine's files, without
its network. What is done inside stays inside.

Needs root and the right to make namespaces; `Unavailable` says what is missing.

Environment: ZUGPOST_BUILD, the build folder; ZUGPOST_PACKAGE, the folder of its Debian package
if that is made already.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("ZUGPOST_BUILD", HERE.parents[1] / "build/dev"))
# The clock is the machine's own: nothing in the box may set it.
BOUNDS = "-sys_time,-sys_module,-sys_rawio,-syslog,-mac_admin,-wake_alarm"
LIMIT = float(os.environ.get("ZUGPOST_TEST_LIMIT", "60"))
RUN_LIMIT = 180.0
NEEDED = ("unshare", "nsenter", "setpriv", "systemctl", "journalctl", "dpkg")


class Unavailable(Exception):
    pass


def wait_for(true, what, seconds=LIMIT):
    """Awaits what no file descriptor tells."""
    end = time.monotonic() + seconds
    while True:
        value = true()
        if value:
            return value
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.02)


class Box:
    def __init__(self, files=None):
        """FILES: a tree that is laid over the machine's files."""
        if os.geteuid() != 0:
            raise Unavailable("this needs root")
        for program in NEEDED:
            if not shutil.which(program):
                raise Unavailable(f"{program} is not installed")
        self.scratch = Path(tempfile.mkdtemp(prefix="zugpost-box-", dir="/tmp"))
        self.group = f"zugpost-box-{os.getpid()}-{self.scratch.name[12:]}"
        self.outer = None
        self.init = None
        self.root = None
        try:
            self.write_files(files)
            self.start()
        except BaseException:
            self.close()
            raise

    def write_files(self, files):
        top = self.scratch / "files"
        (top / "etc/systemd/journald.conf.d").mkdir(parents=True)
        (top / "etc/systemd/journald.conf.d/box.conf").write_text(
            "[Journal]\nStorage=volatile\nRateLimitIntervalSec=0\n")
        (top / "etc/machine-id").write_text("0123456789abcdef0123456789abcdef\n")
        if files:
            shutil.copytree(files, top, symlinks=True, dirs_exist_ok=True)

    def start(self):
        log = self.scratch / "log"
        with open(log, "wb") as out:
            self.outer = subprocess.Popen(
                # However we end, the box ends with us.
                ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--propagation", "private", "sh", HERE / "enter.sh",
                 self.scratch, self.group], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                start_new_session=True)
        try:
            self.init = wait_for(self.find_init, "systemd as PID 1")
        except ChildProcessError as error:
            raise Unavailable(f"{error}: {log.read_text(errors='replace')}") from None
        self.root = Path(f"/proc/{self.init}/root")
        wait_for((self.root / "run/systemd/private").exists, "systemd's socket")
        self.run("systemctl", "is-system-running", "--wait", check=False)

    def find_init(self):
        """The one child of `unshare --fork`, once it is systemd."""
        if self.outer.poll() is not None:
            raise ChildProcessError("the box cannot be made")
        children = Path(f"/proc/{self.outer.pid}/task/{self.outer.pid}/children").read_text()
        for child in children.split():
            if Path(f"/proc/{child}/comm").read_text() == "systemd\n":
                return int(child)
        return None

    def command(self, *words, env=(), user=None):
        drop = ["--bounding-set", BOUNDS]
        if user:
            drop += ["--reuid", user, "--regid", user, "--init-groups"]
        return ["nsenter", "-t", str(self.init), "-a", "--", "setpriv", *drop, "env", "-i",
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
                "SYSTEMD_PAGER=", "DEBIAN_FRONTEND=noninteractive", *env, *map(str, words)]

    def run(self, *words, check=True, env=(), user=None, stdin=None, limit=RUN_LIMIT):
        """A command in the box: CompletedProcess with text."""
        done = subprocess.run(self.command(*words, env=env, user=user), input=stdin, text=True,
                              stdin=None if stdin else subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit)
        if check and done.returncode != 0:
            raise RuntimeError(f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def path(self, path):
        """A path of the box as this process sees it."""
        return self.root / str(path).lstrip("/")

    def show(self, unit, *names):
        """Properties of a unit."""
        text = self.run("systemctl", "show", unit, *(f"--property={name}" for name in names)).stdout
        found = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
        return found[names[0]] if len(names) == 1 else found

    def await_property(self, unit, name, true, seconds=LIMIT):
        def good():
            value = self.show(unit, name)
            return value if true(value) else None
        try:
            return wait_for(good, f"{name} of {unit}", seconds)
        except TimeoutError as error:
            raise TimeoutError(f"{error}: {self.show(unit, name)}\n{self.journal(unit)}") from None

    def journal(self, unit, *operands):
        self.run("journalctl", "--sync")
        return self.run("journalctl", "--unit", unit, "--no-pager", *operands).stdout

    def close(self):
        if self.outer and self.outer.poll() is None:
            # With PID 1 all of the box ends; unshare ends with it.
            if self.init:
                os.kill(self.init, signal.SIGKILL)
            else:
                self.outer.kill()
        if self.outer:
            self.outer.wait(LIMIT)
        # The control groups that are left, the innermost first.
        subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c",
                        'mkdir -p "$0" && mount -t cgroup2 cgroup2 "$0" && [ ! -d "$0/$1" ] || '
                        'find "$0/$1" -depth -type d -exec rmdir {} +',
                        self.scratch / "groups", self.group], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        shutil.rmtree(self.scratch, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


def package(folder):
    """The Debian package of this build, made in FOLDER unless there is one."""
    made = os.environ.get("ZUGPOST_PACKAGE")
    if not made:
        subprocess.run(["cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", folder],
                       check=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found, = Path(made or folder).glob("*.deb")
    return found


class BoxTest(unittest.TestCase):
    """Tests that share one box, with the package as /opt/zugpost.deb in it."""
    needed = ()  # programs

    @classmethod
    def setUpClass(cls):
        for program in cls.needed:
            if not shutil.which(program):
                raise unittest.SkipTest(f"{program} is not installed")
        cls.folder = Path(tempfile.mkdtemp(prefix="zugpost-box-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.package = package(cls.folder)
        files = cls.folder / "files"
        (files / "opt").mkdir(parents=True)
        shutil.copy(cls.package, files / "opt/zugpost.deb")
        try:
            cls.box = Box(files)
        except Unavailable as reason:
            raise unittest.SkipTest(str(reason)) from None
        cls.addClassCleanup(cls.box.close)
        # The index of all manuals takes longer than everything else.
        cls.box.path("/var/lib/man-db/auto-update").unlink(missing_ok=True)


def run_tests():
    """Exits with 77 where no box can be made."""
    result = unittest.main(module="__main__", verbosity=2, exit=False).result
    sys.exit(1 if not result.wasSuccessful() else 77 if result.testsRun == 0 else 0)
