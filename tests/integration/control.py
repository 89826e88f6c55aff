"""The control socket from both ends: clients that are slow or hostile, and daemons that are just
beginning or ending while zugpostctl asks."""
import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest
from datetime import datetime, timedelta, timezone

import club
import loop
from alerts import await_true
from club import rfc3339

REQUEST, REPLY, READY, BUSY = 16, 17, 18, 19
LIMIT = 60.0
FULL = 16
UNKNOWN = "is not known"


def frame(kind, payload=b""):
    return struct.pack("<IB", len(payload), kind) + payload


def blob(data):
    return struct.pack("<I", len(data)) + data


def request(*words, now=None, json_wanted=False, text=b""):
    payload = struct.pack("<BBq", json_wanted, now is not None, now or 0) + blob(text)
    payload += struct.pack("<I", len(words)) + b"".join(blob(word.encode() + b"\0") for word in words)
    return frame(REQUEST, payload)


def receive(client, size):
    data = b""
    while len(data) < size:
        piece = client.recv(size - len(data))
        if not piece:
            raise EOFError(data)
        data += piece
    return data


def read_frame(client):
    size, kind = struct.unpack("<IB", receive(client, 5))
    return kind, receive(client, size)


def read_reply(client):
    """Exit code, standard output and error."""
    kind, payload = read_frame(client)
    assert kind == REPLY, kind
    code, size = struct.unpack_from("<II", payload)
    return code, payload[8:8 + size].decode(), payload[12 + size:].decode()


def is_over(client):
    """The other end has closed, whatever it says of bytes that it has not read."""
    try:
        while client.recv(65536):
            pass
    except ConnectionResetError:
        pass
    return True


class ControlTest(club.ClubTest):
    def setUp(self):
        super().setUp()
        self.place = self.club()
        self.path = str(self.place.top / "store/control.sock")
        self.begun = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(hours=1)

    def start(self, place=None):
        daemon = loop.Daemon(place or self.place)
        self.addCleanup(daemon.kill)
        daemon.notified("READY=1")
        return daemon

    def connect(self, ready=True):
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.settimeout(LIMIT)
        client.connect(self.path)
        if ready:
            self.assertEqual(read_frame(client), (READY, b""))
        return client

    def ask(self, *words, **more):
        client = self.connect()
        client.sendall(request(*words, **more))
        reply = read_reply(client)
        self.assertTrue(is_over(client))
        return reply

    def tournament(self, pairs=(("anna", "bruno"),)):
        path = self.place.top / "tournament.ini"
        path.write_text(club.tournament_text(pairs, start=rfc3339(self.begun)), encoding="utf-8")
        return path

    def commands(self):
        """Those that are in the log, in order."""
        if not (self.place.top / "store/zugpost.db").exists():
            return []
        export = self.place.top / f"export-{time.monotonic_ns()}"
        self.place.control("export", export)
        rows = map(json.loads, (export / "events.jsonl").read_text(encoding="utf-8").splitlines())
        return [row["data"]["command"] for row in rows if row["kind"] == "command"]


class ClientsTest(ControlTest):
    """What others do at the socket harms nobody but them."""

    def test_garbage(self):
        daemon = self.start()
        good = request("status")
        for data in (b"\xff" * 64, b"GET / HTTP/1.0\r\n\r\n", frame(REPLY), frame(READY), frame(REQUEST),
                     frame(REQUEST, b"\0" * 64), frame(REQUEST, good[5:] + b"x"), frame(REQUEST, good[5:-1]),
                     request(), request(*["x"] * 513), request("status", now=2**62), request("st\0atus"),
                     struct.pack("<IB", (16 << 20) + 1, REQUEST)):
            with self.subTest(data=data[:40]):
                client = self.connect()
                with contextlib.suppress(BrokenPipeError):
                    client.sendall(data)
                self.assertTrue(is_over(client))
        for words, said in ((("perft", "x", "1"), "does not do this"), (("verify",), "does not do this"),
                            (("nonsense",), "does not do this"), (("games", "--what"), "usage: "),
                            (("announce", "KO-50.2", "\n\x01"), "usage: ")):
            code, out, err = self.ask(*words)
            self.assertNotEqual(code, 0)
            self.assertEqual(out, "")
            self.assertIn(said, err)
        self.assertEqual(self.ask("status")[0], 0)
        self.assertEqual(self.ask("games")[:2], (0, ""))
        # A second request finds nobody.
        client = self.connect()
        client.sendall(request("status") + request("pause"))
        self.assertEqual(read_reply(client)[0], 0)
        self.assertTrue(is_over(client))
        self.assertFalse(self.place.json("status")["paused"])
        self.assertEqual(daemon.stop(), 0)

    def test_slow_clients_and_many(self):
        """Who says half of something, or nothing, or takes no answer, is let go; the others wait
        until there is room."""
        daemon = self.start()
        people = [(f"p{n:04}", f"Person, {n}", "Europe/Rome") for n in range(1500)]
        self.place.import_text(club.tournament_text([("p0000", "p0001")], start=rfc3339(self.begun), players=people))
        deaf = self.connect()
        deaf.sendall(request("players", json_wanted=True))
        select.select([deaf], [], [], LIMIT)
        half = self.connect()
        half.sendall(request("status")[:-3])
        silent = [self.connect() for _ in range(FULL - 2)]
        late = self.connect(ready=False)
        self.assertEqual(read_frame(late), (BUSY, b""))
        self.assertTrue(is_over(late))
        began = time.monotonic()
        self.assertIn("running", self.place.control("status"))
        self.assertGreater(time.monotonic() - began, 2)
        for client in (half, *silent):
            self.assertTrue(is_over(client))
        # What was sent is there, and it is not all.
        poll = select.poll()
        poll.register(deaf, select.POLLRDHUP)
        self.assertTrue(poll.poll(LIMIT * 1000))
        with self.assertRaises(EOFError):
            read_frame(deaf)
        self.assertEqual(daemon.stop(), 0)

    def test_answers_that_are_too_long(self):
        """They are told of; what was asked for is done or not as it was."""
        text = self.place.config.read_text(encoding="utf-8").replace("message-size = 256K", "message-size = 32M")
        self.place.config.write_text(text, encoding="utf-8")
        self.place.drop(b"From: x@y.example\nTo: moves@club.example\n\n" + b"long\n" * (4 << 20), self.begun)
        daemon = self.start()
        await_true(self.place.messages, "the message")
        code, out, err = self.ask("message", "1", "--raw")
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err, "the answer is longer than the 16 MiB that go through the control socket\n")
        # Whoever opens the store himself gets it.
        done = subprocess.run([club.CONTROL, "--config", self.place.config, "message", "1", "--raw"],
                              env=self.place.environment(), stdout=subprocess.PIPE, check=True)
        self.assertGreater(len(done.stdout), 16 << 20)
        self.assertEqual(daemon.stop(), 0)

    def test_long_words(self):
        """What is put together of them is no longer than they are."""
        daemon = self.start()
        for command in ("announce", "KO-50.2", "\x01"), ("rule", "KO-50.2/1"):
            self.assertEqual(self.ask(*command, *["x" * 4000] * 500)[0], 2)
        with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as status:
            self.assertLess(int(re.search(r"VmHWM:\s+(\d+) kB", status.read())[1]), 100_000)
        self.assertEqual(daemon.stop(), 0)

    def test_many_words(self):
        """As many as a sentence may have, with a daemon and without."""
        words = ["word"] * 300
        self.place.import_text(self.tournament().read_text(encoding="utf-8"))
        self.place.control("announce", "KO-50.2", *words)
        daemon = self.start()
        self.place.control("announce", "KO-50.2", *words)
        done = self.place.run(club.CONTROL, "--config", self.place.config, "announce", "KO-50.2", *words, *words)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(daemon.stop(), 0)
        done = self.place.run(club.CONTROL, "--config", self.place.config, "announce", "KO-50.2", *words, *words)
        self.assertEqual((done.returncode, done.stderr), (1, "announce: the command has more than 512 words\n"))


class FakeDaemon:
    """Listens in a store's folder in place of a daemon, and treats each client by the next of
    ROLES; `seen` is what came of that."""

    def __init__(self, test, *roles, holds_lock=True):
        self.test, self.seen, self.failed = test, [], None
        store = test.place.top / "store"
        self.lock = os.open(store / "zugpost.lock", os.O_RDWR | os.O_CREAT, 0o600)
        if holds_lock:
            fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(test.path)
        self.socket.listen(16)
        self.thread = threading.Thread(target=self.serve, args=roles, daemon=True)
        self.thread.start()

    def serve(self, *roles):
        for role in roles:
            client, _ = self.socket.accept()
            client.settimeout(LIMIT)
            self.seen.append(role)
            with client:
                role(client)
        # The next one finds nobody: neither the socket nor the lock is held.
        os.unlink(self.test.path)
        self.socket.close()
        os.close(self.lock)

    def join(self):
        self.thread.join(LIMIT)
        return len(self.seen)


def hangs_up(client):
    """Before it has said anything."""


def is_full(client):
    client.sendall(frame(BUSY))


def ends_at_once(client):
    """With the request still unread, if it has come."""
    client.sendall(frame(READY))


def waits_and_ends(client):
    """The request has come, and is not read."""
    client.sendall(frame(READY))
    select.select([client], [], [], LIMIT)


def reads_half(client):
    client.sendall(frame(READY))
    receive(client, 40)


def reads_and_ends(client):
    """What it did then nobody knows."""
    client.sendall(frame(READY))
    size, _ = struct.unpack("<IB", receive(client, 5))
    receive(client, size)


def answers_half(client):
    reads_and_ends(client)
    client.sendall(frame(REPLY, struct.pack("<I", 0) + blob(b"done\n") + blob(b""))[:-6])


class DaemonsTest(ControlTest):
    """zugpostctl while no daemon is quite there."""

    def background(self, *operands, **more):
        process = subprocess.Popen([club.CONTROL, "--config", self.place.config, *map(str, operands)],
                                   env=self.place.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, **more)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for stream in (process.stdout, process.stderr):
            if stream:
                self.addCleanup(stream.close)
        return process

    def finish(self, process, code=0):
        out, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, code, out + err)
        return out, err

    def test_an_end_before_the_request_was_taken(self):
        """It is asked again, and once done."""
        for role in (hangs_up, is_full, ends_at_once, waits_and_ends, reads_half):
            with self.subTest(role=role.__name__):
                code = f"C-{role.__name__[:10].strip('_')}"
                text = self.tournament().read_text(encoding="utf-8").replace("KO-50.2", code)
                path = self.place.top / "one.ini"
                path.write_text(text.replace("[game 1]", f"[game 1]\ncode = {len(self.commands()):04}"),
                                encoding="utf-8")
                fake = FakeDaemon(self, role, role)
                done = self.background("import", path)
                out, err = self.finish(done)
                self.assertIn(f"tournament {code}: created", out)
                self.assertEqual(err, "")
                self.assertEqual(fake.join(), 2)
                self.assertEqual(self.commands()[-1], ["import", str(path)])
        self.assertEqual(len(self.commands()), 5)

    def test_an_end_after_it_was_taken(self):
        """Nobody knows whether it was done: it is said, and nothing is tried again."""
        self.place.import_text(self.tournament().read_text(encoding="utf-8"))
        for role in (reads_and_ends, answers_half):
            with self.subTest(role=role.__name__):
                fake = FakeDaemon(self, role)
                out, err = self.finish(self.background("announce", "KO-50.2", "Hello"), 1)
                self.assertEqual(out, "")
                self.assertIn("whether 'announce' was done is not known; look with 'log GAME'", err)
                self.assertEqual(fake.join(), 1)
        self.assertEqual([words[0] for words in self.commands()], ["import"])

    def test_a_lock_that_is_held(self):
        """By a daemon that begins: for some seconds it is waited for."""
        lock = os.open(self.place.top / "store/zugpost.lock", os.O_RDWR | os.O_CREAT, 0o600)
        self.addCleanup(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)
        main, terminal = pty.openpty()
        self.addCleanup(os.close, main)
        process = subprocess.Popen([club.CONTROL, "--config", self.place.config, "import", self.tournament()],
                                   env=self.place.environment(), stdout=subprocess.PIPE, stderr=terminal, text=True)
        os.close(terminal)
        self.addCleanup(process.stdout.close)
        # Whoever looks on is told why nothing happens.
        self.assertEqual(os.read(main, 1000), b"zugpostctl: waiting for the daemon\r\n")
        fcntl.flock(lock, fcntl.LOCK_UN)
        self.assertIn("new game KO-50.2/1", process.communicate(timeout=LIMIT)[0])
        self.assertEqual(process.returncode, 0)
        # For ever it is not.
        fcntl.flock(lock, fcntl.LOCK_EX)
        began = time.monotonic()
        _, err = self.finish(self.background("announce", "KO-50.2", "Hello"), 1)
        self.assertEqual(err, f"another process holds the store {self.place.top}/store; nothing was done\n")
        self.assertTrue(10 < time.monotonic() - began < 30)
        self.assertEqual(len(self.commands()), 1)
        fcntl.flock(lock, fcntl.LOCK_UN)

    def test_a_daemon_that_is_stopped(self):
        """By SIGSTOP: it is waited for; and when it is killed, the next one does it."""
        daemon = self.start()
        for ends in (False, True):
            daemon.process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, daemon.process.pid, os.WSTOPPED)
            asks = [self.background("import", self.tournament([("anna", "bruno")] * (2 if ends else 1)))]
            asks.append(self.background("status"))
            for process in asks:
                self.await_connection(process)
            if ends:
                daemon.kill()
                daemon = self.start()
            else:
                daemon.process.send_signal(signal.SIGCONT)
            for process in asks:
                self.assertEqual(self.finish(process)[1], "")
            self.assertEqual(len(self.place.json("games")), 2 if ends else 1)
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual(len(self.commands()), 2)

    def await_connection(self, process):
        """Until it has a socket: then it waits for a word."""
        def has_socket():
            folder = f"/proc/{process.pid}/fd"
            return any("socket:" in os.readlink(f"{folder}/{fd}") for fd in os.listdir(folder))
        await_true(has_socket, "a connection")

    def test_restarts(self):
        """Commands asked for at any moment of many restarts are done once each."""
        self.place.import_text(self.tournament().read_text(encoding="utf-8"))
        done, unknown, stop, answered = [], [], threading.Event(), threading.Semaphore(0)

        def ask():
            n = 0
            while not stop.is_set():
                n += 1
                words = ["announce", "KO-50.2", f"number {n}"]
                result = self.place.run(club.CONTROL, "--config", self.place.config, *words)
                if result.returncode == 0:
                    done.append(words)
                elif UNKNOWN in result.stderr:
                    unknown.append(words)
                else:
                    done.append(result.stderr)
                answered.release()

        asking = threading.Thread(target=ask)
        asking.start()
        try:
            for sig in (signal.SIGTERM, signal.SIGKILL) * 5:
                daemon = self.start()
                for _ in range(3):
                    self.assertTrue(answered.acquire(timeout=LIMIT))
                daemon.process.send_signal(sig)
                daemon.process.wait(LIMIT)
        finally:
            stop.set()
            asking.join()
        kept = self.commands()[1:]
        self.assertEqual([words for words in done if isinstance(words, str)], [])
        for words in done:
            self.assertEqual(kept.count(words), 1, words)
        for words in kept:
            self.assertEqual(kept.count(words), 1, words)
        self.assertLessEqual({words[2] for words in kept} - {words[2] for words in done},
                             {words[2] for words in unknown})


if __name__ == "__main__":
    unittest.main()
