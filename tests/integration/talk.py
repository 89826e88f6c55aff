"""What players write around their moves, and moves in words: every row of tests/data/talk through
`zugpostctl read`, above the quote of the mail that asks for the move.

A row that is a move must make exactly that move; a row that is none must not make any. What the
refusal of such a mail says is for other tests.
"""
import shutil
import tempfile
import unittest
from datetime import timedelta

import club
import mailers
from club import address_of, instant, rfc3339

START = instant("2026-01-10T09:00:00+02:00")
PLAYED = ("accepted", "accepted-with-warning")

# Name: position (None: the initial one) and moves; the last one is made by mail.
GAMES = {
    # Black answers 12. g5: knights and pawns may move, and he may castle on one side.
    "najdorf": (None, "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bg5 e6 f4 Be7 Qf3 Qc7 O-O-O Nbd7 g4 b5 "
                      "Bxf6 Nxf6 g5"),
    # White may castle on both sides.
    "castling": ("r3k2r/1ppqbppp/p1npbn2/4p3/4P3/2NPBN2/PPPQBPPP/R3K2R b KQkq - 0 10", "h6"),
    # White may take in passing and promote.
    "pawns": ("rn2k2r/P2p1ppp/8/4P3/2q1N3/2N5/1PP2PPP/R2QK2R b KQkq - 0 20", "d5"),
    "opening": (None, ""),
}
# Who makes the last of these moves.
FIRST = {"najdorf": "w", "castling": "b", "pawns": "b"}
LANGUAGES = {"en": "en", "fi": "fi", "it": "it", "ru": "ru", "others": "en"}


def rows_of(name):
    """The rows of a table: game, what is expected, text."""
    for line in (club.DATA / f"talk/{name}.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            head, text = line.split(" | ", 1)
            yield *head.split(), text.replace("\\n", "\n").replace("\\t", "\t")


class TalkTest(unittest.TestCase):
    """A dry run changes nothing: one club serves all rows of a language."""
    maxDiff = None

    def setUp(self):
        self.folder = club.Path(tempfile.mkdtemp(prefix="zugpost-test-", dir=club.scratch_folder()))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def begin(self, language):
        """The club, and the mail to which the player of each game replies."""
        place = club.Club(self.folder / language)
        players = [(f"{side}-{game}", "Rossi, Bruno", "Europe/Rome") for game in GAMES for side in "wb"]
        text = club.tournament_text([(f"w-{game}", f"b-{game}") for game in GAMES], players=players)
        text = text.replace("language = en", f"language = {language}")
        for game, (fen, moves) in GAMES.items():
            setup = f"fen = {fen}" if fen else f"moves = {' '.join(moves.split()[:-1])}" if moves else ""
            text = text.replace(f"black = b-{game}\n", f"black = b-{game}\n{setup}\n")
        place.import_text(text)
        self.now = START + timedelta(minutes=5)
        mails = {}
        for mail in club.find(place.once(self.now), "pairing"):
            side, game = mail.to.split("@")[0].split("-")
            if game == "opening" and side == "w":
                mails[game] = mail
            elif game != "opening" and side == FIRST[game]:
                place.drop(mailers.letter(mail, mail.to, self.now, GAMES[game][1].split()[-1],
                                          serial=len(mails) + ord(side)), self.now)
        for mail in club.find(place.once(self.now), "move"):
            mails[mail.to.split("@")[0].split("-")[1]] = mail
        self.assertEqual(set(mails), set(GAMES))
        self.now += timedelta(hours=1)
        return place, mails

    def raw(self, mail, text):
        reply = mailers.Reply(mail=mail, sender=mail.to, name="B", when=self.now, san="", uci="", ply=0)
        body = (f"{text}\n\nOn Mon, Jan 12, 2026 at 9:00 AM Demo Chess Club <{club.ADDRESS}>\nwrote:\n\n"
                f"{mailers.quoted(mail.text)}\n")
        return mailers.assemble(mailers.headers(reply), body.encode())

    def check(self, name):
        rows = list(rows_of(name))
        self.assertGreater(len(rows), 80)
        place, mails = self.begin(LANGUAGES[name])
        paths = []
        for number, (game, _, text) in enumerate(rows):
            paths.append(place.top / f"{number}.eml")
            paths[-1].write_bytes(self.raw(mails[game], text))
        for (game, expected, text), got in zip(rows, place.json("read", *paths, "--now", rfc3339(self.now))):
            with self.subTest(text, game=game):
                if expected == "-":
                    self.assertNotIn(got["verdict"], PLAYED, got)
                    self.assertNotEqual(got["verdict"], "command", got)
                elif expected == "resign":
                    self.assertEqual(got["verdict"], "command", got)
                else:
                    self.assertIn(got["verdict"], PLAYED, got)
                    self.assertEqual(got["own"]["uci"], expected)

    def test_english(self):
        self.check("en")

    def test_finnish(self):
        self.check("fi")

    def test_italian(self):
        self.check("it")

    def test_russian(self):
        self.check("ru")

    def test_others(self):
        self.check("others")


# What a refusal says: a mail of bruno, who is to answer 12. g5, and what stands in its answer.
HELP = {
    "en": [
        ("Hi, I am thinking about Nd7 now.", ["speaks of Nd7", "\n    12... Nd7\n"]),
        ("12... Nd7?", ["speaks of Nd7", "\n    12... Nd7\n"]),
        ("Nd7\n\nNo wait, don't play that!", ["takes it back"]),
        ("Should I play Nd7 or b4?", ["| Should I play Nd7 or b4?", "on a line of its own"]),
        ("", ["no new text", "does not count", "in the Subject, in a picture"]),
        ("12... Zd7", ["\n    Zd7\n", "Did you mean", "\n    12... Nd7\n", "\n    12... Bd7\n"]),
        ("My move is Nb7.", ["not legal", "\n    Nb7\n", "\n    12... Bb7\n"]),
        ("12... Nd7\n12... b4", ["two different moves", "\n    Nd7\n", "\n    b4\n"]),
        ("12. g4 Nd7", ["\n    g4\n", "\n    12. g5 Nd7\n"]),
    ],
    "fi": [
        ("Mietin vielä siirtoa Rd7.", ["puhutaan siirrosta Rd7", "\n    12... Nd7\n"]),
        ("Rd7\n\nEikun odota!", ["perutaan samassa viestissä"]),
        ("12... Rb7", ["\n    12... Bb7 (Lb7)\n", "\n    12... Rb8 (Tb8)\n"]),
        ("12. g4 Rd7", ["\n    12. g5 Nd7\n"]),
    ],
    "it": [
        ("Penso a Cd7.", ["parla di Cd7", "\n    12... Nd7\n"]),
        ("Cd7\n\nNo, aspetta!", ["e poi la ritira"]),
        ("12... Cb7", ["\n    12... Qb7 (Db7)\n"]),
    ],
    "ru": [
        ("Думаю над Кd7.", ["речь идет о Кd7", "\n    12... Nd7\n"]),
        ("Кd7\n\nНет, подождите!", ["взят обратно"]),
        ("12... Кb7", ["\n    12... Bb7 (Сb7)\n"]),
    ],
}


class HelpTest(club.ClubTest):
    """Refusals name what was read, where, and what to write instead."""

    def test_refusals(self):
        for language, rows in HELP.items():
            place = self.club(language)
            text = club.tournament_text([("anna", "bruno")]).replace(
                "black = bruno", f"black = bruno\nmoves = {GAMES['najdorf'][1].rsplit(' ', 1)[0]}")
            place.import_text(text.replace("language = en", f"language = {language}"))
            now = START + timedelta(minutes=5)
            pairing, = club.find(place.once(now), "pairing", address_of("anna"))
            place.drop(mailers.letter(pairing, pairing.to, now, "12. g5"), now)
            move, = club.find(place.once(now), "move")
            for serial, (said, wanted) in enumerate(rows):
                now += timedelta(minutes=1)
                place.drop(mailers.letter(move, move.to, now, said, serial=serial + 1), now)
                refusal, = club.find(place.once(now), "refusal")
                told = " ".join(refusal.text.split("    ")[0].split())
                for words in wanted:
                    with self.subTest(said, words=words, refusal=refusal.text):
                        self.assertIn(words, refusal.text if "\n" in words else told + refusal.text)
            self.assertEqual(place.game(1)["ply"], 23)


# What a player writes beside his move, and what of it the opponent gets.
BESIDE = [
    ("Nd7", ""),
    ("12. g5 Nd7", ""),
    ("I play Nd7.", ""),
    ("Hi Anna! Nice move. I play Nd7. Greetings from Rome!", "Hi Anna! Nice move. Greetings from Rome!"),
    ("Hi Anna!\nMy move is Nd7, best wishes\nBruno", "Hi Anna!\nBruno"),
    ("It rains in Rome.\n\n12... Nd7\n\nAnd in Helsinki?", "It rains in Rome.\n\nAnd in Helsinki?"),
    ("Nd7. It was that or Nh5.", "It was that or Nh5."),
]


class BesideTest(club.ClubTest):
    def test_words_reach_the_opponent(self):
        start = self.club("start")
        text = club.tournament_text([("anna", "bruno")]).replace(
            "black = bruno", f"black = bruno\nmoves = {GAMES['najdorf'][1].rsplit(' ', 1)[0]}")
        start.import_text(text)
        now = START + timedelta(minutes=5)
        pairing, = club.find(start.once(now), "pairing", address_of("anna"))
        start.drop(mailers.letter(pairing, pairing.to, now, "12. g5"), now)
        mail, = club.find(start.once(now), "move")
        for number, (said, heard) in enumerate(BESIDE):
            with self.subTest(said):
                place = start.copy_to(self.folder / f"copy{number}")
                place.drop(mailers.letter(mail, mail.to, now, said, serial=1), now)
                move, = club.find(place.once(now), "move", address_of("anna"))
                told = [line[2:] for line in move.text.split("\n8 |")[0].split("\n") if line[:1] == "|"]
                self.assertEqual("\n".join(told), heard)


if __name__ == "__main__":
    unittest.main()
