"""Players who never read a manual: replies as people write them to the mails really sent.

Each row is what a good arbiter's secretary would do with the letter. A move that was meant is
played; a move that was not meant is never played; what is neither is refused in words.
"""
import base64
import shutil
import tempfile
import unittest
from datetime import timedelta

import club
import mailers
from club import address_of, instant, rfc3339

START = instant("2026-01-10T09:00:00+02:00")
ANNA, BRUNO = address_of("anna"), address_of("bruno")

# A Najdorf: Black answers 12. g5; both sides have many moves of many shapes.
MOVES = ("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bg5 e6 f4 Be7 Qf3 Qc7 O-O-O Nbd7 g4 b5 Bxf6 Nxf6 "
         "g5").split()
LAST = "12. g5"
KNIGHT, CASTLES = "f6d7", "e8g8"

ACCEPTED = ("accepted",)
WARNED = ("accepted-with-warning",)
EITHER = ACCEPTED + WARNED

# The text above the quote, or below it; what becomes of it; the move that is made.
REPLIES = [
    # Bare moves in every dress.
    ("Nd7", ACCEPTED, KNIGHT),
    ("12... Nd7", ACCEPTED, KNIGHT),
    ("12...Nd7", ACCEPTED, KNIGHT),
    ("12. ... Nd7", ACCEPTED, KNIGHT),
    ("12\u2026 Nd7", ACCEPTED, KNIGHT),
    ("12. Nd7", ACCEPTED, KNIGHT),
    ("12. g5 Nd7", ACCEPTED, KNIGHT),
    ("12.g5 Nd7", ACCEPTED, KNIGHT),
    ("12 g5 Nd7", ACCEPTED, KNIGHT),
    ("12. g5, Nd7", ACCEPTED, KNIGHT),
    ("12. g5 12... Nd7", ACCEPTED, KNIGHT),
    ("12. g5\n12... Nd7", ACCEPTED, KNIGHT),
    ("nd7", EITHER, KNIGHT),
    ("N-d7", EITHER, KNIGHT),
    ("N d7", EITHER, KNIGHT),
    ("Nfd7", ACCEPTED, KNIGHT),
    ("Nf6-d7", ACCEPTED, KNIGHT),
    ("f6d7", ACCEPTED, KNIGHT),
    ("6647", ACCEPTED, KNIGHT),
    ("0-0", EITHER, CASTLES),
    ("12... o-o", EITHER, CASTLES),
    ("*12... Nd7*", ACCEPTED, KNIGHT),
    ('"Nd7"', ACCEPTED, KNIGHT),
    ("12... Nd7!?", ACCEPTED, KNIGHT),
    ("Nxd7", EITHER, KNIGHT),
    # Words around it.
    ("My move is Nd7", ACCEPTED, KNIGHT),
    ("My move: 12... Nd7", ACCEPTED, KNIGHT),
    ("Move: Nd7", ACCEPTED, KNIGHT),
    ("Black: Nd7", ACCEPTED, KNIGHT),
    ("I play 12... Nd7", ACCEPTED, KNIGHT),
    ("I'll play Nd7.", ACCEPTED, KNIGHT),
    ("I choose Nd7", ACCEPTED, KNIGHT),
    ("Let's try Nd7", ACCEPTED, KNIGHT),
    ("Here is my move:\nNd7", ACCEPTED, KNIGHT),
    ("here is my move Nd7 - sorry for the delay", ACCEPTED, KNIGHT),
    ("OK then: Nd7", ACCEPTED, KNIGHT),
    ("Bruno: Nd7", ACCEPTED, KNIGHT),
    ("Sorry for the delay.\n12... Nd7", ACCEPTED, KNIGHT),
    ("\N{THUMBS UP SIGN} Nd7", ACCEPTED, KNIGHT),
    ("12...\nNd7", ACCEPTED, KNIGHT),
    ("Hi Anna, Nd7", ACCEPTED, KNIGHT),
    ("Thanks! Nd7", ACCEPTED, KNIGHT),
    ("Nd7, good luck!", ACCEPTED, KNIGHT),
    ("Nd7 (forced)", ACCEPTED, KNIGHT),
    ("Nd7. Best wishes", ACCEPTED, KNIGHT),
    ("Nd7 and now it gets interesting!", ACCEPTED, KNIGHT),
    ("Well, Nd7 it is.", ACCEPTED, KNIGHT),
    ("Hmm, difficult. Nd7", ACCEPTED, KNIGHT),
    ("Dear Zugpost,\n\nplease relay my move 12... Nd7 to Anna.\n\nThank you", ACCEPTED, KNIGHT),
    ("Hello Anna,\n\n12... Nd7\n\nBest regards,\nBruno", ACCEPTED, KNIGHT),
    ("Nd7\nBest, Bruno", ACCEPTED, KNIGHT),
    ("Nd7\n\nSent from my phone", ACCEPTED, KNIGHT),
    ("12... Nd7\n\nGet Outlook for Android<https://aka.ms/AAb9ysg>", ACCEPTED, KNIGHT),
    ("Nd7\n\n-- \nBruno Rossi\n1. e4 e5 2. f4 for ever", ACCEPTED, KNIGHT),
    ("12... Nd7 {the only move}", ACCEPTED, KNIGHT),
    ("Last time I lost with b4 here.\n\n12... Nd7", ACCEPTED, KNIGHT),
    ("12... Nd7\n\nI also looked at b4, but Nd5 worries me.", ACCEPTED, KNIGHT),
    ("I expected 12. h4 here.\n\nNd7\n\nRegards", ACCEPTED, KNIGHT),
    ("12... Nd7\n\nPS: did you see Carlsen's 30. Qh6+ yesterday?", ACCEPTED, KNIGHT),
    # The whole game, and numbers that are wrong.
    ("1.e4 c5 2.Nf3 d6 3.d4 cxd4 4.Nxd4 Nf6 5.Nc3 a6 6.Bg5 e6 7.f4 Be7\n"
     "8.Qf3 Qc7 9.O-O-O Nbd7 10.g4 b5 11.Bxf6 Nxf6 12.g5 Nd7", ACCEPTED, KNIGHT),
    ("9. O-O-O Nbd7\n10. g4 b5\n11. Bxf6 Nxf6\n12. g5 Nd7", ACCEPTED, KNIGHT),
    ("13... Nd7", WARNED, KNIGHT),
    ("13. g5 Nd7", WARNED, KNIGHT),
    ("11. g5 Nd7", WARNED, KNIGHT),
    # Offers and conditions go with the move.
    ("Nd7 (=)", ACCEPTED, KNIGHT),
    ("Nd7, draw?", ACCEPTED, KNIGHT),
    ("12... Nd7 I offer a draw", ACCEPTED, KNIGHT),
    ("Nd7\nI offer a draw", ACCEPTED, KNIGHT),
    ("12... Nd7 if 13. f5 O-O", EITHER, KNIGHT),
    ("12... Nd7\nif 13. f5 then 13... O-O", EITHER, KNIGHT),
    ("12... Nd7 13. f5", WARNED, KNIGHT),
    # Two moves: none is chosen.
    ("12... Nd7 or 12... b4", ("ambiguous-move",), None),
    ("Nd7 or b4", ("ambiguous-move",), None),
    ("Nd7\nb4", ("ambiguous-move",), None),
    ("12... Nd7\n12... b4", ("ambiguous-move",), None),
    ("12... Nd7 or perhaps\n12... b4", ("ambiguous-move",), None),
    ("12... Nd7\n\nor 12... b4", ("ambiguous-move",), None),
    ("12. g5 Nd7\n12. g5 b4", ("ambiguous-move",), None),
    ("b4\n\nSorry, I meant Nd7", ("ambiguous-move",), None),
    ("b4\n\nCorrection: Nd7", ("ambiguous-move",), None),
    ("12... b4\n\nSorry, 12... Nd7", ("ambiguous-move",), None),
    ("Nd7, b4", ("ambiguous-move",), None),
    # Not to be made as written.
    ("12... Nb7", ("illegal-move",), None),
    ("12... Zd7", ("unreadable-move",), None),
    ("12. g4 Nd7", ("repetition-wrong",), None),
    ("", ("no-move",), None),
]

# Chat about moves, and words that only look like moves: never a move, never a penalty.
CHATS = [
    "I printed it on a4 paper, nice!",
    "Have a nice week, see you at e4 or so :-)",
    "Let's meet at the club at 8, room b4",
    "Hall B, d5, at noon",
    "Room: b4",
    "Bus: d5",
    "size a6",
    "I will go to the e5 cafe",
    "I'm on holiday until 4/5, back at d5.",
    "Congrats to your 1-0 yesterday!",
    "Wow, g5 is a strong move! I have to think.",
    "Thanks for 12. g5. I am ill, I answer next week.",
    "I was thinking about Nd7 but I need more time.",
    "I'm considering 12... Nd7, will answer tomorrow.",
    "Should I play Nd7? I will write tomorrow.",
    "Which is better: Nd7 or b4?",
    "Nd7 looks good but I am not sure.",
    "Nd7 was my first idea.",
    "I cannot play Nd7 because of f5.",
    "I want to play Nd7 but it hangs a pawn.",
    "In the other game I play Nd7.",
    "I will play Nd7 on Friday.",
    "You should have played Nd5, Nd7, and White wins.",
    "Kasparov played Nd7 against Short.",
    "Engine: Nd7",
    "The book move: Nd7",
    "12... Nd7 would lose to 13. f5",
    "If I play Nd7 then f5 is strong. Let me think.",
    "I will not play 12... Nd7",
    "You played g5, I expected Nd5.",
]

OPENING_CHATS = ["a4 paper", "See you at e4!", "Hi, I live at street 5, d4", "Good luck!",
                 "Shall I begin with e4?", "I always open with d4.", "My favourite: e4"]
OPENINGS = [("e4", "e2e4"), ("1. e4", "e2e4"), ("1.e4", "e2e4"), ("1. e2-e4", "e2e4"),
            ("Hi Bruno, e4", "e2e4"), ("I play e4", "e2e4"), ("e4, good luck!", "e2e4"),
            ("My first move is Nf3.", "g1f3"), ("Nf3. Have fun!", "g1f3")]


class ClumsyTest(unittest.TestCase):
    """One club serves every test: a dry run changes nothing."""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = club.Path(tempfile.mkdtemp(prefix="zugpost-test-", dir=club.scratch_folder()))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.place = club.Club(folder / "club")
        cls.place.import_text(club.tournament_text([("anna", "bruno"), ("carla", "dmitri")]))
        now = START + timedelta(minutes=5)
        mails = cls.place.once(now)
        cls.opening, = club.find(mails, "pairing", address_of("carla"))
        mail, = club.find(mails, "pairing", ANNA)
        for ply, san in enumerate(MOVES):
            now += timedelta(minutes=10)
            cls.place.drop(mailers.letter(mail, (ANNA, BRUNO)[ply % 2], now, san, serial=ply), now)
            mails = cls.place.once(now)
            mail, = club.find(mails, "move")
        cls.mail, cls.now = mail, now + timedelta(hours=1)
        cls.receipt = club.find(cls.place.all_mails(), "receipt", BRUNO)[-1]

    def reply(self, body, mail=None, sender=BRUNO, serial=0, **fields):
        reply = mailers.Reply(mail=mail or self.mail, sender=sender, name=sender.split("@")[0].title(),
                              when=self.now, san="", uci="", ply=0, serial=serial)
        return mailers.assemble(mailers.headers(reply, **fields), body.encode())

    def read(self, letters):
        """What `read` says about each of the raw LETTERS."""
        paths = []
        for number, raw in enumerate(letters):
            paths.append(self.place.top / f"{number}.eml")
            paths[-1].write_bytes(raw)
        return self.place.json("read", *paths, "--now", rfc3339(self.now))

    def check(self, rows):
        """Rows of (name, raw letter, verdicts, move)."""
        for (name, _, verdicts, move), got in zip(rows, self.read([row[1] for row in rows])):
            with self.subTest(name):
                own = got["own"]["uci"] if got["own"] else None
                self.assertIn(got["verdict"], verdicts, got)
                if move:
                    self.assertEqual((own, got["game"], got["trust"]), (move, "KO-50.2/1", "token"))
                    self.assertEqual((got["repetition"]["san"], got["repetition"]["right"]),
                                     ("g5", True))

    def above(self, text, mail=None):
        return (f"{text}\n\nOn Mon, Jan 12, 2026 at 9:00 AM Demo Chess Club <moves@club.example>\n"
                f"wrote:\n\n{mailers.quoted((mail or self.mail).text)}\n")

    def below(self, text):
        return f"Demo Chess Club wrote:\n{mailers.quoted(self.mail.text)}\n\n{text}\n"

    def around_line(self, *lines):
        """The quote with the reply line replaced by LINES."""
        quote = mailers.quoted(self.mail.text).split("\n")
        place = max(i for i, line in enumerate(quote) if line.rstrip() == "> " + LAST)
        return "Demo Chess Club wrote:\n" + "\n".join(quote[:place] + list(lines)) + "\n"

    def test_above(self):
        self.check([(text, self.reply(self.above(text)), verdicts, move)
                    for text, verdicts, move in REPLIES])

    def test_below(self):
        self.check([(text, self.reply(self.below(text)), verdicts, move)
                    for text, verdicts, move in REPLIES])

    def test_chat_is_no_move(self):
        self.check([(text, self.reply(form(text)), ("no-move",), None)
                    for text in CHATS for form in (self.above, self.below)])

    def test_around_the_reply_line(self):
        played = [
            ["> 12. g5 Nd7"], ["> 12. g5 12... Nd7"], ["> 12. g5 ... Nd7"], ["> 12. g5", "Nd7"],
            ["> 12. g5", "> Nd7"], ["Nd7", "> 12. g5"], ["12... Nd7", "> 12. g5"], ["12. g5 Nd7"],
            [">12. g5 Nd7"], ["> 12. g5   Nd7!"], ["> 12.", "> g5 Nd7"],
        ]
        rows = [(lines, self.reply(self.around_line(*lines)), ACCEPTED, KNIGHT) for lines in played]
        rows += [(lines, self.reply(self.around_line(*lines)), verdicts, None) for lines, verdicts in (
            (["> 12. g5"], ("no-move",)),
            (["> 12. g4 Nd7"], ("repetition-wrong",)),
            (["> 12. g5 Nd7 or b4"], ("ambiguous-move", "no-move")))]
        whole = self.mail.text.rstrip("\n ")
        self.assertTrue(whole.endswith(LAST))
        rows.append(("typed into an unquoted copy", self.reply(whole + " Nd7\n"), ACCEPTED, KNIGHT))
        self.check(rows)

    def test_without_a_quote(self):
        def bare(text, verdicts, move=None):
            return (text, self.reply(text + "\n"), verdicts, move)
        self.check([
            bare("12. g5 Nd7", EITHER, KNIGHT), bare("12. g5\nNd7", EITHER, KNIGHT),
            bare("g5 Nd7", EITHER, KNIGHT), bare("Your move: 12. g5\nMy move: 12... Nd7", EITHER, KNIGHT),
            bare("You played 12. g5.\nI play 12... Nd7.", EITHER, KNIGHT),
            bare("White: g5\nBlack: Nd7", EITHER, KNIGHT),
            bare('[Event "KO-50.2"]\n[White "Virtanen, Anna"]\n[Black "Rossi, Bruno"]\n[Result "*"]\n\n'
                 "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Bg5 e6 7. f4 Be7\n"
                 "8. Qf3 Qc7 9. O-O-O Nbd7 10. g4 b5 11. Bxf6 Nxf6 12. g5 Nd7 *", EITHER, KNIGHT),
            bare("12... Nd7", ("repetition-missing",)), bare("Nd7", ("repetition-missing",)),
            bare("", ("no-move",)),
        ])

    def test_odd_envelopes(self):
        """What stands around the text does not matter when the token is right."""
        old = [mail for mail in self.place.all_mails()
               if mail.kind == "move" and mail.to == BRUNO and mail.ply == 1][0]
        code = "[KO-50.2 #1]"
        html = ('<html><body><div dir="ltr">Nd7<br><br>Bruno</div><blockquote type="cite">'
                + self.mail.text.replace("<", "&lt;").replace("\n", "<br>") + "</blockquote></body></html>")
        self.check([
            ("no subject", self.reply(self.above("Nd7"), Subject=None), ACCEPTED, KNIGHT),
            ("another subject", self.reply(self.above("Nd7"), Subject="Happy new year"), ACCEPTED, KNIGHT),
            ("forwarded subject", self.reply(self.above("Nd7"), Subject="Fwd: " + self.mail.subject),
             ACCEPTED, KNIGHT),
            ("no references", self.reply(self.above("Nd7"), In_Reply_To=None, References=None),
             ACCEPTED, KNIGHT),
            ("answer to the receipt", self.reply(self.above("12. g5 Nd7", self.receipt), self.receipt),
             ACCEPTED, KNIGHT),
            ("answer to an old mail", self.reply(self.above("12. g5 Nd7", old), old), ACCEPTED, KNIGHT),
            ("old mail, old number", self.reply(self.above("1. e4 e5", old), old), ("stale-move",), None),
            ("another own address", self.reply(self.above("Nd7"), sender="bruno@home.example"),
             ACCEPTED, KNIGHT),
            ("HTML alone", self.reply(html, Content_Type="text/html; charset=utf-8"), ACCEPTED, KNIGHT),
            ("base64", mailers.assemble(self.reply("").decode().rstrip("\n").split("\n")
                                        + ["Content-Transfer-Encoding: base64"],
                                        base64.encodebytes(self.above("Nd7").encode())), ACCEPTED, KNIGHT),
            ("no proof", self.reply(self.above("12. g5 Nd7"), To=club.ADDRESS, Delivered_To=club.ADDRESS,
                                    In_Reply_To=None, References=None, Subject=code), ("held",), None),
        ])

    def test_opening(self):
        def row(text, verdicts, move):
            return (text, self.reply(self.above(text, self.opening), self.opening, address_of("carla")),
                    verdicts, move)
        rows = [row(text, EITHER, move) for text, move in OPENINGS]
        rows += [row(text, ("no-move",), None) for text in OPENING_CHATS]
        for (name, _, verdicts, move), got in zip(rows, self.read([one[1] for one in rows])):
            with self.subTest(name):
                self.assertIn(got["verdict"], verdicts, got)
                self.assertEqual(got["own"]["uci"] if got["own"] else None, move)
                self.assertIsNone(got["repetition"])


if __name__ == "__main__":
    unittest.main()
