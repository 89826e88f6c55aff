"""Mails as people write them from the programs that they have, in four languages, and as attackers
write them: each is read as it was meant, or refused in words. A move that its sender did not see
himself write is never made.
"""
import base64
import html
import quopri
import shutil
import tempfile
import unittest
from datetime import timedelta
from email.header import Header

import club
import mailers
from club import address_of, instant, rfc3339

START = instant("2026-01-10T09:00:00+02:00")
# A Najdorf: Black answers 12. g5.
MOVES = ("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bg5 e6 f4 Be7 Qf3 Qc7 O-O-O Nbd7 g4 b5 Bxf6 Nxf6 "
         "g5").split()
LANGUAGES = {"bruno": "en", "carla": "it", "dmitri": "ru", "finn": "fi"}
KNIGHT, CASTLES, PAWN = "f6d7", "e8g8", "b5b4"
PLAYED = ("accepted", "accepted-with-warning")
NOTHING = ("no-move",)
REFUSED = ("no-move", "ambiguous-move", "illegal-move", "unreadable-move", "repetition-wrong",
           "repetition-missing", "stale-move", "command", "command-error")

# Words that a player of that language types above the quote, and the move that is made, if any.
WORDS = {
    "bruno": [
        ("My move is Nd7.", KNIGHT), ("my move is: Nd7", KNIGHT), ("My move is 12...Nd7", KNIGHT),
        ("Nd7\n\nSent from my iPhone", KNIGHT), ("Nd7 \N{SLIGHTLY SMILING FACE}", KNIGHT),
        ("\N{BLACK CHESS PAWN}\N{VARIATION SELECTOR-16} Nd7 \N{FLEXED BICEPS}", KNIGHT),
        ("\u201cNd7\u201d", KNIGHT), ("12\u2026Nd7", KNIGHT), ("12. \u2026 Nd7", KNIGHT),
        ("12...\N{NO-BREAK SPACE}Nd7", KNIGHT), ("\N{FULLWIDTH DIGIT ONE}\N{FULLWIDTH DIGIT TWO}... Nd7", KNIGHT),
        ("\N{FULLWIDTH LATIN CAPITAL LETTER N}\N{FULLWIDTH LATIN SMALL LETTER D}\N{FULLWIDTH DIGIT SEVEN}", KNIGHT),
        ("0\u20130", CASTLES), ("O\u2014O", CASTLES), ("12...0-0", CASTLES), ("castles kingside", CASTLES),
        ("12...Nd7Thanks for the game!", None), ("Hi Anna,12...Nd7", KNIGHT), ("Hello.Nd7", KNIGHT),
        ("Nd7,thanks", KNIGHT), ("Hi Anna, 12. g5 Nd7", KNIGHT), ("Ok, 12. g5 Nd7", KNIGHT),
        ('"Yes" - 12. g5 Nd7', KNIGHT), ("Sorry for the delay! 12. g5 Nd7. All the best, Bruno", KNIGHT),
        ("12. g5 Nd7 (I hope!)", KNIGHT), ("Good evening! My move: 12. g5 Nd7 - your turn :-)", KNIGHT),
        ("12.g5Nd7", None), ("12.g5 - Nd7", KNIGHT), ("12. g5 / Nd7", KNIGHT), ("12. g5 | Nd7", KNIGHT),
        ("g5 - Nd7", KNIGHT), ("g5, Nd7", KNIGHT), ("g5 Nd7", KNIGHT), ("White g5, Black Nd7", KNIGHT),
        ("...Nd7", KNIGHT), ("..Nd7", KNIGHT), ("… Nd7", KNIGHT), ("- Nd7", KNIGHT), ("* Nd7", KNIGHT), ("> Nd7", None),
        ("1) Nd7", None), ("Move 12: Nd7", KNIGHT), ("Move #12 Nd7", KNIGHT), ("12: Nd7", KNIGHT), ("12) Nd7", KNIGHT),
        ("12 Nd7", KNIGHT), ("12 ... Nd7", KNIGHT), ("12...N-d7", KNIGHT), ("12...Nf6d7", KNIGHT), ("knight d7", KNIGHT),
        ("Knight to d7", KNIGHT), ("N to d7", KNIGHT), ("Nd7 is my move", KNIGHT), ("Nd7 please", KNIGHT),
        ("I move Nd7", KNIGHT), ("I will play Nd7", KNIGHT), ("I'd like to play Nd7", KNIGHT), ("moving Nd7", KNIGHT),
        ("Nd7\n\n\n--\nBruno\nTel. 555-0123", KNIGHT), ("Nd7\n\nBruno Rossi\nVia Roma 4\n00100 Roma", KNIGHT),
        ("Nd7\n\n--\nBruno | FIDE 1830 | e4 best by test", KNIGHT),
        ("Nd7\n_____\nThis message is confidential. If you are not the addressee, delete it.", KNIGHT),
        ("Dear Anna\n\nhappy new year! It is cold here, -20 C.\n\n12... Nd7\n\nbest wishes\nBruno", KNIGHT),
        ("Nd7\n\nI will be away 12.1.-20.1.", KNIGHT), ("Nd7 =", KNIGHT), ("Nd7(=)", KNIGHT),
        ("Nd7 draw?", KNIGHT), ("b4! winning the knight, I think", None), ("b4?!", PAWN), ("12... b4 attacks c3", None),
        ("I resign, no, Nd7", None), ("Not Nd7 but b4", None), ("Nd7 - no wait, b4", None),
        ("Nd7??", None), ("Nd7?", None), ("Nd7 or b4?", None), ("What about Nd7?", None),
        ("Is Nd7 possible here?", None), ("Please wait with Nd7", None), ("Don't play Nd7 for me", None),
        ("After Nd7 I am worse.", None), ("Nd7 loses.", None), ("My friend says Nd7", None),
    ],
    "carla": [
        ("La mia mossa è Cd7", KNIGHT), ("Cd7", KNIGHT), ("12...Cd7", KNIGHT), ("12. g5 Cd7", KNIGHT),
        ("Gioco Cd7.", KNIGHT), ("Rispondo Cd7", KNIGHT), ("Ciao Anna, Cd7. A presto!", KNIGHT),
        ("Mossa: 12... Cd7", KNIGHT), ("Cf6-d7", KNIGHT), ("Nd7", KNIGHT), ("12n Cd7", KNIGHT),
        ("Cd7\n\nInviato da iPhone", KNIGHT), ("Cd7\n\nInviato dal mio telefono", KNIGHT),
        ("arrocco corto", CASTLES), ("0-0", CASTLES), ("Cd7, patta?", KNIGHT), ("Cd7\npropongo patta", KNIGHT),
        ("Buonasera,\n\nscusi il ritardo.\n\n12. ... Cd7\n\nCordiali saluti\nCarla", KNIGHT),
        ("Penso a Cd7, rispondo domani", None), ("Cd7 o b4?", None), ("Non gioco Cd7", None),
        ("se gioco Cd7 allora f5", None), ("12... Cd7\nse 13. f5 allora 13... 0-0", KNIGHT),
        ("Cd7, grazie e buona partita!", KNIGHT), ("ecco la mia mossa: Cd7", KNIGHT), ("Muovo Cd7", KNIGHT),
    ],
    "dmitri": [
        ("Кd7", KNIGHT), ("12...Кd7", KNIGHT), ("12. g5 Кd7", KNIGHT), ("Мой ход Кd7", KNIGHT), ("Мой ход: Кd7", KNIGHT),
        ("Хожу Кd7", KNIGHT), ("Играю Кd7", KNIGHT), ("Здравствуйте! 12... Кd7. С уважением, Дмитрий", KNIGHT),
        ("К d7", KNIGHT), ("Кf6-d7", KNIGHT), ("Кfd7", KNIGHT), ("Nd7", KNIGHT), ("кd7", KNIGHT), ("6647", KNIGHT),
        ("12. g5 6647", KNIGHT), ("12 7775 6647", None), ("0-0", CASTLES), ("О-О", CASTLES), ("короткая рокировка", CASTLES),
        ("Кd7\n\nОтправлено с iPhone", KNIGHT), ("Кd7\n\nОтправлено из мобильной Почты Mail.ru", KNIGHT),
        ("Кd7, предлагаю ничью", KNIGHT), ("Кd7\nпредлагаю ничью", KNIGHT), ("Кd7 или b4", None),
        ("Я не хожу Кd7", None), ("Думаю над Кd7", None), ("если Кd7, то f5", None),
        ("12... Кd7\nесли 13. f5 то 13... 0-0", KNIGHT), ("ответ: Кd7", KNIGHT), ("Отвечаю Кd7.", KNIGHT),
        ("Добрый день, Анна!\n\nМой ответ 12... Кd7.\n\nС уважением,\nДмитрий Петров", KNIGHT),
    ],
    "finn": [
        ("Rd7", KNIGHT), ("12...Rd7", KNIGHT), ("12. g5 Rd7", KNIGHT), ("Siirtoni on Rd7", KNIGHT), ("Siirto: Rd7", KNIGHT),
        ("Pelaan Rd7", KNIGHT), ("Vastaan Rd7.", KNIGHT), ("Moi Anna, Rd7. Terveisin Finn", KNIGHT), ("Rf6-d7", KNIGHT),
        ("Hei!\n\nSiirtoni 12... Rd7\n\nTerveisin\nFinn", KNIGHT), ("Rd7\n\nLähetetty iPhonesta", KNIGHT),
        ("Rd7\n\nLähetetty Samsung-puhelimesta", KNIGHT), ("lyhyt linnoitus", CASTLES), ("O-O", CASTLES), ("Rd7, tasapeli?", KNIGHT),
        ("Rd7\nehdotan tasapeliä", KNIGHT), ("Rd7 vai b4?", None), ("En pelaa Rd7", None), ("Mietin vielä Rd7", None),
        ("jos Rd7 niin f5", None), ("12... Rd7\njos 13. f5 niin 13... 0-0", KNIGHT), ("Nd7", KNIGHT),
        ("Vastaus: Rd7", KNIGHT), ("Tässä siirtoni: Rd7", KNIGHT), ("Siirrän Rd7", KNIGHT),
    ],
}


class PeopleTest(unittest.TestCase):
    """One club serves every test: a dry run changes nothing."""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = club.Path(tempfile.mkdtemp(prefix="zugpost-test-", dir=club.scratch_folder()))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.place = club.Club(folder / "club")
        text = club.tournament_text([("anna", ident) for ident in LANGUAGES])
        for ident, language in LANGUAGES.items():
            zone = f"timezone = {club.ZONES[ident]}\nlanguage = "
            text = text.replace(f"{address_of(ident)}\n{zone}en", f"{address_of(ident)}\n{zone}{language}")
            text = text.replace(f"black = {ident}", f"black = {ident}\nmoves = {' '.join(MOVES[:-1])}")
        cls.place.import_text(text)
        cls.now = START + timedelta(minutes=5)
        for mail in club.find(cls.place.once(cls.now), "pairing", address_of("anna")):
            cls.place.drop(mailers.letter(mail, address_of("anna"), cls.now, "12. g5",
                                          serial=int(mail.game[-1])), cls.now)
        cls.mails = {mail.to.split("@")[0]: mail for mail in club.find(cls.place.once(cls.now), "move")}
        cls.now += timedelta(hours=1)

    def read(self, letters):
        paths = []
        for number, raw in enumerate(letters):
            paths.append(self.place.top / f"{number}.eml")
            paths[-1].write_bytes(raw)
        return self.place.json("read", *paths, "--now", rfc3339(self.now))

    def raw(self, player, body, **fields):
        reply = mailers.Reply(mail=self.mails[player], sender=address_of(player), name=player.title(),
                              when=self.now, san="", uci="", ply=0)
        return mailers.assemble(mailers.headers(reply, **fields), body if isinstance(body, bytes) else body.encode())

    def check(self, rows):
        """Rows of (name, raw letter, the move that is made or None)."""
        for (name, raw, move), got in zip(rows, self.read([row[1] for row in rows])):
            with self.subTest(name):
                if move:
                    self.assertIn(got["verdict"], PLAYED, got)
                    self.assertEqual((got["own"]["uci"], got["repetition"]["san"]), (move, "g5"))
                else:
                    self.assertIn(got["verdict"], REFUSED, got)

    def above(self, player, text):
        quote = mailers.quoted(self.mails[player].text)
        return (f"{text}\n\nOn Mon, Jan 12, 2026 at 9:00 AM Demo Chess Club <moves@club.example>\n"
                f"wrote:\n\n{quote}\n")

    def test_words(self):
        self.check([((player, text), self.raw(player, self.above(player, text)), move)
                    for player, rows in WORDS.items() for text, move in rows])

    # ---- programs ----

    def html_quote(self, player):
        return html.escape(self.mails[player].text).replace("\n", "<br>\n")

    def paragraphs(self, player, prefix="<p class=MsoNormal>", suffix="<o:p></o:p></p>"):
        return "\n".join(f"{prefix}{html.escape(line).replace('  ', '&nbsp; ') or '&nbsp;'}{suffix}"
                         for line in self.mails[player].text.split("\n"))

    def alternative(self, player, plain, rich, kind="alternative", **fields):
        body = (f'--b\nContent-Type: text/plain; charset="utf-8"\nContent-Transfer-Encoding: base64\n\n'
                f"{base64.encodebytes(plain.encode()).decode()}\n"
                f'--b\nContent-Type: text/html; charset="utf-8"\nContent-Transfer-Encoding: quoted-printable\n\n'
                f"{quopri.encodestring(rich.encode()).decode()}\n--b--\n")
        return self.raw(player, body, Content_Type=f"multipart/{kind}; boundary=b", **fields)

    def web(self, player, body, **fields):
        """A mail that is HTML alone."""
        return self.raw(player, f"<html><head><meta charset=utf-8></head><body>{body}</body></html>",
                        Content_Type="text/html; charset=utf-8", **fields)

    def gmail(self, player, said, into=""):
        return (f'<div dir="ltr">{said}</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" '
                'class="gmail_attr">On Mon, 12 Jan 2026 at 09:00, Demo Chess Club &lt;<a href="mailto:moves@club'
                '.example">moves@club.example</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:'
                f'0px 0px 0px 0.8ex;border-left:1px solid">{self.html_quote(player).rstrip()}{into}</blockquote></div>')

    def outlook(self, player, said):
        fields = ("<b>From:</b> Demo Chess Club &lt;moves@club.example&gt; <br><b>Sent:</b> Monday, January 12, 2026 "
                  "9:00 AM<br><b>To:</b> B<br><b>Subject:</b> x")
        return (f"<div class=WordSection1><p class=MsoNormal>{said}<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p>"
                "</p><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'>"
                f"<p class=MsoNormal>{fields}<o:p></o:p></p></div>{self.paragraphs(player)}</div>")

    def wrapped(self, player, width=60):
        """The quote as a program leaves it that wraps at WIDTH and marks only the first of the pieces."""
        out = []
        for line in self.mails[player].text.split("\n"):
            line = "> " + line
            while len(line) > width and " " in line[2:width]:
                cut = line.rindex(" ", 2, width)
                out.append(line[:cut])
                line = line[cut + 1:]
            out.append(line)
        return "\n".join(out)

    def test_programs(self):
        bruno, carla, dmitri, finn = LANGUAGES
        text = self.mails[bruno].text
        last = text.rstrip("\n ").rsplit("\n", 1)[1]
        iphone = "Nd7\n\nSent from my iPhone\n\n> On 12 Jan 2026, at 09:00, Demo Chess Club <moves@club.example> wrote:\n> \n"
        inline = mailers.quoted(text).split("\n")
        middle = len(inline) // 2
        rows = [
            ("Gmail", self.alternative(bruno, self.above(bruno, "Nd7"), self.gmail(bruno, "Nd7")), KNIGHT),
            ("Gmail, plain side empty", self.alternative(bruno, "\n", self.gmail(bruno, "Nd7")), KNIGHT),
            ("Gmail, typed at the end of the quote", self.web(bruno, self.gmail(bruno, "", " Nd7")), KNIGHT),
            ("Gmail, nothing said", self.web(bruno, self.gmail(bruno, "<br>")), None),
            ("Gmail, confidential note below", self.web(bruno, self.gmail(bruno, "Nd7") + "<p>Nb6 Ltd. is confidential</p>"), KNIGHT),
            ("Gmail, an emoji as a picture", self.web(bruno, self.gmail(bruno, 'Nd7 <img data-emoji="x" alt="&#128512;" src="x">')), KNIGHT),
            ("Gmail, bold and coloured", self.web(bruno, self.gmail(bruno, '<b>12...</b>&nbsp;<span style="color:red">N</span>d7')), KNIGHT),
            ("Gmail in Italian", self.web(carla, self.gmail(carla, "Ciao,<div>Cd7</div><div>Grazie</div>").replace(
                "On Mon, 12 Jan 2026 at 09:00,", "Il giorno lun 12 gen 2026 alle ore 09:00").replace("wrote:", "ha scritto:")), KNIGHT),
            ("Outlook, HTML alone", self.web(bruno, self.outlook(bruno, "12... Nd7")), KNIGHT),
            ("Outlook, corrected into an ellipsis", self.web(bruno, self.outlook(bruno, "12&#8230; Nd7")), KNIGHT),
            ("Outlook, castling with an en dash", self.web(bruno, self.outlook(bruno, "0&#8211;0")), CASTLES),
            ("Outlook, smiley font", self.web(bruno, self.outlook(bruno, "Nd7 <span style='font-family:Wingdings'>J</span>")), KNIGHT),
            ("Outlook for the web", self.web(bruno, '<div style="font-family:Calibri">Nd7</div><div id="appendonsend"></div>'
             '<hr style="display:inline-block;width:98%" tabindex="-1"><div id="divRplyFwdMsg" dir="ltr"><font face="Calibri">'
             "<b>From:</b> Demo Chess Club &lt;moves@club.example&gt;<br><b>Sent:</b> Monday<br><b>To:</b> B<br>"
             f"<b>Subject:</b> x</font></div><div>{self.html_quote(bruno)}</div>"), KNIGHT),
            ("Outlook in Finnish", self.raw(finn, "Rd7\n\nLähettäjä: Demo Chess Club <moves@club.example>\n"
             f"Lähetetty: maanantai 12. tammikuuta 2026 9.00\nVastaanottaja: F\nAihe: x\n\n{text}"), KNIGHT),
            ("Outlook in German", self.raw(bruno, "12... Nd7\n\n-----Ursprüngliche Nachricht-----\nVon: Demo Chess Club\n"
             f"Gesendet: Montag, 12. Januar 2026 09:00\nAn: B\nBetreff: x\n\n{text}"), KNIGHT),
            ("iPhone", self.raw(bruno, iphone + mailers.quoted(text)), KNIGHT),
            ("iPhone, HTML alone", self.web(bruno, '<div dir="ltr">Nd7<br><br>Sent from my iPhone</div><div dir="ltr"><br>'
             '<blockquote type="cite">On 12 Jan 2026, at 09:00, Demo Chess Club wrote:<br><br></blockquote></div>'
             f'<blockquote type="cite"><div dir="ltr">\ufeff{self.html_quote(bruno)}</div></blockquote>'), KNIGHT),
            ("iPhone, in Italian", self.raw(carla, "Cd7\n\nInviato da iPhone\n\n> Il giorno 12 gen 2026, alle ore 09:00, Demo "
             f"Chess Club <moves@club.example> ha scritto:\n> \n{mailers.quoted(self.mails[carla].text)}"), KNIGHT),
            ("Android, header block", self.raw(bruno, "Nd7\n\nSent from my Galaxy\n\n-------- Original message --------\n"
             f"From: Demo Chess Club <moves@club.example>\nDate: 12/01/2026 09:00 (GMT+01:00)\nTo: B\nSubject: x\n\n{text}"), KNIGHT),
            ("Yahoo", self.web(bruno, '<div class="ydp">Nd7<br></div><div id="yahoo_quoted_1" class="yahoo_quoted"><div>On '
             "Monday, January 12, 2026 at 09:00:00 AM GMT+1, Demo Chess Club &lt;moves@club.example&gt; wrote: </div>"
             f"<div>{self.html_quote(bruno)}</div></div>"), KNIGHT),
            ("Mail.ru", self.web(dmitri, "<div>Кd7</div><div><br>--<br>Дмитрий Петров</div><blockquote style='border-left:1px'>"
             "Понедельник, 12 января 2026, 9:00 +03:00 от Demo Chess Club &lt;moves@club.example&gt;:<br> <div>"
             f"{self.html_quote(dmitri)}</div></blockquote>"), KNIGHT),
            ("Mail.ru, a line of dots", self.raw(dmitri, "12... Кd7\n\n12.01.2026, 09:00, \"Demo Chess Club\" <moves@club.example>:\n"
             f"{mailers.quoted(self.mails[dmitri].text)}"), KNIGHT),
            ("Thunderbird in Finnish", self.raw(finn, "Demo Chess Club kirjoitti 12.1.2026 klo 9.00:\n"
             f"{mailers.quoted(self.mails[finn].text)}\nRd7\n\n-- \nFinn\n"), KNIGHT),
            ("wrapped quote, pieces unmarked", self.raw(bruno, "Nd7\n\nClub wrote:\n" + self.wrapped(bruno)), KNIGHT),
            ("wrapped quote, move below", self.raw(bruno, "Club wrote:\n" + self.wrapped(bruno) + "\n\nNd7\n"), KNIGHT),
            ("in the middle", self.raw(bruno, "\n".join(inline[:middle] + ["", "12... Nd7", ""] + inline[middle:])), KNIGHT),
            ("above, and into the last line", self.raw(bruno, "Hi!\n\n" + mailers.quoted(text) + " Nd7\n"), KNIGHT),
            ("into the last line, a note above it", self.raw(bruno, "\n".join(
                [f"> {line}" if line != last else f"> {line} Nd7" for line in text.rstrip("\n ").split("\n")])), KNIGHT),
            ("only the last line quoted", self.raw(bruno, f"> {last}\nNd7\n"), KNIGHT),
            ("only the last line kept, unquoted", self.raw(bruno, f"{last} Nd7\n"), KNIGHT),
            ("quote of a quote", self.raw(bruno, "Nd7\n\n> On Monday I wrote:\n>> Hello\n> On Sunday, Club wrote:\n"
             + mailers.quoted(mailers.quoted(text))), KNIGHT),
            ("quote in a table", self.web(bruno, "<p>Nd7</p><table><tr><td bgcolor=blue></td><td>"
             f"{self.html_quote(bruno)}</td></tr></table>"), KNIGHT),
            ("windows-1251", self.raw(dmitri, "Здравствуйте!\n12. g5 Кd7\n".encode("windows-1251"),
             Content_Type="text/plain; charset=windows-1251"), KNIGHT),
            ("koi8-r without a label", self.raw(dmitri, "Здравствуйте! Вот мой ответ, с уважением, Дмитрий.\n12. g5 Кd7\n"
             .encode("koi8-r"), Content_Type="text/plain"), KNIGHT),
            ("iso-8859-15", self.raw(finn, "Hyvää päivää!\n12. g5 Rd7\n".encode("iso-8859-15"),
             Content_Type="text/plain; charset=iso-8859-15"), KNIGHT),
            ("two languages", self.raw(finn, self.above(finn, "Hei Anna! Buongiorno!\n\nSiirtoni on Rd7.\n\nRegards, с приветом\nFinn")), KNIGHT),
            ("crossed out", self.web(bruno, self.gmail(bruno, "<s>b4</s> Nd7")), KNIGHT),
            ("crossed out in CSS", self.web(bruno, self.gmail(
                bruno, '<span style="text-decoration:line-through">b4</span> Nd7')), KNIGHT),
            ("a picture beside it", self.alternative(bruno, "12. g5 Nd7", "<p>12. g5 Nd7</p>", "mixed"), KNIGHT),
            ("signed", self.raw(bruno, "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n12. g5 Nd7\n- -- \nB\n"
             "-----BEGIN PGP SIGNATURE-----\n\niQEzBAEBCAAdFiEE\n-----END PGP SIGNATURE-----\n"), KNIGHT),
            ("forwarded to us", self.raw(bruno, "FYI\n\n---------- Forwarded message ---------\nFrom: B <b@players.example>\n"
             "Date: Mon, 12 Jan 2026\nSubject: x\nTo: A\n\n12. g5 Nd7\n"), None),
            ("forwarded with a move of his own", self.raw(bruno, "12. g5 Nd7\n\nBegin forwarded message:\n\nFrom: X <x@y.example>\n"
             "Subject: x\nDate: 12 January 2026\nTo: B\n\n12. g5 b4\n"), KNIGHT),
        ]
        self.check(rows)

    def test_subjects(self):
        """Whatever stands before and behind our own Subject."""
        subject = self.mails["bruno"].subject
        subjects = [f"RE: {subject}", f"AW: {subject}", f"VS: {subject}", f"Odp: {subject}", f"R: {subject}",
                    f"Re[2]: {subject}", f"RE: FW: {subject}", f"[Ext] Re: {subject}", f"***SPAM*** Re: {subject}",
                    f"Re: {subject} (my move)", "Re: " + subject.replace(" ", "  "),
                    Header(f"Ответ: {subject}", "koi8-r").encode(), Header(f"Отв: {subject}", "utf-8").encode()]
        plain = {"To": club.ADDRESS, "Delivered_To": club.ADDRESS, "In_Reply_To": None, "References": None,
                 "Authentication_Results": "mail.club.example; dmarc=pass header.from=players.example"}
        self.check([(text, self.raw("bruno", "12. g5 Nd7", Subject=text, **plain), KNIGHT) for text in subjects])

    # ---- attacks ----

    def test_hidden(self):
        """What nobody sees is not there: neither as the move nor beside it."""
        hidden = ['<div style="display:none">%s</div>', '<div style="DISPLAY : NONE !important">%s</div>',
                  '<span style="font-size:0">%s</span>', '<span style="font-size:0px;line-height:0">%s</span>',
                  '<div style="opacity:0">%s</div>', '<div style="visibility:hidden">%s</div>', "<div hidden>%s</div>",
                  "<template>%s</template>", "<noscript>%s</noscript>", "<script>%s</script>", "<style>%s</style>",
                  "<title>%s</title>", "<!-- %s -->", "<!--[if mso]>%s<![endif]-->", '<div style="mso-hide:all">%s</div>',
                  '<div style="max-height:0;overflow:hidden">%s</div>', '<textarea style="display:none">%s</textarea>',
                  '<div style="display:none"><div><p>%s</p></div></div>', '<p style="d&#105;splay:none">%s</p>',
                  '<input type=hidden value="%s">', '<img alt="" title="%s">', '<a href="%s"></a>',
                  '<div style="height:0;width:0;overflow:hidden">%s</div>',
                  '<span style="display:none;mso-hide:all;font-size:1px">%s</span>']
        rows = []
        for form in hidden:
            rows.append((f"alone: {form}", self.web("bruno", "<p>Hello!</p>" + form % "12. g5 Nd7"), None))
            rows.append((f"beside: {form}", self.web("bruno", form % "12. g5 b4" + "<p>12. g5 Nd7</p>"), KNIGHT))
        self.check(rows)

    def test_tricks(self):
        bruno = "bruno"
        here = {"To": club.ADDRESS, "Delivered_To": club.ADDRESS, "In_Reply_To": None, "References": None,
                "Subject": "[KO-50.2 #1]"}
        attached = ("--b\nContent-Type: text/plain\n\nHello!\n--b\n%s\n\n12. g5 Nd7\n--b--\n")
        mixed = {"Content_Type": "multipart/mixed; boundary=b"}
        self.check([
            ("zero-width", self.raw(bruno, "12. g5 N\u200bd\u20607\ufeff\n"), KNIGHT),
            ("soft hyphens", self.raw(bruno, "12. g5 N\u00add7\n"), KNIGHT),
            ("a tag's characters", self.raw(bruno, "12. g5 Nd7\U000e0062\U000e0034\n"), KNIGHT),
            ("right to left", self.raw(bruno, "12. g5 \u202e7dN\u202c\n"), None),
            ("right to left behind", self.raw(bruno, "12. g5 Nd7 \u202e4b\u202c\n"), KNIGHT),
            ("isolates", self.raw(bruno, "12. g5 \u2066Nd7\u2069\n"), KNIGHT),
            ("combining marks", self.raw(bruno, "12. g5 Nd\u03367\u0336\n"), None),
            ("Greek capital Nu", self.raw(bruno, "12. g5 \u039dd7\n"), None),
            ("Cyrillic file", self.raw(bruno, "12. g5 Nfd7 \u04304?\n"), KNIGHT),
            ("mathematical letters", self.raw(bruno, "12. g5 \U0001d40d\U0001d41d\U0001d7d5\n"), KNIGHT),
            ("Roman digits", self.raw(bruno, "12. g5 Nd\u2166\n"), None),
            ("superscript", self.raw(bruno, "12. g5 Nd\u2077\n"), KNIGHT),
            ("NUL and controls", self.raw(bruno, b"12. g5 N\0d\x1b7\x7f\n"), KNIGHT),
            ("escape sequences", self.raw(bruno, "12. g5 b4\x1b[1K\rNd7\n"), None),
            ("carriage returns", self.raw(bruno, b"12. g5 b4\r            \r12. g5 Nd7\n"), None),
            ("backspaces", self.raw(bruno, b"12. g5 b4\b\bNd7\n"), None),
            ("two sides", self.alternative(bruno, "12. g5 Nd7", "<p>12. g5 b4</p>"), None),
            ("a side that is hidden", self.alternative(bruno, "Hello!", '<p style="display:none">12. g5 Nd7</p>'), None),
            ("entities", self.web(bruno, "12. g5 &#78;&#x64;&#55;"), KNIGHT),
            ("entities twice", self.web(bruno, "12. g5 &amp;#78;d7"), None),
            ("broken tags", self.web(bruno, "12. g5 N<b<i>d7"), KNIGHT),
            ("attached", self.raw(bruno, attached % "Content-Type: text/plain\nContent-Disposition: attachment", **mixed), None),
            ("attached mail", self.raw(bruno, attached % "Content-Type: message/rfc822\n\nFrom: bruno@players.example", **mixed), None),
            ("attached as a picture", self.raw(bruno, attached % "Content-Type: image/png", **mixed), None),
            ("a part of a mail", self.raw(bruno, "12. g5 Nd7", Content_Type='message/partial; id="x"; number=1; total=2'), None),
            ("somewhere else", self.raw(bruno, "12. g5 Nd7", Content_Type='message/external-body; access-type=URL; URL="http://x"'), None),
            ("a calendar", self.raw(bruno, "BEGIN:VCALENDAR\nSUMMARY:12. g5 Nd7\nEND:VCALENDAR\n", Content_Type="text/calendar"), None),
            ("encrypted", self.raw(bruno, "-----BEGIN PGP MESSAGE-----\n\n12. g5 Nd7\n-----END PGP MESSAGE-----\n"), None),
            ("the Subject alone", self.raw(bruno, "", Subject="[KO-50.2 #1] 12. g5 Nd7"), None),
            ("deep quotes", self.raw(bruno, ">>>>> 12. g5 Nd7\n>>>> 12. g5 Nd7\n>>> Nd7\n> Nd7\n"), None),
            ("an ending without a beginning", self.raw(bruno, "-----END PGP SIGNATURE-----\n12. g5 Nd7\n"), KNIGHT),
            ("a header in the text", self.raw(bruno, "Authentication-Results: mail.club.example; dmarc=pass\n\n12. g5 Nd7\n"), KNIGHT),
        ])
        unknown = [
            ("two From fields", {"From": "Bruno <bruno@players.example>\nFrom: x@elsewhere.example"}),
            ("two addresses", {"From": "bruno@players.example, x@elsewhere.example"}),
            ("a group", {"From": "Players: bruno@players.example;"}),
            ("a name that is an address", {"From": '"bruno@players.example" <x@elsewhere.example>'}),
            ("an encoded name", {"From": "=?utf-8?Q?bruno=40players.example?= <x@elsewhere.example>"}),
            ("an encoded address", {"From": "=?utf-8?Q?bruno=40players.example?="}),
            ("a comment", {"From": "x@elsewhere.example (bruno@players.example)"}),
            ("a line end in the name", {"From": "=?utf-8?Q?Bruno=0AReply-To:_x?= <bruno@players.example>"}),
            ("a look-alike", {"From": "bruno@pl\u0430yers.example".encode().decode("latin-1")}),
            ("another domain", {"From": "bruno@players.example.elsewhere.example"}),
        ]
        letters = [self.raw(bruno, "12. g5 Nd7", **here, **fields) for _, fields in unknown]
        for (name, _), got in zip(unknown, self.read(letters)):
            with self.subTest(name):
                # A move that fits is asked about at the registered address, and nowhere else.
                self.assertIn(got["verdict"], ("unknown-sender", "held"))
                self.assertFalse(got["answer"])
        # With the token of another player nobody is that player.
        raw = self.raw("carla", "12. g5 Cd7", From="bruno@players.example")
        got, = self.read([raw])
        self.assertNotIn(got["verdict"], PLAYED)

    def test_nothing_gets_into_a_header(self):
        """In a store of its own, as mails are sent."""
        with tempfile.TemporaryDirectory(dir=club.scratch_folder()) as folder:
            place = club.Club(club.Path(folder) / "club")
            place.import_text(club.tournament_text([("anna", "bruno")]))
            pairing, = club.find(place.once(self.now), "pairing", address_of("anna"))
            evil = "=?utf-8?Q?x=0D=0ABcc:_victim@elsewhere.example=0D=0A=0D=0Aboo?="
            place.drop(mailers.letter(pairing, address_of("anna"), self.now, "1. e4\n\nBcc: victim@elsewhere.example\n.\nQUIT",
                                      Subject=evil, Message_ID=f"<{evil}@x>"), self.now)
            mails = place.once(self.now)
            self.assertEqual(len(mails), 3)
            for mail in mails:
                self.assertNotIn("Bcc", mail.message)
                self.assertNotIn(b"\nboo", mail.raw)
                self.assertNotIn(b"victim", mail.raw.split(b"\n\n")[0])

    def test_conditional_moves_are_told_once(self):
        """As the moves that they are, and not as words; what repeats our list of them is no quote of it."""
        series = "2... Nc6 3. Bb5 a6 4. Ba4"
        answers = [f"{series} Nf6", f"{series}\n4... Nf6", "2... Nc6 3. Bb5\n3... a6 4. Ba4\n4... Nf6",
                   "2... Nc6\n3. Bb5 a6\n4. Ba4 Nf6", f"{series} 4... Nf6"]
        for answer in answers:
            with self.subTest(answer), tempfile.TemporaryDirectory(dir=club.scratch_folder()) as folder:
                place = club.Club(club.Path(folder) / "club")
                text = club.tournament_text([("anna", "bruno")])
                place.import_text(text + "moves = e4 e5\n")
                anna, bruno = address_of("anna"), address_of("bruno")
                pairing, = club.find(place.once(self.now), "pairing", anna)
                now = self.now + timedelta(minutes=1)
                place.drop(mailers.letter(pairing, anna, now, f"2. Nf3\nif {series}\n\nGood luck!"), now)
                move, = club.find(place.once(now), "move")
                self.assertIn(f"1) {series}", move.text)
                self.assertEqual([line for line in move.text.split("\n") if line.startswith("| ")], ["| Good luck!"])
                now += timedelta(minutes=1)
                place.drop(mailers.letter(move, bruno, now, f"{answer}\n\nThanks!", serial=1), now)
                move, = club.find(place.once(now), "move", anna)
                self.assertEqual(place.messages()[-1]["verdict"], "accepted")
                self.assertEqual(place.game(1)["san"], "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6".split())
                self.assertEqual([line for line in move.text.split("\n8 |")[0].split("\n") if line.startswith("| ")],
                                 ["| Thanks!"])


if __name__ == "__main__":
    unittest.main()
