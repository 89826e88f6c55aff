"""A mail server for tests that takes mail (SMTP) and does what a script tells it, right or
wrong, at every step; and the certificates that it shows.
"""
import base64
import hashlib
import hmac
import os
import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path

USER, PASSWORD = "moves", "pass-Word.9"

# What a step may be told to do instead of replying.
EOF = object()      # close
RESET = object()    # close with a reset
DRIP = object()     # one byte at a time, for ever
SILENCE = object()  # nothing, for ever
GARBAGE = b"\x00\xff\xfe\x01 what is this\r\n" * 3
LONG_LINE = b"250-" + b"x" * 100_000 + b"\r\n250 done\r\n"
ENDLESS = object()  # continuation lines, for ever

OFFERS = ("PIPELINING", "SIZE 10000000", "8BITMIME", "DSN", "ENHANCEDSTATUSCODES", "SMTPUTF8")


class Certificates:
    """A CA of our own with good and bad certificates of servers, made by openssl."""

    def __init__(self, top: Path):
        self.top = Path(top)
        self.top.mkdir(exist_ok=True)
        self.authority("ca")
        self.authority("other-ca")
        self.ca_file = self.top / "ca.pem"

    def openssl(self, *operands):
        subprocess.run(["openssl", *map(str, operands)], cwd=self.top, check=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def authority(self, name):
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                     "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "30",
                     "-subj", f"/CN=Test {name}")

    def server(self, name, host="localhost", ca="ca", end=None):
        """The file with key and certificate. END: (first, last) instants as YYYYMMDDHHMMSSZ."""
        path = self.top / f"{name}.pem"
        if path.exists():
            return path
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                     f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={host}")
        extensions = self.top / f"{name}.ext"
        extensions.write_text(f"subjectAltName=DNS:{host},IP:127.0.0.1\n"
                              if host == "localhost" else f"subjectAltName=DNS:{host}\n")
        if end:
            (self.top / "index.txt").write_text("")
            (self.top / "serial").write_text("%02x\n" % (0x10 + len(list(self.top.iterdir()))))
            (self.top / "ca.conf").write_text(
                "[ca]\ndefault_ca=a\n[a]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=.\n"
                "default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n")
            self.openssl("ca", "-batch", "-config", "ca.conf", "-cert", f"{ca}.pem", "-keyfile",
                         f"{ca}.key", "-in", f"{name}.csr", "-out", f"{name}.crt", "-notext",
                         "-startdate", end[0], "-enddate", end[1], "-extfile", extensions)
        else:
            self.openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{ca}.pem", "-CAkey",
                         f"{ca}.key", "-CAcreateserial", "-days", "10", "-extfile", extensions,
                         "-out", f"{name}.crt")
        path.write_bytes((self.top / f"{name}.key").read_bytes() +
                         (self.top / f"{name}.crt").read_bytes())
        return path

    def self_signed(self):
        path = self.top / "self.pem"
        if not path.exists():
            self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                         "-keyout", "self.key", "-out", "self.crt", "-days", "10", "-subj",
                         "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
            path.write_bytes((self.top / "self.key").read_bytes() +
                             (self.top / "self.crt").read_bytes())
        return path


class Taken:
    """One mail that the server said yes to (or was about to)."""

    def __init__(self, sender, recipients, data, parameters, confirmed):
        self.sender, self.recipients, self.data = sender, recipients, data
        self.parameters = parameters
        self.confirmed = confirmed

    @property
    def id(self):
        for line in self.data.split(b"\r\n"):
            if line.lower().startswith(b"message-id:"):
                return line.split(b":", 1)[1].strip().decode()
        return None


class Closed(Exception):
    pass


class Server:
    """SCRIPT: step -> what to do there (bytes or str to send, one of the marks above, or a list
    of such for the first, second, ... time; None: as an honest server). Steps: greeting, EHLO,
    STARTTLS, AUTH, AUTH2, MAIL, RCPT, DATA, END, RSET, QUIT; RCPT may also be a function of the
    address."""

    def __init__(self, certificate=None, implicit=False, offers=OFFERS, auth="LOGIN PLAIN",
                 script=None, tls_max=None, users=None):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.context = None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificate)
            if tls_max:
                self.context.set_ciphers("ALL:@SECLEVEL=0")
                self.context.minimum_version = ssl.TLSVersion.TLSv1
                self.context.maximum_version = tls_max
        self.implicit, self.offers, self.auth = implicit, offers, auth
        self.script = dict(script or {})
        self.users = users or {USER: PASSWORD}
        self.counts = {}
        self.taken, self.commands, self.connections, self.hellos = [], [], 0, []
        self.logins = []
        self.stop = False
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def close(self):
        self.stop = True
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()

    @property
    def mails(self):
        return [mail for mail in self.taken if mail.confirmed]

    def accept(self):
        while not self.stop:
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return
            self.connections += 1
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        session = Session(self, connection)
        try:
            session.run()
        except (Closed, OSError, ValueError):
            pass
        finally:
            session.socket.close()

    def action(self, step):
        with self.lock:
            nth = self.counts[step] = self.counts.get(step, 0) + 1
            action = self.script.get(step)
            if isinstance(action, list):
                action = action[nth - 1] if nth <= len(action) else None
            return action


class Session:
    def __init__(self, server, connection):
        self.server, self.socket, self.buffer = server, connection, b""
        self.secure = self.in_order = False
        self.user = None
        self.sender, self.recipients, self.parameters = None, [], []

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode() + b"\r\n")

    def line(self):
        while b"\n" not in self.buffer:
            part = self.socket.recv(65536)
            if not part:
                raise Closed()
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.rstrip(b"\r").decode("utf-8", "surrogateescape")

    def step(self, step, reply):
        """Does what the script says, else replies. True: it was the honest reply."""
        action = self.server.action(step)
        if action is None:
            if reply is not None:
                self.send(reply)
            return True
        self.act(action)
        return False

    def act(self, action):
        if action is EOF:
            raise Closed()
        if action is RESET:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            self.socket.close()
            raise Closed()
        if action is SILENCE:
            self.wait_for_the_end()
        if action is DRIP:
            while not self.server.stop:
                self.socket.sendall(b"2")
                time.sleep(0.05)
            raise Closed()
        if action is ENDLESS:
            while not self.server.stop:
                self.socket.sendall(b"250-and one more\r\n" * 200)
            raise Closed()
        self.send(action)
        if not isinstance(action, bytes) and action.startswith("421"):
            raise Closed()

    def wait_for_the_end(self):
        while self.socket.recv(65536):
            pass
        raise Closed()

    def start_tls(self):
        self.socket = self.server.context.wrap_socket(self.socket, server_side=True)
        self.secure = True

    def run(self):
        if self.server.implicit:
            self.start_tls()
        self.step("greeting", "220 test ESMTP")
        while True:
            line = self.line()
            self.server.commands.append(line)
            verb = line.split(" ")[0].upper()
            if not self.command(verb, line):
                return

    def command(self, verb, line):
        if verb == "EHLO":
            self.server.hellos.append(line[5:])
            self.step("EHLO", self.offers())
        elif verb == "STARTTLS":
            if self.step("STARTTLS", "220 2.0.0 go ahead"):
                self.start_tls()
                self.buffer = b""
        elif verb == "AUTH":
            self.login(line.split(" "))
        elif verb == "MAIL":
            self.sender, self.parameters = line, [line]
            self.recipients = []
            if not self.step("MAIL", "250 2.1.0 Ok" if self.may_send() else "530 5.7.0 login first"):
                self.sender = None
        elif verb == "RCPT":
            self.recipient(line)
        elif verb == "DATA":
            self.data()
        elif verb == "RSET":
            self.sender, self.recipients = None, []
            self.step("RSET", "250 2.0.0 Ok")
        elif verb == "QUIT":
            self.step("QUIT", "221 2.0.0 Bye")
            return False
        else:
            self.send("500 5.5.2 what?")
        return True

    def may_send(self):
        return self.user or not self.server.auth

    def offers(self):
        lines = ["test greets you", *self.server.offers]
        if self.server.context and not self.secure:
            lines.append("STARTTLS")
        if self.server.auth and (self.secure or not self.server.context):
            lines.append("AUTH " + self.server.auth)
        return ("".join(f"250-{line}\r\n" for line in lines[:-1]) +
                f"250 {lines[-1]}\r\n").encode()

    def recipient(self, line):
        address = line[line.find("<") + 1:line.find(">")]
        action = self.server.script.get("RCPT")
        if callable(action):
            reply = action(address)
            if reply is not None:
                self.act(reply)
                return
        elif not self.step("RCPT", None):
            return
        if self.sender is None:
            self.send("503 5.5.1 MAIL first")
            return
        self.recipients.append(address)
        self.parameters.append(line)
        self.send("250 2.1.5 Ok")

    def data(self):
        if not self.step("DATA", None):
            return
        if not self.recipients:
            self.send("554 5.5.1 no valid recipients")
            return
        self.send("354 go on")
        while not (b"\r\n.\r\n" in self.buffer or self.buffer.startswith(b".\r\n")):
            part = self.socket.recv(65536)
            if not part:
                raise Closed()
            self.buffer += part
        body, self.buffer = ((b"", self.buffer[3:]) if self.buffer.startswith(b".\r\n")
                             else self.buffer.split(b"\r\n.\r\n", 1))
        body = b"\r\n".join(part[1:] if part.startswith(b".") else part
                            for part in body.split(b"\r\n"))
        sender = self.sender[self.sender.find("<") + 1:self.sender.find(">")]
        mail = Taken(sender, self.recipients, body + b"\r\n", self.parameters, False)
        self.server.taken.append(mail)
        # An unknown outcome: it may count as taken.
        mail.confirmed = self.step("END", "250 2.0.0 Ok: queued as 12345")
        self.sender, self.recipients = None, []

    # ---- AUTH ----

    def ask(self, challenge):
        self.send("334 " + base64.b64encode(challenge).decode())
        return base64.b64decode(self.line())

    def login(self, words):
        mechanism = words[1].upper()
        first = base64.b64decode(words[2]) if len(words) > 2 and words[2] != "=" else None
        if not self.step("AUTH", None):
            if self.server.script["AUTH"] == "334 ":
                self.line()
            return
        check = {"PLAIN": self.plain, "LOGIN": self.by_login, "CRAM-MD5": self.cram,
                 "XOAUTH2": self.xoauth2, "SCRAM-SHA-1": self.scram,
                 "SCRAM-SHA-256": self.scram}[mechanism]
        user = check(first, mechanism)
        if user:
            self.user = user
            self.server.logins.append(mechanism)
            self.step("AUTH2", "235 2.7.0 welcome")
        else:
            self.send(f"535 5.7.8 no: {' '.join(words)}")

    def plain(self, first, _):
        _, user, password = (first if first is not None else self.ask(b"")).split(b"\0")
        return self.known(user.decode(), password.decode())

    def by_login(self, first, _):
        user = first if first is not None else self.ask(b"Username:")
        return self.known(user.decode(), self.ask(b"Password:").decode())

    def known(self, user, password):
        return user if self.server.users.get(user) == password else None

    def cram(self, _, __):
        challenge = b"<1.2@test>"
        user, digest = self.ask(challenge).decode().rsplit(" ", 1)
        password = self.server.users.get(user, "")
        wanted = hmac.new(password.encode(), challenge, "md5").hexdigest()
        return user if digest == wanted else None

    def xoauth2(self, first, _):
        first = first if first is not None else self.ask(b"")
        user = first.split(b"\1")[0].removeprefix(b"user=").decode()
        token = first.split(b"\1")[1].removeprefix(b"auth=Bearer ").decode()
        if self.known(user, token):
            return user
        self.ask(b'{"status":"401"}')
        return None

    def scram(self, first, mechanism):
        name = "sha256" if mechanism.endswith("256") else "sha1"
        first = (first if first is not None else self.ask(b"")).decode()
        bare = first.split(",", 2)[2]
        user = bare.split(",")[0][2:]
        nonce = bare.split(",")[1][2:] + base64.b64encode(os.urandom(9)).decode()
        salt, rounds = os.urandom(12), 4096
        said = f"r={nonce},s={base64.b64encode(salt).decode()},i={rounds}"
        final = self.ask(said.encode()).decode()
        without, proof = final.rsplit(",p=", 1)
        salted = hashlib.pbkdf2_hmac(name, self.server.users.get(user, "").encode(), salt, rounds)
        key = hmac.new(salted, b"Client Key", name).digest()
        message = f"{bare},{said},{without}".encode()
        signature = hmac.new(hashlib.new(name, key).digest(), message, name).digest()
        if bytes(a ^ b for a, b in zip(key, signature)) != base64.b64decode(proof):
            return None
        server_key = hmac.new(salted, b"Server Key", name).digest()
        answer = hmac.new(server_key, message, name).digest()
        self.ask(b"v=" + base64.b64encode(answer))
        return user
