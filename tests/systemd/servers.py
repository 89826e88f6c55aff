"""Runs inside of the box: Dovecot with TLS for IMAP, Postfix with TLS and logins for submission.
Says on its standard output, as JSON, where they are; puts the message of each file that a line of
its input names into the mailbox; ends the servers when its input ends.

usage: servers.py FOLDER ADDRESS...
"""
import json
import sys
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, "/opt/zugpost-tests")

import dovecot
from certificates import Certificates
from smtp_real import Postfix
from smtp_server import PASSWORD

top = Path(sys.argv[1])
top.mkdir(parents=True)
certificates = Certificates(top / "certificates")
imap = dovecot.Dovecot(top / "imap", certificates)
mail = Postfix(top / "smtp", certificates.server("mx"), {address: address for address in sys.argv[2:]})
user = imap.user()
(top / "certificates").chmod(0o755)
certificates.ca_file.chmod(0o644)
print(json.dumps({
    "ca_file": str(certificates.ca_file), "imap": imap.tls_port, "smtp": mail.implicit, "user": user,
    "imap_password": dovecot.PASSWORD, "smtp_password": PASSWORD,
    "boxes": str(top / "smtp/box")}), flush=True)
for line in sys.stdin:
    imap.mailbox(user).append(Path(line.strip()).read_bytes(), datetime.now(timezone.utc))
    print("delivered", flush=True)
mail.command("stop")
mail.auth.terminate()
imap.stop()
