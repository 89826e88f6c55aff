"""A certificate authority for tests, and the certificates that mail servers show, good and bad."""
import subprocess
from pathlib import Path


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
