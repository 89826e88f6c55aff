"""How players' mail programs answer: each style makes the raw bytes of a reply.

A style takes a Reply and returns RFC 5322 bytes as a delivery agent would store them.
"""
import base64
import quopri
import textwrap
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime


@dataclass
class Reply:
    """What the player has before him and what he wants to say."""
    mail: object          # the Mail that is answered
    sender: str           # plain address
    name: str             # display name
    when: datetime        # when it is sent
    san: str              # the own move
    uci: str
    ply: int              # plies made before the own move
    last: str = ""        # SAN of the opponent's last move, "" at the start
    chat: str = ""
    serial: int = 0

    @property
    def number(self) -> int:
        return self.ply // 2 + 1

    @property
    def numbered(self) -> str:
        """The own move with its number: 12. Nf3, 12... Nf6."""
        return f"{self.number}.{'' if self.ply % 2 == 0 else '..'} {self.san}"

    @property
    def repeated(self) -> str:
        """The opponent's last move and the own one, in full."""
        if not self.last:
            return self.numbered
        if self.ply % 2:
            return f"{self.number}. {self.last} {self.san}"
        return f"{self.number - 1}... {self.last} {self.number}. {self.san}"

    @property
    def reply_line(self) -> str:
        """The reply line as it stands in the mail, without trailing blanks."""
        if not self.last:
            return "1."
        if self.ply % 2:
            return f"{self.number}. {self.last}"
        return f"{self.number - 1}... {self.last} {self.number}."


def headers(reply: Reply, subject_prefix="Re: ", **more) -> list:
    mail = reply.mail
    subject = mail.subject
    if not subject.startswith("Re:"):
        subject = subject_prefix + subject
    chain = f"{mail.references} {mail.id}" if mail.references else mail.id
    fields = {
        "Return-Path": f"<{reply.sender}>",
        "Delivered-To": mail.reply_address,
        "Received": f"from mx.players.example by mail.club.example; {format_datetime(reply.when)}",
        "From": f"{reply.name} <{reply.sender}>",
        "To": mail.reply_to,
        "Subject": subject,
        "Date": format_datetime(reply.when),
        "Message-ID": f"<{reply.serial}.{int(reply.when.timestamp())}@players.example>",
        "In-Reply-To": mail.id,
        "References": chain.replace(" ", "\n "),
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=utf-8",
        **{name.replace("_", "-"): value for name, value in more.items()},
    }
    return [f"{name}: {value}" for name, value in fields.items() if value]


def assemble(lines: list, body: bytes, newline=b"\n") -> bytes:
    """Headers in ASCII, then the body with one kind of line end."""
    head = "\n".join(lines).encode("ascii", "replace")
    return (head + b"\n\n" + body.replace(b"\r\n", b"\n")).replace(b"\n", newline)


def quoted(text: str, mark="> ") -> str:
    return "\n".join((mark + line).rstrip() for line in text.rstrip("\n").split("\n"))


def mutt(reply: Reply) -> bytes:
    """Bottom-posted below a full quote, with a signature."""
    when = reply.when.strftime("%a, %b %d, %Y at %I:%M:%S%p +0000")
    body = (f"On {when}, Demo Chess Club wrote:\n{quoted(reply.mail.text)}\n\n"
            f"{reply.numbered}\n{reply.chat}\n-- \n{reply.name}\n")
    return assemble(headers(reply, User_Agent="Mutt/2.2.9"), body.encode())


def gmail(reply: Reply) -> bytes:
    """Top-posted, the attribution wrapped over two lines, with an HTML twin."""
    when = reply.when.strftime("%a, %b %-d, %Y at %-I:%M\u202f%p")
    plain = (f"{reply.numbered}\n\n{reply.chat}\n\nOn {when} Demo Chess Club via Zugpost <\n"
             f"moves@club.example> wrote:\n\n{quoted(reply.mail.text)}\n")
    rows = "<br>".join(line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
                       for line in reply.mail.text.split("\n"))
    html = (f'<div dir="ltr">{reply.numbered}<div><br></div><div>{reply.chat}</div></div><br>'
            f'<div class="gmail_quote"><div dir="ltr" class="gmail_attr">On {when} Demo Chess Club '
            f'via Zugpost &lt;<a href="mailto:moves@club.example">moves@club.example</a>&gt; '
            f'wrote:<br></div><blockquote class="gmail_quote" style="margin:0">{rows}'
            f'</blockquote></div>\n')
    mark = f"000000000000{reply.serial:08x}"
    parts = "".join(
        f'--{mark}\nContent-Type: text/{kind}; charset="UTF-8"\n'
        f"Content-Transfer-Encoding: quoted-printable\n\n"
        f"{quopri.encodestring(text.encode()).decode()}\n"
        for kind, text in (("plain", plain), ("html", html)))
    return assemble(headers(reply, Content_Type=f'multipart/alternative; boundary="{mark}"'),
                    f"{parts}--{mark}--\n".encode())


def outlook(reply: Reply) -> bytes:
    """Top-posted over a header block and the unquoted original."""
    body = (f"{reply.repeated}\n\n{reply.chat}\n\n{reply.name}\n\n-----Original Message-----\n"
            f"From: Demo Chess Club <moves@club.example>\n"
            f"Sent: {reply.when.strftime('%A, %B %d, %Y %I:%M %p')}\nTo: {reply.sender}\n"
            f"Subject: {reply.mail.subject}\n\n{reply.mail.text}\n")
    return assemble(headers(reply, "RE: ", Content_Transfer_Encoding="base64"),
                    base64.encodebytes(body.replace("\n", "\r\n").encode()))


def inline(reply: Reply) -> bytes:
    """The move typed into the quoted reply line, nothing else said."""
    lines = quoted(reply.mail.text).split("\n")
    wanted = "> " + reply.reply_line
    places = [index for index, line in enumerate(lines) if line.rstrip() == wanted]
    if not places:
        raise AssertionError(f"no reply line {reply.reply_line!r} in\n{reply.mail.text}")
    lines[places[-1]] += " " + reply.san
    body = "Demo Chess Club wrote:\n" + "\n".join(lines) + "\n"
    return assemble(headers(reply, X_Mailer="Sylpheed 3.7.0"), body.encode(), b"\r\n")


def plain(reply: Reply) -> bytes:
    """No quote at all: everything typed, in a mail of its own look."""
    body = f"Hello,\n\n{reply.repeated}\n\n{reply.chat}\n\nBest wishes\n{reply.name}\n"
    return assemble(headers(reply), body.encode())


def flowed(reply: Reply) -> bytes:
    """format=flowed: the quote re-wrapped with soft breaks, own text space-stuffed."""
    rows = []
    for line in reply.mail.text.rstrip("\n").split("\n"):
        pieces = textwrap.wrap(line, 60, drop_whitespace=False) or [""]
        for piece in pieces[:-1]:
            rows.append(">" + " " + piece.rstrip() + " ")
        rows.append(("> " + pieces[-1]).rstrip())
    body = (f"On {reply.when.strftime('%d/%m/%Y %H:%M')}, Demo Chess Club wrote: \n"
            + "\n".join(rows) + f"\n\n{reply.numbered}\n\n{reply.chat} \n  \n")
    return assemble(headers(reply, Content_Type="text/plain; charset=UTF-8; format=flowed"),
                    body.encode())


def apple(reply: Reply) -> bytes:
    """Top-posted, the attribution itself inside of the quote; quoted-printable."""
    when = reply.when.strftime("%-d %b %Y, at %H:%M")
    body = (f"{reply.repeated}\n\n{reply.chat}\n\n> On {when}, Demo Chess Club "
            f"<moves@club.example> wrote:\n> \n{quoted(reply.mail.text)}\n")
    return assemble(headers(reply, Content_Transfer_Encoding="quoted-printable",
                            Content_Type="text/plain;\n\tcharset=utf-8",
                            X_Mailer="Apple Mail (2.3774)"),
                    quopri.encodestring(body.encode()))


def thunderbird(reply: Reply) -> bytes:
    """A German attribution, the move typed below the quote, the long form."""
    when = reply.when.strftime("%d.%m.%Y um %H:%M")
    move = reply.san if reply.san.startswith("O-O") else f"{reply.uci[:2]}-{reply.uci[2:4]}"
    if len(reply.uci) == 5:
        move += "=" + reply.uci[4].upper()
    body = (f"Am {when} schrieb Demo Chess Club:\n{quoted(reply.mail.text)}\n\n{move}\n\n"
            f"{reply.chat}\n")
    return assemble(headers(reply, Content_Type="text/plain; charset=UTF-8",
                            Content_Transfer_Encoding="8bit"), body.encode(), b"\r\n")


def latin(reply: Reply) -> bytes:
    """ISO-8859-1 in quoted-printable, words with accents around the move."""
    body = (f"{reply.repeated}\n\nÀ bientôt, et félicitations pour l'année\n\n"
            f"Le {reply.when.strftime('%d/%m/%Y')} à {reply.when.strftime('%H:%M')}, "
            f"Demo Chess Club a écrit\xa0:\n{quoted(reply.mail.text)}\n")
    encoded = body.encode("iso-8859-1", "replace")
    return assemble(headers(reply, Content_Type="text/plain; charset=iso-8859-1",
                            Content_Transfer_Encoding="quoted-printable"),
                    quopri.encodestring(encoded))


def mobile(reply: Reply) -> bytes:
    """One word from a telephone, its advertisement, no quote below but the header block."""
    body = (f"{reply.san}\n\nSent from my phone\n\n________________________________\n"
            f"From: Demo Chess Club <moves@club.example>\n"
            f"Sent: {reply.when.strftime('%d %B %Y %H:%M')}\nTo: {reply.sender}\n"
            f"Subject: {reply.mail.subject}\n\n{reply.mail.text}")
    return assemble(headers(reply), body.encode())


STYLES = [mutt, gmail, outlook, inline, plain, flowed, apple, thunderbird, latin, mobile]


def letter(mail, sender, when, text, quote=True, serial=0, **fields) -> bytes:
    """A plain top-posted answer to MAIL that says TEXT; FIELDS replace headers (None: none)."""
    reply = Reply(mail=mail, sender=sender, name=sender.split("@")[0].title(), when=when, san="",
                  uci="", ply=0, serial=serial)
    body = text + "\n"
    if quote:
        body += f"\nOn {when.strftime('%d/%m/%Y %H:%M')}, Club wrote:\n{quoted(mail.text)}\n"
    return assemble(headers(reply, **fields), body.encode())


def bounce(mail, when) -> bytes:
    """What a mail server says when it cannot deliver MAIL (RFC 3464)."""
    mark = "bounce.mx"
    original = mail.raw.decode("ascii").replace("\r\n", "\n").split("\n\n")[0]
    body = (f"--{mark}\n\nI could not deliver your message.\n\n"
            f"--{mark}\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.players.example\n\n"
            f"Final-Recipient: rfc822; {mail.to}\nAction: failed\nStatus: 5.1.1\n"
            f"Diagnostic-Code: smtp; 550 5.1.1 no such user\n\n"
            f"--{mark}\nContent-Type: text/rfc822-headers\n\n{original}\n\n--{mark}--\n")
    return_path = mail.return_path.strip("<>")
    lines = ["Return-Path: <>", f"Delivered-To: {return_path}",
             "From: Mail Delivery System <MAILER-DAEMON@mx.players.example>", f"To: {return_path}",
             "Subject: Undelivered Mail Returned to Sender", f"Date: {format_datetime(when)}",
             f"Message-ID: <{int(when.timestamp())}.bounce@mx.players.example>",
             "Auto-Submitted: auto-replied", "MIME-Version: 1.0",
             f'Content-Type: multipart/report; report-type=delivery-status; boundary="{mark}"']
    return assemble(lines, body.encode())
