"""What the guides tell players and arbiters to write is what the programs understand. (What they tell to type at a
terminal is run by tests/systemd.)"""
import re
import unittest
from datetime import timedelta
from pathlib import Path

import club
import mailers
from club import address_of, instant, rfc3339

GUIDES = Path(__file__).resolve().parents[2] / "docs/guides"
START = instant("2026-01-10T08:00:00Z")
MINUTE = timedelta(minutes=1)
PLAYERS = {"players.md": "en", "pelaajat.md": "fi", "giocatori.md": "it", "igrokam.md": "ru"}


def table(name):
    """The code of the first column of a guide's table of commands, with the cell's words."""
    for line in (GUIDES / name).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) >= 2 and "`" in cells[0]:
            yield from ((code, line) for code in re.findall(r"`([^`]+)`", cells[0]))


def in_text(name):
    """Commands inside of the second column, as `...`, that are whole."""
    for line in (GUIDES / name).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 2 and "`" in cells[0] and "`" in cells[1]:
            yield from (code.replace("...", "1.7.2026 5.7.2026") for code in re.findall(r"`([^`]+)`", cells[1]))


class GuidesTest(club.ClubTest):
    def begin(self, language="en", rules="iecc"):
        place = self.club(f"{language}-{rules}")
        place.import_text(club.tournament_text([("anna", "bruno")], start=rfc3339(START)).replace(
            "rules = iecc", f"rules = {rules}").replace("language = en", f"language = {language}"))
        return place, place.once(START + MINUTE)

    def test_commands_of_players(self):
        for name, language in PLAYERS.items():
            place, mails = self.begin(language)
            pairing, = club.find(mails, "pairing", address_of("anna"))
            commands = [code for code, _ in table(name)] + list(in_text(name))
            self.assertGreaterEqual(len(commands), 20)
            for number, text in enumerate(commands):
                with self.subTest(guide=name, text=text):
                    path = self.folder / f"{language}-{number}.eml"
                    path.write_bytes(mailers.letter(pairing, pairing.to, START + 2 * MINUTE, text))
                    read, = place.json("read", path, "--now", rfc3339(START + 2 * MINUTE))
                    self.assertEqual(len(read["commands"]), 1, read)
                    self.assertIn(read["verdict"], ("command", "command-error"))

    def test_examples_of_moves(self):
        """The conditional series, and the move behind the reply line."""
        for name, language in PLAYERS.items():
            text = (GUIDES / name).read_text(encoding="utf-8")
            series = re.search(r"^    (\w+) 12\.\.\. Nc6 13\. Bb5 a6 14\. Ba4$", text, re.M)
            self.assertIsNotNone(series, name)
            place, mails = self.begin(language)
            pairing, = club.find(mails, "pairing", address_of("anna"))
            said = f"1. e4\n{series[1]} 1... e5 2. Nf3 Nc6 3. Bb5"
            place.drop(mailers.letter(pairing, pairing.to, START + 2 * MINUTE, said), START + 2 * MINUTE)
            move, = club.find(place.once(START + 3 * MINUTE), "move")
            self.assertIn("Bb5" if language == "en" else "b5", move.text)
            self.assertEqual(place.messages()[-1]["verdict"], "accepted")

    def test_rulings_of_arbiters(self):
        lines = [code for code, line in table("arbiters.md") if not re.match(r"\| `(copy|overstep|claim|leave|"
                 r"reminder|bounce-notice|result)` \|", line)]
        self.assertGreater(len(lines), 15)
        lines = [line.replace("...", "2026-03-01T10:00:00Z") for line in lines if line != "bar"]
        place, mails = self.begin()
        pairing, = club.find(mails, "pairing", address_of("anna"))
        place.drop(mailers.letter(pairing, pairing.to, START + 2 * MINUTE, "1. e4"), START + 2 * MINUTE)
        copy, = club.find(place.once(START + 3 * MINUTE), "copy")
        for number, text in enumerate(lines):
            with self.subTest(text=text):
                path = self.folder / f"ruling-{number}.eml"
                path.write_bytes(mailers.letter(copy, copy.to, START + 4 * MINUTE, text))
                read, = place.json("read", path, "--now", rfc3339(START + 4 * MINUTE))
                # Which of them this game bears does not matter: they are understood.
                self.assertIn(read["verdict"], ("command", "command-error"), read)
                self.assertFalse([note for note in read["notes"] if "contradict" in note], read)


if __name__ == "__main__":
    unittest.main()
