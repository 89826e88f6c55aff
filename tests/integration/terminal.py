"""Real mail programs, made to answer a mail: each is run in a pseudo-terminal of its own with a home
that holds its configuration, the mail, and two scripts: an editor that types a move into the draft,
and a sendmail that keeps what is sent.
"""
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import struct
import sys
import termios
import time
from pathlib import Path

LIMIT = 60.0

EDITOR = """\
#!{python} -B
import json, pathlib, sys
order = json.loads(pathlib.Path({home!r}, "order").read_text())
sys.path.insert(0, {here!r})
import terminal
path = pathlib.Path(sys.argv[-1])
path.write_bytes(terminal.edit(path.read_bytes(), **order))
"""

SENDMAIL = """\
#!/bin/sh
cat >{home}/sent.tmp && mv {home}/sent.tmp {home}/sent
"""


def edit(draft: bytes, how, move, line) -> bytes:
    """Types MOVE into a draft: above or below all of it, between two lines of the quote, or into the
    quoted LINE. Headers that stand in the draft end at a line of dashes or at an empty one."""
    lines = draft.decode("utf-8").split("\n")
    start = 0
    for i, text in enumerate(lines[:30]):
        if ":" not in text and not text.startswith((" ", "\t", "#")):
            start = i + 1 if i > 0 and (text == "" or text.startswith("----")) else 0
            break
    quoted = [i for i, text in enumerate(lines) if text.lstrip().startswith((">", "|", ":"))]
    if how == "above":
        lines[start:start] = [move, ""]
    elif how == "below":
        lines[quoted[-1] + 1:quoted[-1] + 1] = ["", move]
    elif how == "between":
        middle = quoted[len(quoted) // 3]
        lines[middle + 1:middle + 1] = ["", move, ""]
    else:
        # One of the programs quotes quoted-printable text as it came.
        at, = [i for i in quoted if lines[i].lstrip(" >|:").removesuffix("=20").rstrip() == line]
        lines[at] = lines[at].rstrip() + " " + move
    return "\n".join(lines).encode("utf-8")


class Terminal:
    """A program in a pseudo-terminal. What it shows is kept, for waiting and for the report."""

    def __init__(self, arguments, environment, folder):
        self.shown = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(folder)
                os.execvpe(arguments[0], [str(one) for one in arguments], environment)
            finally:
                os._exit(127)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))

    def read(self, end):
        """More of the output; False at its end."""
        if not select.select([self.fd], [], [], max(end - time.monotonic(), 0))[0]:
            raise TimeoutError(f"the program waits; it showed\n{self.text()}")
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        self.shown += data
        return data != b""

    def text(self):
        return self.shown.decode("utf-8", "replace")[-4000:]

    def expect(self, *words):
        """Waits until one of WORDS is shown."""
        end = time.monotonic() + LIMIT
        while not any(word.encode() in self.shown for word in words):
            if not self.read(end):
                raise RuntimeError(f"no {words}; the program showed\n{self.text()}")

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def press(self, keys, done):
        """Types KEYS until DONE() holds: before a question a program may forget what was typed."""
        end = time.monotonic() + LIMIT
        while not done():
            self.type(keys)
            until = min(time.monotonic() + 2, end)
            try:
                while not done() and self.read(until):
                    pass
            except TimeoutError:
                if until == end:
                    raise

    def finish(self):
        """Waits for the end of the program; its exit code."""
        end = time.monotonic() + LIMIT
        try:
            while self.read(end):
                pass
        finally:
            status = self.close()
        return os.waitstatus_to_exitcode(status)

    def close(self):
        """The user closes the window."""
        child = os.pidfd_open(self.pid)
        os.close(self.fd)
        if not select.select([child], [], [], 5)[0]:
            signal.pidfd_send_signal(child, signal.SIGKILL)
        os.close(child)
        return os.waitpid(self.pid, 0)[1]


class Program:
    """A mail program with a home of its own, for one player."""
    name = ""
    path = "/usr/bin:/bin:/usr/bin/mh"

    def __init__(self, folder: Path, sender, full_name):
        self.home = folder
        self.sender, self.full_name = sender, full_name
        self.home.mkdir(parents=True)
        for name, text in (("editor", EDITOR), ("sendmail", SENDMAIL)):
            script = self.home / name
            script.write_text(text.format(python=sys.executable, home=str(self.home),
                                          here=str(Path(__file__).parent)), encoding="utf-8")
            script.chmod(0o755)
        self.environment = {"HOME": str(self.home), "PATH": self.path, "TERM": "xterm", "LC_ALL": "C.UTF-8",
                            "TZ": "Europe/Helsinki", "EDITOR": str(self.home / "editor"),
                            "VISUAL": str(self.home / "editor"), "MAIL": str(self.home / "mbox"),
                            "TMPDIR": str(self.home), "EMAIL": sender}
        self.configure()

    @classmethod
    def is_there(cls):
        return shutil.which(cls.name, path=cls.path) is not None

    def run(self, *arguments):
        return Terminal([self.name, *arguments], self.environment, self.home)

    def mbox(self, raw: bytes):
        """The mail as the only one of a mailbox."""
        body = raw.replace(b"\r\n", b"\n")
        text = b"From moves@club.example Sat Jan 10 09:00:00 2026\n" + body.replace(b"\nFrom ", b"\n>From ")
        (self.home / "mbox").write_bytes(text.rstrip(b"\n") + b"\n\n")

    def answer(self, raw: bytes, how, move, line) -> bytes:
        """What the program sends when its user answers the mail RAW with MOVE, typed as HOW says."""
        sent = self.home / "sent"
        sent.unlink(missing_ok=True)
        (self.home / "order").write_text(json.dumps({"how": how, "move": move, "line": line}), encoding="utf-8")
        self.reply(raw)
        if not sent.exists():
            raise RuntimeError(f"{self.name} has sent nothing")
        return sent.read_bytes()


class Mutt(Program):
    name = "mutt"
    options = ""

    def configure(self):
        (self.home / "rc").write_text(f"""\
set from="{self.full_name} <{self.sender}>" use_from=yes envelope_from=yes hostname="players.example"
set editor="{self.home}/editor" sendmail="{self.home}/sendmail" folder="{self.home}" record="" mbox_type=mbox
set fast_reply=yes include=yes abort_unmodified=no abort_nosubject=no copy=no postponed="" tmpdir="{self.home}"
set reply_to=yes sleep_time=0 move=no delete=no quit=yes wait_key=no header_cache="" sendmail_wait=0 beep=no certificate_file=""
{self.options}""", encoding="utf-8")

    def reply(self, raw):
        self.mbox(raw)
        terminal = self.run("-F", self.home / "rc", "-f", self.home / "mbox", "-e", "push <reply>y<quit>")
        if terminal.finish() != 0:
            raise RuntimeError(f"{self.name} showed\n{terminal.text()}")


class Neomutt(Mutt):
    """Its user likes flowed text, a quote mark without a blank, and a signature."""
    name = "neomutt"
    options = 'set text_flowed=yes indent_string=">" attribution="* %n <%a> [%d]:" signature="echo Yours|"\n'


class Alpine(Program):
    name = "alpine"

    def configure(self):
        (self.home / "mail").mkdir()
        (self.home / "rc").write_text(f"""\
personal-name={self.full_name}
user-domain=players.example
customized-hdrs=From: {self.full_name} <{self.sender}>
alt-addresses={self.sender}
inbox-path={self.home}/mbox
mail-directory={self.home}/mail
default-fcc=""
postponed-folder={self.home}/postponed
feature-list=enable-alternate-editor-cmd,
\tenable-alternate-editor-implicitly,
\tinclude-text-in-reply,
\tinclude-attachments-in-reply,
\tquell-folder-internal-msg,
\tquit-without-confirm,
\tquell-lock-failure-warnings,
\tallow-changing-from,
\tuse-sender-not-x-sender
editor={self.home}/editor
sendmail-path={self.home}/sendmail
last-time-prune-questioned=2126.1
last-version-used=6.26
""", encoding="utf-8")

    def reply(self, raw):
        self.mbox(raw)
        sent = self.home / "sent"
        terminal = self.run("-p", self.home / "rc", "-I", "i,r,y")
        try:
            terminal.expect("editor done", "PrvPg/Top")
            terminal.press("\x18", lambda: b"Send message?" in terminal.shown)
            terminal.press("y", sent.exists)
        finally:
            terminal.close()


class Snail(Program):
    name = "s-nail"

    def configure(self):
        (self.home / "rc").write_text(f"""\
set from="{self.full_name} <{self.sender}>" mta={self.home}/sendmail
set quote="%d, %f:" indentprefix="| " sendwait ttycharset=utf-8 nosave norecord hostname=players.example
set editalong=v reply-to-honour
""", encoding="utf-8")

    def reply(self, raw):
        self.mbox(raw)
        terminal = self.run("-:/", "-X", f"source {self.home}/rc", "-f", self.home / "mbox")
        terminal.type("reply 1\r")
        terminal.expect("(continue)")
        terminal.type("~.\rxit\r")
        terminal.finish()


class Nmh(Program):
    name = "repl"

    def configure(self):
        for folder in ("inbox", "outbox"):
            (self.home / "Mail" / folder).mkdir(parents=True)
        (self.home / ".mh_profile").write_text(f"""\
Path: {self.home}/Mail
Welcome: disable
Local-Mailbox: {self.full_name} <{self.sender}>
send: -mts sendmail/pipe -sendmail {self.home}/sendmail
""", encoding="utf-8")
        self.environment["MH"] = str(self.home / ".mh_profile")

    def reply(self, raw):
        (self.home / "Mail/inbox/1").write_bytes(raw.replace(b"\r\n", b"\n"))
        terminal = self.run("-format", "-editor", self.home / "editor", "+inbox", "1")
        terminal.expect("What now?")
        terminal.type("send\r")
        terminal.finish()


PROGRAMS = [Mutt, Neomutt, Alpine, Snail, Nmh]
