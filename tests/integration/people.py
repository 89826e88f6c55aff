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
        ("0\u20130", CASTLES), ("O\u2014O", CASTLES), ("12...0-0", CASTLES), ("castles kingside", None),
        ("12...Nd7Thanks for the game!", None), ("Hi Anna,12...Nd7", KNIGHT), ("Hello.Nd7", None),
        ("Nd7,thanks", KNIGHT), ("Hi Anna, 12. g5 Nd7", KNIGHT), ("Ok, 12. g5 Nd7", KNIGHT),
        ('"Yes" - 12. g5 Nd7', KNIGHT), ("Sorry for the delay! 12. g5 Nd7. All the best, Bruno", KNIGHT),
        ("12. g5 Nd7 (I hope!)", KNIGHT), ("Good evening! My move: 12. g5 Nd7 - your turn :-)", KNIGHT),
        ("12.g5Nd7", None), ("12.g5 - Nd7", KNIGHT), ("12. g5 / Nd7", KNIGHT), ("12. g5 | Nd7", KNIGHT),
        ("g5 - Nd7", KNIGHT), ("g5, Nd7", KNIGHT), ("g5 Nd7", KNIGHT), ("White g5, Black Nd7", None),
        ("...Nd7", KNIGHT), ("..Nd7", KNIGHT), ("… Nd7", KNIGHT), ("- Nd7", KNIGHT), ("* Nd7", KNIGHT), ("> Nd7", None),
        ("1) Nd7", None), ("Move 12: Nd7", KNIGHT), ("Move #12 Nd7", None), ("12: Nd7", KNIGHT), ("12) Nd7", KNIGHT),
        ("12 Nd7", KNIGHT), ("12 ... Nd7", KNIGHT), ("12...N-d7", KNIGHT), ("12...Nf6d7", KNIGHT), ("knight d7", None),
        ("Knight to d7", None), ("N to d7", None), ("Nd7 is my move", KNIGHT), ("Nd7 please", KNIGHT),
        ("I move Nd7", KNIGHT), ("I will play Nd7", KNIGHT), ("I'd like to play Nd7", None), ("moving Nd7", None),
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
        ("arrocco corto", None), ("0-0", CASTLES), ("Cd7, patta?", KNIGHT), ("Cd7\npropongo patta", KNIGHT),
        ("Buonasera,\n\nscusi il ritardo.\n\n12. ... Cd7\n\nCordiali saluti\nCarla", KNIGHT),
        ("Penso a Cd7, rispondo domani", None), ("Cd7 o b4?", None), ("Non gioco Cd7", None),
        ("se gioco Cd7 allora f5", None), ("12... Cd7\nse 13. f5 allora 13... 0-0", KNIGHT),
        ("Cd7, grazie e buona partita!", KNIGHT), ("ecco la mia mossa: Cd7", KNIGHT), ("Muovo Cd7", KNIGHT),
    ],
    "dmitri": [
        ("Кd7", KNIGHT), ("12...Кd7", KNIGHT), ("12. g5 Кd7", KNIGHT), ("Мой ход Кd7", KNIGHT), ("Мой ход: Кd7", KNIGHT),
        ("Хожу Кd7", KNIGHT), ("Играю Кd7", KNIGHT), ("Здравствуйте! 12... Кd7. С уважением, Дмитрий", KNIGHT),
        ("К d7", KNIGHT), ("Кf6-d7", KNIGHT), ("Кfd7", KNIGHT), ("Nd7", KNIGHT), ("кd7", KNIGHT), ("6647", KNIGHT),
        ("12. g5 6647", KNIGHT), ("12 7775 6647", None), ("0-0", CASTLES), ("О-О", CASTLES), ("короткая рокировка", None),
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
        ("Rd7\n\nLähetetty Samsung-puhelimesta", KNIGHT), ("lyhyt linnoitus", None), ("O-O", CASTLES), ("Rd7, tasapeli?", KNIGHT),
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


if __name__ == "__main__":
    unittest.main()
