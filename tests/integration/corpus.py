"""The mails of tests/data/mail through `zugpostctl read`, each in a game that stands where its
index says, against the outcome that its index lists.

The clubs are made as any club is: the opponents have mailed the last move, and no player has
two games in one club, as the mails know of none.
"""
import json
import unittest
from collections import Counter
from datetime import timedelta

import club
from club import instant, rfc3339

MAILS = club.DATA / "mail"
RELAY = "relay@scacchi.example"
START = instant("2026-01-10T09:00:00Z")
NOW = START + timedelta(hours=5)

CONFIGURATION = """\
[club]
name = Circolo
address = relay@scacchi.example
separator = +
arbiter = arbiter@scacchi.example
admin = postmaster@scacchi.example
timezone = Europe/Rome
language = en

[store]
directory = {top}/store

[mailbox moves]
source = maildir:{top}/in

[delivery]
target = maildir:{top}/out

[trust]
authserv-id = mx.scacchi.example
otherwise = reject
"""

ACCEPTED = {"accepted", "accepted-with-warning"}
AUTOMATIC = {"ignored-loop", "bounce", "ignored-auto", "ignored-bulk"}

# What may become of a mail that is not played, by the reason that the index gives.
VERDICTS = {
    "ambiguous-move": {"ambiguous-move"},
    "attachment-only": {"no-move"},
    "auth-fail": {"untrusted"},
    "bad-from": {"unknown-sender", "held"},
    "duplicate-id-different-text": {"stale-move", "not-your-turn"},
    "encrypted": {"no-move"},
    "illegal-move": {"illegal-move", "unreadable-move"},
    "no-move": {"no-move"},
    "no-new-text": {"no-move"},
    "opponent-move-mismatch": {"repetition-wrong"},
    "opponent-move-missing": {"repetition-missing"},
    "parts-contradict": {"ambiguous-move"},
    "resign": {"command-error"},
    "tnef-only": {"no-move"},
    "two-moves": {"ambiguous-move"},
    "unknown-game": {"unknown-game"},
    "unknown-sender": {"unknown-sender", "held"},
    "unsupported-structure": {"no-move"},
    "wrong-game": {"unknown-game"},
    "arf": {"ignored-auto", "ignored-bulk"},
    "auto-reply": {"ignored-auto"},
    "dsn": {"bounce"},
    "list-mail": {"ignored-bulk"},
    "loop": {"ignored-loop"},
    "mdn": {"ignored-auto"},
    "spam": {"ignored-auto", "ignored-bulk", "unknown-sender", "held"},
}

# Policies whose move is the sender's own and fits: the only game in which he is to move; the reply
# line above it, or no repetition where the opponent's move was imported.
MAY_BE_PLAYED = {"s0255", "s0464", "s0465"}
# The same, where our mail with the same board, moves and reply line was sent before.
MAY_BE_PLAYED_MAILED = {"s0300"}
# Never answered: who has not proved himself, lists, and what nobody can read.
SILENT = {"unknown-sender", "untrusted", "ignored-bulk", "unparsable-mail"}


def samples():
    lines = (MAILS / "index.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def groups(rows):
    """ROWS parted so that no sender and no game comes twice in a part."""
    parts = []
    for row in rows:
        names = {row["from_addr"].lower(), row["game_no"]}
        for part, known in parts:
            if not names & known:
                part.append(row)
                known |= names
                break
        else:
            parts.append(([row], names))
    return [part for part, _ in parts]


def writable(row):
    """No club can register an address with other than ASCII letters: it could not write there."""
    return row["from_addr"].isascii()


def tournament(rows, mailed):
    """Each of ROWS as a game that stands where its mail was written, or (MAILED) one ply before."""
    lines = ["[tournament C]", "name = Corpus", "rules = iecc", f"start = {rfc3339(START)}",
             "arbiter = Director <td@scacchi.example>"]
    for number, row in enumerate(rows, 1):
        language = row["lang"] if row["lang"] in ("en", "fi", "it", "ru") else "en"
        address = row["from_addr"] if writable(row) else f"p{number}@elsewhere.example"
        lines += ["", f"[player p{number}]", f"name = {row['from_name']}", f"email = {address}",
                  f"language = {language}",
                  "", f"[player o{number}]", f"name = Opponent {number}",
                  f"email = o{number}@opponents.example"]
    for number, row in enumerate(rows, 1):
        sides = (f"p{number}", f"o{number}") if row["side_to_move"] == "w" else (f"o{number}", f"p{number}")
        moves = row["history"].split()[:-1 if mailed else None]
        lines += ["", f"[game {number}]", f"white = {sides[0]}", f"black = {sides[1]}",
                  f"code = {row['game_no']}"]
        if moves:
            lines.append(f"moves = {' '.join(moves)}")
    return "\n".join(lines) + "\n"


def last_move(number, row):
    """The opponent's mail with the last move of the history."""
    moves = row["history"].split()
    ply = len(moves) - 1
    dots = "." if ply % 2 == 0 else "..."
    body = f"{ply // 2 + 1}{dots} {moves[-1]}\n"
    if len(moves) > 1:
        body = f"{(ply - 1) // 2 + 1}{'...' if ply % 2 == 0 else '.'} {moves[-2]}\n" + body
    head = [f"From: Opponent <o{number}@opponents.example>", f"To: {RELAY}",
            "Authentication-Results: mx.scacchi.example; dmarc=pass header.from=opponents.example",
            f"Subject: [C #{number}]", f"Message-ID: <{number}@opponents.example>"]
    return ("\n".join(head) + "\n\n" + body).encode()


class CorpusTest(club.ClubTest):
    def begin(self, rows, name, mailed=False):
        place = self.club(name, configuration=CONFIGURATION.replace("{top}", str(self.folder / name)))
        place.import_text(tournament(rows, mailed))
        if mailed:
            for number, row in enumerate(rows, 1):
                place.drop(last_move(number, row), START + timedelta(hours=1))
            place.once(START + timedelta(hours=2))
            verdicts = Counter(message["verdict"] for message in place.messages())
            self.assertEqual(verdicts, {"accepted": len(rows)})
        return place

    def check(self, number, row, got, may_be_played=frozenset()):
        """Returns whether the outcome is the listed one, and not only one that is as good."""
        played = got["verdict"] in ACCEPTED
        must = row["level"] == "must"
        if row["expect"] == "move" and (played or must):
            self.assertIn(got["verdict"], ACCEPTED)
            self.assertEqual((got["game"], got["player"]), (f"C/{number}", f"p{number}"))
            self.assertEqual(got["own"]["san"], row["new_move"])
            self.assertEqual((got["repetition"]["san"], got["repetition"]["right"]), (row["opp_move"], True))
        elif played:
            self.assertIn(row["id"], may_be_played)
        # A stranger's move that fits is asked about, but not at the stranger's address.
        asked = got["verdict"] == "held" and got["trust"] == "unknown"
        silent = row["auto_respond"] == "no" or (not must and (got["verdict"] in SILENT or asked))
        self.assertEqual(got["answer"], not silent)
        if must and row["reason"]:
            self.assertIn(got["verdict"], VERDICTS[row["reason"]])
        return got["verdict"] in VERDICTS[row["reason"]] if row["reason"] else played

    def read_all(self, mailed):
        musts = policies = listed = 0
        may_be_played = MAY_BE_PLAYED | (MAY_BE_PLAYED_MAILED if mailed else set())
        for count, part in enumerate(groups([row for row in samples() if "depends_on" not in row])):
            place = self.begin(part, f"club{count}", mailed)
            paths = [MAILS / row["file"] for row in part]
            for number, (row, got) in enumerate(zip(part, place.json("read", *paths, "--now", rfc3339(NOW))), 1):
                with self.subTest(row["id"], features=row["features"], notes=row["notes"], got=got):
                    right = self.check(number, row, got, may_be_played)
                    musts += row["level"] == "must"
                    policies += row["level"] == "policy"
                    listed += right and row["level"] == "policy"
        # All but the second of the two with one Message-ID; most policies are followed.
        self.assertEqual((musts, policies), (390, 83))
        self.assertGreaterEqual(listed, 70)

    def test_imported(self):
        self.read_all(False)

    def test_after_the_last_move_by_mail(self):
        """With mails of ours that they might quote, and do not."""
        self.read_all(True)

    def test_two_of_one_message_id(self):
        """The first of two mails with one Message-ID stands."""
        rows = {row["id"]: row for row in samples()}
        second, = (row for row in rows.values() if "depends_on" in row)
        first = rows[second["depends_on"]]
        place = self.begin([first], "club")
        got = place.json("read", "--in-order", *(MAILS / row["file"] for row in (first, second)),
                         "--now", rfc3339(NOW))
        self.check(1, first, got[0])
        self.check(1, second, got[1])


if __name__ == "__main__":
    unittest.main()
