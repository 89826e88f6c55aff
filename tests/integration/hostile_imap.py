"""An IMAP server for tests that does what a script tells it (scripted.py).

Steps: greeting, CAPABILITY, STARTTLS, LOGIN, AUTHENTICATE, SELECT, NOOP, SEARCH, FACTS, BODIES,
MOVE, COPY, STORE, EXPUNGE, CREATE, IDLE, LOGOUT. Bytes are sent with {tag} filled in; a function gets
the session and the tag.
"""
import base64
import re
import socket
import threading

from scripted import Closed, ScriptedServer, ScriptedSession

USER, PASSWORD = "moves", "pass Word,9"

FLOOD = object()    # a line without an end
GARBAGE = b"\x00\xff\xfe\x01 )(){99999999999}\r\n* what * is (\r\n" * 3
BYE = b"* BYE closing down\r\n"
NO = b"{tag} NO not today\r\n"

CAPABILITIES = ("IDLE", "MOVE", "UIDPLUS", "SASL-IR", "AUTH=PLAIN", "AUTH=XOAUTH2")


def uid_set(text, last):
    """The UIDs that a set names."""
    uids = set()
    for part in text.split(","):
        ends = [last if end == "*" else int(end) for end in part.split(":")]
        uids.update(range(min(ends), max(ends) + 1))
    return uids


class Server(ScriptedServer):
    """mails: UID -> (raw, INTERNALDATE as the server writes it); folders: what was moved there."""

    def __init__(self, certificate=None, implicit=True, capabilities=CAPABILITIES, script=None,
                 tls_max=None, password=PASSWORD, validity=7, folders=("Archive", "Rejected")):
        super().__init__(Session, certificate, implicit, script, tls_max)
        self.capabilities, self.password = capabilities, password
        self.validity, self.next = validity, 1
        self.commands, self.logins = [], []
        self.mails, self.deleted = {}, set()
        self.folders = {name: [] for name in folders}
        self.arrived = threading.Condition(self.lock)
        self.sockets = []
        self.start()

    def add(self, raw, date):
        with self.arrived:
            uid, self.next = self.next, self.next + 1
            self.mails[uid] = (raw, date)
            self.arrived.notify_all()
        return uid

    def close(self):
        super().close()
        self.hang_up()

    def hang_up(self):
        """Every connection ends."""
        with self.arrived:
            for connection in self.sockets:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
            self.sockets = []
            self.arrived.notify_all()

    def serve(self, connection):
        with self.lock:
            self.sockets.append(connection)
        super().serve(connection)


class Session(ScriptedSession):
    DRIPS = b"* ", b"x"

    def command(self):
        """A line with its literals in place."""
        line = self.line()
        while found := re.search(r"\{(\d+)\+?\}$", line):
            self.send(b"+ go on\r\n")
            while len(self.rest) < int(found[1]):
                self.read()
            literal, self.rest = self.rest[:int(found[1])], self.rest[int(found[1]):]
            line = line[:found.start()] + '"' + literal.decode() + '"' + self.line()
        return line

    def perform(self, action, tag="*"):
        if action is FLOOD:
            self.flood(b"* OK " + b"x" * 65536)
        if callable(action):
            action(self, tag)
        elif isinstance(action, bytes):
            self.send(action.replace(b"{tag}", tag.encode()))
            if action.startswith(b"* BYE"):
                raise Closed
        else:
            self.misbehave(action)

    # ---- the dialogue

    def run(self):
        if self.server.implicit and self.server.context:
            self.secure()
        action = self.server.action("greeting")
        if action is None:
            self.send(b"* OK ready\r\n")
        else:
            self.perform(action)
        while True:
            line = self.command()
            tag, name, *operands = line.split(" ", 2)
            rest = operands[0] if operands else ""
            self.server.commands.append(name if name.upper() in ("LOGIN", "AUTHENTICATE") else
                                        f"{name} {rest}".strip())
            self.answer(tag, name.upper(), rest)

    def step_of(self, name, rest):
        if name == "UID":
            name, rest = rest.split(" ", 1)
            name = name.upper()
            if name == "FETCH":
                name = "BODIES" if "BODY" in rest.upper() else "FACTS"
        return ("SELECT" if name == "EXAMINE" else name), rest

    def answer(self, tag, name, rest):
        step, rest = self.step_of(name, rest)
        action = self.server.action(step)
        if action is not None:
            self.perform(action, tag)
            return
        with self.server.lock:
            self.honest(tag, step, rest)

    def ok(self, tag, *lines):
        self.send(b"".join(line.encode() + b"\r\n" for line in lines) + f"{tag} OK done\r\n".encode())

    def honest(self, tag, step, rest):
        {"CAPABILITY": self.capability, "STARTTLS": self.starttls, "LOGIN": self.login,
         "AUTHENTICATE": self.authenticate, "SELECT": self.select, "NOOP": self.noop,
         "SEARCH": self.search, "FACTS": self.facts, "BODIES": self.bodies, "MOVE": self.move,
         "COPY": self.copy, "STORE": self.store, "EXPUNGE": self.expunge, "CREATE": self.create,
         "IDLE": self.idle, "LOGOUT": self.logout}[step](tag, rest)

    def capability(self, tag, _):
        words = " ".join(self.server.capabilities)
        if not self.server.implicit and self.server.context and not self.is_secure():
            words += " STARTTLS"
        self.ok(tag, f"* CAPABILITY IMAP4rev1 {words}")

    def starttls(self, tag, _):
        self.ok(tag)
        self.secure()

    def login(self, tag, rest):
        words = re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', rest)
        user, password = (re.sub(r"\\(.)", r"\1", quoted or plain) for quoted, plain in words)
        self.decide(tag, (user, password))

    def authenticate(self, tag, rest):
        name, *first = rest.split(" ")
        if not first:
            self.send(b"+ \r\n")
            first = [self.line()]
        text = base64.b64decode(first[0]).decode()
        if name == "XOAUTH2":
            found = re.fullmatch("user=(.*)\x01auth=Bearer (.*)\x01\x01", text)
            if found[2] != self.server.password:
                self.send(b"+ " + base64.b64encode(b'{"status":"401"}') + b"\r\n")
                self.line()
            self.decide(tag, (found[1], found[2]))
        else:
            self.decide(tag, tuple(text.split("\0")[1:]))

    def decide(self, tag, login):
        self.server.logins.append(login)
        if login == (USER, self.server.password):
            self.ok(tag)
        else:
            self.send(f"{tag} NO [AUTHENTICATIONFAILED] who are you\r\n".encode())

    def present(self):
        return sorted(self.server.mails)

    def select(self, tag, _):
        self.ok(tag, f"* {len(self.server.mails)} EXISTS", "* 0 RECENT", "* FLAGS (\\Seen \\Deleted)",
                f"* OK [UIDVALIDITY {self.server.validity}] ok",
                f"* OK [UIDNEXT {self.server.next}] ok")

    def noop(self, tag, _):
        self.ok(tag, f"* {len(self.server.mails)} EXISTS")

    def chosen(self, text):
        present = self.present()
        wanted = uid_set(text, present[-1] if present else 0)
        return [(number, uid) for number, uid in enumerate(present, 1) if uid in wanted]

    def search(self, tag, rest):
        found = re.search(r"UID ([\d:*,]+)", rest)
        uids = [str(uid) for _, uid in self.chosen(found[1])]
        self.ok(tag, " ".join(["* SEARCH", *uids]))

    def facts(self, tag, rest):
        lines = []
        for number, uid in self.chosen(rest.split(" ")[0]):
            raw, date = self.server.mails[uid]
            lines.append(f'* {number} FETCH (UID {uid} INTERNALDATE "{date}" RFC822.SIZE {len(raw)})')
        self.ok(tag, *lines)

    def bodies(self, tag, rest):
        cap = int(re.search(r"<0\.(\d+)>", rest)[1])
        for number, uid in self.chosen(rest.split(" ")[0]):
            raw = self.server.mails[uid][0]
            part = raw[:cap]
            self.send(f"* {number} FETCH (UID {uid} RFC822.SIZE {len(raw)} BODY[]<0> {{{len(part)}}}\r\n"
                      .encode() + part + b")\r\n")
        self.ok(tag)

    def target(self, rest):
        uids, folder = rest.split(" ", 1)
        return [uid for _, uid in self.chosen(uids)], folder.strip('"')

    def put(self, tag, rest):
        uids, folder = self.target(rest)
        if folder not in self.server.folders:
            self.send(f"{tag} NO [TRYCREATE] no such folder\r\n".encode())
            return None
        self.server.folders[folder] += [self.server.mails[uid][0] for uid in uids]
        return uids

    def move(self, tag, rest):
        uids = self.put(tag, rest)
        if uids is not None:
            self.remove(tag, uids)

    def remove(self, tag, uids):
        lines = []
        for uid in uids:
            lines.append(f"* {self.present().index(uid) + 1} EXPUNGE")
            del self.server.mails[uid]
        self.ok(tag, *lines)

    def copy(self, tag, rest):
        if self.put(tag, rest) is not None:
            self.ok(tag)

    def store(self, tag, rest):
        self.server.deleted.update(uid for _, uid in self.chosen(rest.split(" ")[0]))
        self.ok(tag)

    def expunge(self, tag, rest):
        gone = {uid for _, uid in self.chosen(rest)} if rest else set(self.server.deleted)
        self.remove(tag, gone & self.server.deleted & set(self.server.mails))

    def create(self, tag, rest):
        self.server.folders.setdefault(rest.strip('"'), [])
        self.ok(tag)

    def idle(self, tag, _):
        """Runs with the lock, which waiting gives back."""
        self.send(b"+ idling\r\n")
        known = self.server.next
        done = threading.Event()

        def listen():
            try:
                self.line()
            except (Closed, OSError):
                pass
            with self.server.arrived:
                done.set()
                self.server.arrived.notify_all()

        threading.Thread(target=listen, daemon=True).start()
        while not done.is_set():
            self.server.arrived.wait()
            if self.server.next != known:
                known = self.server.next
                self.send(f"* {len(self.server.mails)} EXISTS\r\n".encode())
        self.ok(tag)

    def logout(self, tag, _):
        self.send(b"* BYE see you\r\n")
        self.ok(tag)
        raise Closed
