"""The administrators' guide, carried out word by word on a machine that nobody has set up yet: every command, every
file, every mail that a player writes, in the guide's order; what the guide says that a command prints is what it
prints.

Environment: see box.py. Exits with 77 where no box can be made.
"""
import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parseaddr
from pathlib import Path

HERE = Path(__file__).resolve().parent
GUIDE = HERE.parents[1] / "docs/guides/administrators.md"
sys.path.insert(0, str(HERE.parent / "integration"))

import club
import mailers
from box import BoxTest, run_tests, wait_for

# Sections whose commands other tests carry out.
ELSEWHERE = {"Going back": "upgrade.py, which has an earlier version"}
# What the box has instead of the world.
SUBSTITUTIONS = {
    "dns": "the records of the guide's zone are lines of /etc/hosts, and addresses of the box itself",
    "./setup package": "the package of this build; setup.py, which is slow, runs it",
    "certbot": "a package of that name with a program that signs by a CA of the test, which the box trusts",
    "players": "mail to players.example goes into Maildirs of the box (Postfix: default_transport)",
    "the new package": "the same files with a higher version",
    "oauth-token": "a program that prints a token",
    "accounts": "the accounts of people who log in at the machine, which the guide takes for given",
}
CERTBOT = r"""#!/bin/sh
set -eu
while [ $# -gt 0 ]; do
	case $1 in
	--domain) domain=$2; shift ;;
	--deploy-hook) hook=$2; shift ;;
	esac
	shift
done
live=/etc/letsencrypt/live/$domain
mkdir -p "$live"
cd "$live"
openssl req -newkey rsa:2048 -nodes -subj "/CN=$domain" -keyout privkey.pem -out request.pem 2>/dev/null
printf 'subjectAltName=DNS:%s\n' "$domain" >names
openssl x509 -req -in request.pem -CA /root/ca/ca.pem -CAkey /root/ca/ca.key -CAcreateserial -days 30 \
	-extfile names -out cert.pem 2>/dev/null
cat cert.pem /root/ca/ca.pem >fullchain.pem
chmod 600 privkey.pem
eval "$hook"
"""

PLAYERS = "/srv/players"


@dataclass
class Block:
    kind: str      # of the fence
    text: str
    lead: str      # the paragraph before it
    section: str
    line: int
    output: str = None  # of a command


def blocks_of(text):
    """The guide's blocks in order. What a command prints belongs to it."""
    blocks, section, lead = [], "", []
    lines = iter(enumerate(text.splitlines(), 1))
    for number, line in lines:
        if line.startswith("#"):
            section, lead = line.lstrip("# "), []
        elif line.startswith("```"):
            body = []
            for _, inner in lines:
                if inner == "```":
                    break
                body.append(inner + "\n")
            block = Block(line[3:], "".join(body), " ".join(lead), section, number)
            if block.kind == "text":
                if blocks[-1].kind != "sh" or lead:
                    raise ValueError(f"line {number}: this is the output of no command")
                blocks[-1].output = block.text
            else:
                blocks.append(block)
            lead = []
        elif line.strip():
            lead.append(line.strip())
        elif lead and not blocks_follow(lead):
            lead = []
    return blocks


def blocks_follow(lead):
    return lead[-1].endswith(":")


def pattern_of(output):
    """`...` stands for anything on a line, alone on a line for any lines."""
    parts = []
    for line in output.splitlines():
        if line == "...":
            parts.append("(?:.*\n)*")
        else:
            parts.append(".*".join(map(re.escape, line.split("..."))) + "[ ]*\n")
    return "".join(parts)


class World:
    """The box, and what is around it: names, an authority, the players' servers and mail programs."""

    def __init__(self, box, folder, package):
        self.box, self.folder, self.package = box, folder, package
        self.used = set()
        self.seen = set()
        self.serial = 0

    def use(self, name):
        self.used.add(name)
        return SUBSTITUTIONS[name]

    def sh(self, script, check=True):
        """In root's home folder, as a person at a terminal types it."""
        return self.box.run("sh", "-c", f"cd /root\n{script}", env=("HOME=/root",), check=check)

    def write(self, path, text, mode=0o644):
        place = self.box.path(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        place.chmod(mode)

    # ---- what is in the place of the world ----

    def names(self, zone):
        """Names get the box's own addresses; the players' server has one too."""
        self.use("dns")
        addresses = re.findall(r"^(\S+)\.\s+IN\s+A\s+(\S+)$", zone, re.M)
        addresses.append(("mail.players.example", "198.51.100.7"))
        with open(self.box.path("/etc/hosts"), "a", encoding="ascii") as hosts:
            for name, address in addresses:
                hosts.write(f"{address} {name}\n")
                self.box.run("ip", "address", "add", f"{address}/32", "dev", "lo")
        self.server = addresses[0][1]

    def authority(self):
        self.use("certbot")
        self.sh("mkdir ca; cd ca; openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj '/CN=Test authority' "
                "-keyout ca.key -out ca.pem 2>/dev/null; cat ca.pem >>/etc/ssl/certs/ca-certificates.crt")
        top = self.folder / "certbot"
        (top / "DEBIAN").mkdir(parents=True)
        (top / "DEBIAN/control").write_text("Package: certbot\nVersion: 99\nArchitecture: all\n"
                                            "Maintainer: Nobody <nobody@localhost>\nDescription: a stand-in\n")
        (top / "usr/bin").mkdir(parents=True)
        (top / "usr/bin/certbot").write_text(CERTBOT)
        (top / "usr/bin/certbot").chmod(0o755)
        subprocess.run(["dpkg-deb", "--build", top, self.folder / "certbot.deb"], check=True,
                       stdout=subprocess.DEVNULL)
        shutil.copy(self.folder / "certbot.deb", self.box.path("/tmp/certbot.deb"))
        self.box.run("dpkg", "--install", "/tmp/certbot.deb")

    def players(self):
        """Before the guide starts Postfix: where mail for others goes."""
        self.use("players")
        boxes = ",".join(f"{name}@players.example={name}/" for name in ("anna", "bruno", "emi", "tarmo", "sysop"))
        self.sh(f"install -d -o nobody -g nogroup {PLAYERS}\n"
                f"postconf -M 'players/unix=players unix - n n - - virtual -o virtual_mailbox_maps=inline:{{{boxes}}}"
                f" -o virtual_mailbox_base={PLAYERS} -o virtual_uid_maps=static:65534"
                " -o virtual_gid_maps=static:65534'\n"
                "postconf default_transport=players:")

    def put_package(self, version=None):
        """The package in root's home folder, alone."""
        for old in self.box.path("/root").glob("zugpost_*.deb"):
            old.unlink()
        if not version:
            self.use("./setup package")
            shutil.copy(self.package, self.box.path("/root"))
            return
        self.use("the new package")
        top = self.folder / "newer"
        subprocess.run(["dpkg-deb", "--raw-extract", self.package, top], check=True)
        control = top / "DEBIAN/control"
        control.write_text(re.sub(r"^Version: .*$", f"Version: {version}", control.read_text(), flags=re.M))
        subprocess.run(["dpkg-deb", "-Znone", "--build", top, self.box.path(f"/root/zugpost_{version}_amd64.deb")],
                       check=True, stdout=subprocess.DEVNULL)

    # ---- the players ----

    def inbox(self, address):
        found = self.box.path(f"{PLAYERS}/{address.split('@')[0]}/new")
        return [club.Mail(path) for path in sorted(found.iterdir(), key=lambda path: path.stat().st_mtime_ns)] \
            if found.is_dir() else []

    def await_mail(self, address, true, what):
        """The newest mail to ADDRESS of which TRUE holds."""
        def good():
            return [mail for mail in self.inbox(address) if true(mail)]
        try:
            return wait_for(good, what)[-1]
        except TimeoutError as error:
            raise TimeoutError(f"{error}; there are {self.inbox(address)}\n"
                               + self.box.run("journalctl", "--no-pager", "--lines", "60").stdout) from None

    def send(self, sender, recipient, raw):
        """From the players' mail server to port 25 of the guide's machine."""
        self.serial += 1
        self.box.path("/tmp/letter").write_bytes(raw)
        script = ("import smtplib\n"
                  f"with smtplib.SMTP({self.server!r}, 25, 'mail.players.example',"
                  " source_address=('198.51.100.7', 0)) as server:\n"
                  f"    server.sendmail({sender!r}, [{recipient!r}], open('/tmp/letter', 'rb').read())\n")
        self.box.run("/usr/bin/python3", "-c", script)

    def decided(self, name):
        """How many messages of a club are."""
        done = self.box.run("zugpostctl", "--club", name, "messages", "--json")
        return sum(message["verdict"] is not None for message in json.loads(done.stdout))

    def write_mail(self, lead, text):
        """The lead names who writes, and to whom if it is a new mail."""
        sender, *to = re.findall(r"`([^`@ ]+@[^`@ ]+)`", lead)
        now = datetime.now(timezone.utc)
        if to:
            name = to[0].split("@")[0]
            raw = (f"From: <{sender}>\nTo: <{to[0]}>\nSubject: hello\nDate: {now:%a, %d %b %Y %H:%M:%S} +0000\n"
                   f"Message-ID: <{self.serial}@players.example>\n\n{text}").encode()
            recipient = to[0]
        else:
            mail = self.await_mail(sender, lambda mail: mail.kind in ("pairing", "move") and mail.id not in self.seen,
                                   f"a mail that {sender} can answer")
            self.seen.add(mail.id)
            name = "demo"
            recipient = parseaddr(mail.reply_to)[1]
            raw = mailers.letter(mail, sender, now, text.rstrip("\n"), serial=self.serial, Return_Path=None,
                                 Delivered_To=None, Received=None)
        before = self.decided(name)
        self.send(sender, recipient, raw)
        wait_for(lambda: self.decided(name) > before, f"what {sender} writes is decided")


class GuideTest(BoxTest):
    needed = ("postfix", "dovecot", "/usr/lib/dovecot/lmtp", "prometheus-node-exporter", "setfacl", "curl", "ip")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.world = World(cls.box, cls.folder, cls.package)

    def file(self, block):
        """A file that is there already must be what the guide shows; another is written."""
        path, = re.findall(r"`(/[^`]+)`", block.lead)
        there = self.box.path(path)
        if there.exists():
            self.assertEqual(there.read_text(), block.text, f"line {block.line}: {path}")
        else:
            self.world.write(path, block.text)

    def command(self, block):
        done = self.world.sh(block.text, check=False)
        self.assertEqual(done.returncode, 0, f"line {block.line}: {block.text}{done.stdout}{done.stderr}")
        if block.output is None:
            return
        printed = [done.stdout]
        pattern = re.compile(pattern_of(block.output))

        def good():
            if pattern.fullmatch(printed[-1]):
                return True
            printed.append(self.world.sh(block.text).stdout)
            return False
        if "moment" not in block.lead:
            self.assertTrue(pattern.fullmatch(printed[0]), f"line {block.line}: {block.text}{printed[0]}")
            return
        try:
            wait_for(good, "what the guide says")
        except TimeoutError:
            self.fail(f"line {block.line}: {block.text}{printed[-1]}")

    def test_guide(self):
        world = self.world
        text = GUIDE.read_text(encoding="utf-8")
        blocks = blocks_of(text)
        world.authority()
        world.put_package()
        world.use("accounts")
        for name in ("alice", "tarmo"):
            self.box.run("useradd", name)
        upgraded = []

        def before(block):
            """What the world does, or what people do whom the guide does not name."""
            if block.text.startswith("systemctl restart dovecot postfix"):
                world.players()
            elif block.section == "Restoring one" and block.text.startswith("systemctl stop"):
                world.write_mail("Anna, `anna@players.example`, moves after the backup", "2. Nf3\n")
            elif "Upgrades" in block.section.title() and block.text.startswith("apt-get"):
                version = f"{self.version()}+1"
                world.put_package(version)
                upgraded.append(version)
            elif block.text.startswith("systemctl enable --now zugpost-token@"):
                world.use("oauth-token")
                world.write("/usr/local/bin/oauth-token", "#!/bin/sh\n[ -r \"$CREDENTIALS_DIRECTORY/oauth\" ]\n"
                            "echo token\n", 0o755)
                world.write("/etc/zugpost/cloud.oauth", "refresh\n", 0o600)

        def after(block):
            if block.text.startswith("doveadm move"):
                wait_for(lambda: self.game()["uci"] == ["e2e4", "e7e5", "g1f3"], "the third move again")
                self.box.run("zugpostctl", "--club", "demo", "verify")

        for block in blocks:
            if block.section in ELSEWHERE:
                continue
            before(block)
            if block.kind == "dns":
                world.names(block.text)
            elif block.kind == "mail":
                world.write_mail(block.lead, block.text)
            elif block.kind in ("conf", "ini"):
                self.file(block)
            elif block.text != "./setup package\n":
                self.assertEqual(block.kind, "sh")
                self.command(block)
            after(block)

        self.assertEqual(self.game()["uci"], ["e2e4", "e7e5", "g1f3"])
        for ply in (1, 2):
            copy = world.await_mail("tarmo@players.example",
                                    lambda mail, ply=ply: (mail.kind, mail.ply) == ("copy", ply), "the arbiter's copy")
            self.assertEqual(copy.to, "tarmo@players.example")
        trial = world.await_mail("sysop@players.example", lambda mail: "zugpostd@demo runs on" in mail.subject,
                                 "the trial of a word on a failure")
        self.assertIn("serving the club of /etc/zugpost/demo.conf", trial.text)
        self.assertEqual(self.version(), upgraded[0])
        self.assertEqual(world.used, set(SUBSTITUTIONS))

    def test_nothing_is_left_out(self):
        """What looks like a command in the running text is one that was run."""
        text = GUIDE.read_text(encoding="utf-8")
        commands = [block.text for block in blocks_of(text) if block.kind == "sh"]
        programs = {command.split()[0] for command in commands} | {"zugpostctl", "zugpostd"}
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
        for code in re.findall(r"`([^`\n]+)`", prose):
            words = code.split()
            if len(words) > 1 and words[0] in programs:
                self.assertTrue(any(code in command for command in commands), code)

    def version(self):
        return self.box.run("dpkg-query", "--show", "--showformat=${Version}", "zugpost").stdout

    def game(self):
        return json.loads(self.box.run("zugpostctl", "--club", "demo", "game", "CUP/1", "--json").stdout)


if __name__ == "__main__":
    run_tests()
