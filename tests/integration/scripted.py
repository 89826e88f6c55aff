"""What the mail servers of the tests share that do what a script tells them, right or wrong.

SCRIPT: step -> what to do there instead of answering, or a list of such for the first, second,
... time; None: as an honest server.
"""
import socket
import ssl
import threading
import warnings

# What a step may be told to do, besides sending bytes.
EOF = object()      # close
RESET = object()    # close with a reset
DRIP = object()     # one byte at a time, for ever
SILENCE = object()  # nothing, for ever


class Closed(Exception):
    pass


class ScriptedServer:
    """Listens on a port of its own; each connection is a SESSION in a thread of its own."""

    def __init__(self, session, certificate, implicit, script, tls_max=None, port=0):
        self.session, self.implicit = session, implicit
        self.script = dict(script or {})
        self.counts = {}
        self.context = None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificate)
            if tls_max:
                self.context.set_ciphers("ALL:@SECLEVEL=0")
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", DeprecationWarning)
                    self.context.minimum_version = ssl.TLSVersion.TLSv1
                    self.context.maximum_version = tls_max
        self.lock = threading.RLock()
        self.stop = threading.Event()
        self.connections = 0
        self.listener = socket.create_server(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]

    def start(self):
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.stop.set()
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()

    def accept(self):
        while not self.stop.is_set():
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return
            self.connections += 1
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        session = self.session(self, connection)
        try:
            session.run()
        except (Closed, OSError, ValueError):
            pass
        finally:
            session.close()

    def action(self, step):
        with self.lock:
            nth = self.counts[step] = self.counts.get(step, 0) + 1
            action = self.script.get(step)
            if isinstance(action, list):
                action = action[nth - 1] if nth <= len(action) else None
            return action


class ScriptedSession:
    DRIPS = b"", b"x"  # what DRIP begins with, and goes on with

    def __init__(self, server, connection):
        self.server, self.connection = server, connection
        self.rest = b""

    def close(self):
        try:
            self.connection.close()
        except OSError:
            pass

    def secure(self):
        self.connection = self.server.context.wrap_socket(self.connection, server_side=True)
        self.rest = b""

    def is_secure(self):
        return isinstance(self.connection, ssl.SSLSocket)

    def send(self, data):
        self.connection.sendall(data)

    def read(self):
        data = self.connection.recv(65536)
        if not data:
            raise Closed
        self.rest += data

    def line(self):
        while b"\n" not in self.rest:
            self.read()
        line, self.rest = self.rest.split(b"\n", 1)
        return line.rstrip(b"\r").decode("utf-8", "surrogateescape")

    def wait_for_ever(self):
        """Until the client closes."""
        while self.connection.recv(65536):
            pass
        raise Closed

    def drip(self, first, more):
        """The first, then more of it now and then, for ever."""
        self.send(first)
        while not self.server.stop.wait(0.02):
            self.send(more)
        raise Closed

    def flood(self, data):
        """For ever, as fast as it is taken."""
        while not self.server.stop.is_set():
            self.send(data)
        raise Closed

    def misbehave(self, action):
        """What one of the marks means."""
        if action is RESET:
            # SO_LINGER with no time: closing resets.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        if action in (EOF, RESET):
            raise Closed
        if action is SILENCE:
            self.wait_for_ever()
        if action is DRIP:
            self.drip(*self.DRIPS)
