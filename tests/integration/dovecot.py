"""A real IMAP server for tests: Dovecot on loopback with a configuration of its own.

Works as root (Dovecot's own accounts for its own processes, an ordinary one for the mail) and
as an ordinary user.
"""
import imaplib
import os
import pwd
import shutil
import signal
import socket
import ssl
import subprocess
import time
from pathlib import Path

HOST = "localhost"
PASSWORD = "Zug,zw=ang 64"
ACCOUNTS = 50
LIMIT = 30.0

CONFIGURATION = """\
base_dir = {top}/run
state_dir = {top}/run
log_path = {top}/log
protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <{certificate}
ssl_key = <{certificate}
ssl_min_protocol = TLSv1.2
auth_verbose = yes
auth_failure_delay = 0
auth_mechanisms = plain login cram-md5 scram-sha-1 scram-sha-256
disable_plaintext_auth = yes
default_vsz_limit = 0
mail_location = maildir:{top}/mail/%u
mail_max_userip_connections = 100
mailbox_list_index = no
{accounts}
passdb {{
  driver = passwd-file
  args = scheme=PLAIN username_format=%u {top}/users
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={top}/mail/%u
}}
service imap-login {{
  chroot =
  process_min_avail = 0
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = {tls_port}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
namespace inbox {{
  inbox = yes
  separator = /
}}
{extra}
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Dovecot:
    own_session = False  # True: no process of it is in the test's own session

    def __init__(self, top: Path, certificates, extra=""):
        self.top = Path(top)
        self.top.mkdir(parents=True)
        self.ca_file = certificates.ca_file
        self.port, self.tls_port = free_port(), free_port()
        self.process = None
        self.names = 0
        owner = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
        own = "" if os.geteuid() == 0 else (f"default_login_user = {owner.pw_name}\n"
                                            f"default_internal_user = {owner.pw_name}\n"
                                            f"default_internal_group = {owner.pw_gid}\n")
        (self.top / "mail").mkdir()
        if os.geteuid() == 0:
            # Mail is read by another account: the way to it must be open.
            for folder in (self.top, *self.top.parents):
                if folder.stat().st_mode & 0o7777 == 0o700:
                    folder.chmod(0o711)
            shutil.chown(self.top / "mail", owner.pw_uid, owner.pw_gid)
        (self.top / "users").write_text(
            "".join(f"player{i}:{{PLAIN}}{PASSWORD}\n" for i in range(1, ACCOUNTS + 1)), encoding="utf-8")
        self.configuration = self.top / "dovecot.conf"
        self.configuration.write_text(CONFIGURATION.format(
            top=self.top, certificate=certificates.server("dovecot", HOST), port=self.port,
            tls_port=self.tls_port, uid=owner.pw_uid, gid=owner.pw_gid, extra=extra,
            accounts=f"{own}first_valid_uid = 1\nfirst_valid_gid = 1"), encoding="utf-8")
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["dovecot", "-F", "-c", self.configuration], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=self.own_session)
        end = time.monotonic() + LIMIT
        while True:
            try:
                with socket.create_connection(("127.0.0.1", self.tls_port), LIMIT):
                    return
            except ConnectionRefusedError:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(self.process.stderr.read().decode()) from None
                time.sleep(0.01)

    def stop(self):
        """The server and every connection end."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(LIMIT)
        if self.process:
            self.process.stderr.close()
        self.process = None

    def user(self):
        """A fresh account."""
        self.names += 1
        assert self.names <= ACCOUNTS
        return f"player{self.names}"

    def mailbox(self, name):
        return Account(self, name)

    def words(self):
        return (self.top / "log").read_text(encoding="utf-8", errors="replace")


class Account:
    """Another mail program that looks at the same account."""

    def __init__(self, server, name):
        self.server, self.name = server, name

    def connect(self):
        context = ssl.create_default_context(cafile=self.server.ca_file)
        client = imaplib.IMAP4_SSL(HOST, self.server.tls_port, ssl_context=context)
        client.login(self.name, PASSWORD)
        return client

    def append(self, raw, when, folder="INBOX"):
        self.append_all([(raw, when)], folder)

    def append_all(self, mails, folder="INBOX"):
        client = self.connect()
        for raw, when in mails:
            answer, data = client.append(folder, None, imaplib.Time2Internaldate(when), raw)
            assert answer == "OK", data
        client.logout()

    def folders(self):
        client = self.connect()
        names = [line.decode().rsplit(" ", 1)[1].strip('"') for line in client.list()[1]]
        client.logout()
        return sorted(names)

    def count(self, folder="INBOX"):
        client = self.connect()
        answer, data = client.select(f'"{folder}"', readonly=True)
        client.logout()
        return int(data[0]) if answer == "OK" else None

    def flags(self, folder="INBOX"):
        client = self.connect()
        client.select(f'"{folder}"', readonly=True)
        data = client.fetch("1:*", "(FLAGS)")[1]
        client.logout()
        return data

    def renumber(self):
        """The server forgets its numbers: another UIDVALIDITY. It must not be running."""
        box = self.server.top / "mail" / self.name
        for name in ("dovecot-uidlist", "dovecot.index", "dovecot.index.log", "dovecot.index.cache"):
            (box / name).unlink(missing_ok=True)
