"""A game whose every move is the answer of a real mail program to our mail, quoted in its own way."""
import sys
import unittest
from datetime import timedelta

import club
import mailers
import terminal
from club import address_of, instant

START = instant("2026-01-10T09:00:00+02:00")
WAYS = ("above", "below", "between", "into")
NAMES = {address_of("anna"): "Anna Virtanen", address_of("bruno"): "Bruno Rossi"}
ANNA, BRUNO = NAMES


class RepliesTest(club.ClubTest):
    def program(self, kind, sender):
        if (kind, sender) not in self.programs:
            folder = self.folder / f"{kind.name}-{sender}"
            self.programs[kind, sender] = kind(folder, sender, NAMES[sender])
        return self.programs[kind, sender]

    def deliver(self, raw, mail, sender, now):
        """As the club's mail server puts it into the mailbox."""
        head = f"Return-Path: <{sender}>\nDelivered-To: {mail.reply_address}\n"
        self.place.drop(head.encode() + raw, now)
        return self.place.once(now)

    def line(self, ply, moves):
        return mailers.Reply(mail=None, sender="", name="", when=None, san="", uci="", ply=ply,
                             last=moves[ply - 1] if ply else "").reply_line

    def test_every_program_in_every_way(self):
        self.programs = {}
        self.place = self.club()
        self.place.import_text(club.tournament_text([("anna", "bruno")]))
        now = START + timedelta(minutes=5)
        mail, = club.find(self.place.once(now), "pairing", ANNA)
        kinds = terminal.PROGRAMS
        # Each of an odd number of programs gets both sides.
        moves = club.real_games()[1]["san"][:len(kinds) * len(WAYS)]
        for ply, san in enumerate(moves):
            kind, way = kinds[ply % len(kinds)], WAYS[ply // len(kinds)]
            sender, other = (ANNA, BRUNO) if ply % 2 == 0 else (BRUNO, ANNA)
            now += timedelta(minutes=10)
            raw = self.program(kind, sender).answer(mail.raw, way, san, self.line(ply, moves))
            mails = self.deliver(raw, mail, sender, now)
            message = self.place.messages()[-1]
            told = f"{kind.name}, {way}:\n{raw.decode('utf-8', 'replace')}\n{message}"
            self.assertEqual(message["verdict"], "accepted", told)
            self.assertEqual(message["new_text"].strip(), san, told)
            self.assertEqual(self.place.game(1)["san"], moves[:ply + 1], told)
            mail, = club.find(mails, "move", other)
            self.assertNotIn("\n| ", mail.text.split("\n\n8 |")[0].split("\n\n1 |")[0], told)


if __name__ == "__main__":
    missing = [kind.name for kind in terminal.PROGRAMS if not kind.is_there()]
    if missing:
        print(f"not installed: {', '.join(missing)}")
        sys.exit(77)
    unittest.main()
