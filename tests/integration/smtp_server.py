"""A mail server for tests that takes mail (SMTP), and does what a script tells it (scripted.py)."""
import base64
import hashlib
import hmac
import os

from scripted import Closed, ScriptedServer, ScriptedSession

USER, PASSWORD = "moves", "pass-Word.9"

# What a step may be told to do, besides.
GARBAGE = b"\x00\xff\xfe\x01 what is this\r\n" * 3
LONG_LINE = b"250-" + b"x" * 100_000 + b"\r\n250 done\r\n"
ENDLESS = object()  # continuation lines, for ever

OFFERS = ("PIPELINING", "SIZE 10000000", "8BITMIME", "DSN", "ENHANCEDSTATUSCODES", "SMTPUTF8")


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


class Server(ScriptedServer):
    """Steps: greeting, EHLO, STARTTLS, AUTH, AUTH2, MAIL, RCPT, DATA, END, RSET, QUIT; RCPT may also
    be a function of the address. Besides bytes a step may be told to send a str as a line.
    TAKEN: what each mail is appended to before it is said yes to."""

    def __init__(self, certificate=None, implicit=False, offers=OFFERS, auth="LOGIN PLAIN",
                 script=None, tls_max=None, users=None, port=0, taken=None):
        super().__init__(Session, certificate, implicit, script, tls_max, port)
        self.offers, self.auth = offers, auth
        self.users = users or {USER: PASSWORD}
        self.taken = [] if taken is None else taken
        self.commands, self.hellos, self.logins = [], [], []
        self.start()

    @property
    def mails(self):
        return [mail for mail in self.taken if mail.confirmed]


class Session(ScriptedSession):
    DRIPS = b"", b"2"

    def __init__(self, server, connection):
        super().__init__(server, connection)
        self.user = None
        self.sender, self.recipients, self.parameters = None, [], []

    def say(self, line):
        self.send(line.encode() + b"\r\n")

    def step(self, step, reply):
        """Does what the script says, else replies. True: it was the honest reply."""
        action = self.server.action(step)
        if action is None:
            if reply is not None:
                self.say(reply)
            return True
        self.act(action)
        return False

    def act(self, action):
        if action is ENDLESS:
            self.flood(b"250-and one more\r\n" * 200)
        if isinstance(action, bytes):
            self.send(action)
        elif isinstance(action, str):
            self.say(action)
            if action.startswith("421"):
                raise Closed
        else:
            self.misbehave(action)

    def run(self):
        if self.server.implicit:
            self.secure()
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
                self.secure()
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
            self.say("500 5.5.2 what?")
        return True

    def may_send(self):
        return self.user or not self.server.auth

    def offers(self):
        lines = ["test greets you", *self.server.offers]
        if self.server.context and not self.is_secure():
            lines.append("STARTTLS")
        if self.server.auth and (self.is_secure() or not self.server.context):
            lines.append("AUTH " + self.server.auth)
        return "".join(f"250-{line}\r\n" for line in lines[:-1]) + f"250 {lines[-1]}"

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
            self.say("503 5.5.1 MAIL first")
            return
        self.recipients.append(address)
        self.parameters.append(line)
        self.say("250 2.1.5 Ok")

    def data(self):
        if not self.step("DATA", None):
            return
        if not self.recipients:
            self.say("554 5.5.1 no valid recipients")
            return
        self.say("354 go on")
        while not (b"\r\n.\r\n" in self.rest or self.rest.startswith(b".\r\n")):
            self.read()
        body, self.rest = ((b"", self.rest[3:]) if self.rest.startswith(b".\r\n")
                             else self.rest.split(b"\r\n.\r\n", 1))
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
        self.say("334 " + base64.b64encode(challenge).decode())
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
            self.say(f"535 5.7.8 no: {' '.join(words)}")

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
