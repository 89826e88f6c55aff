"""Whole games, relayed from mails alone.

The same 25 real games are played twice: one message a pass, and all messages in one pass.
Moves, PGN, clocks and every single mail are compared with the source and with a model.
"""
import hashlib
import os
import random
import unittest
from collections import Counter
from datetime import timedelta

import club
import mailers
import model
from club import NAMES, PLAYERS, ZONES, address_of, instant, rfc3339

START = instant("2026-01-10T09:00:00+02:00")
ENDS = {"checkmate": "checkmate", "stalemate": "stalemate", "insufficient": "dead-position",
        "-": None}


def pairs_for(count):
    """Pairings in which everybody plays everybody, as White and as Black."""
    idents = [ident for ident, _, _ in PLAYERS]
    turns = [(idents[i], idents[(i + gap) % len(idents)]) for gap in range(1, len(idents))
             for i in range(len(idents))]
    return turns[:count]


class Play:
    """One game under way: the source, the clock of the model, the mail to be answered."""

    def __init__(self, number, source, pair, rng):
        self.number = number
        self.source = source
        self.players = dict(zip(("white", "black"), pair))
        self.clock = model.Clock(ZONES[pair[0]], ZONES[pair[1]])
        self.rng = rng
        self.ply = 0
        self.mail = None        # the pairing or move mail that is to be answered
        self.waiting = None     # the reply under way: (instant, bytes)
        self.reminded = self.overstepped = False

    @property
    def id(self):
        return f"KO-50.2/{self.number}"

    @property
    def mover(self):
        return self.players["white" if self.ply % 2 == 0 else "black"]

    @property
    def finished(self):
        return self.ply == len(self.source["uci"])

    @property
    def idle(self):
        """The source has no more moves, yet the game is not over."""
        return self.finished and self.source["end"] == "-"

    def think(self, delivered):
        """A delay that is now short, now some days, and never an overstep nor a reminder."""
        room = min(self.clock.mover.limit(), model.REMIND_DAYS) - 1
        days = min(self.rng.choice((0, 0, 0, 1, 1, 2, 3)), max(room, 0))
        when = delivered + timedelta(days=days, seconds=self.rng.randrange(60, 80000))
        deadline = self.clock.mover.deadline()
        return when if when < deadline else delivered + (deadline - delivered) // 2

    def reply(self, delivered, serial):
        """What the player on move sends, and when."""
        when = self.think(delivered)
        style = mailers.STYLES[(self.number + self.ply) % len(mailers.STYLES)]
        ident = self.mover
        raw = style(mailers.Reply(
            mail=self.mail, sender=address_of(ident), name=NAMES[ident].split(",")[0], when=when,
            san=self.source["san"][self.ply], uci=self.source["uci"][self.ply], ply=self.ply,
            last=self.source["san"][self.ply - 1] if self.ply else "",
            chat="Greetings from here, the weather is fine.", serial=serial))
        self.waiting = (when, raw)


class GamesTest(club.ClubTest):
    def start(self, sources, name):
        """A club with the pairings mailed; the plays, each with its first reply ready."""
        place = self.club(name)
        pairs = pairs_for(len(sources))
        place.import_text(club.tournament_text(pairs))
        rng = random.Random(1934)
        plays = [Play(number, source, pair, rng)
                 for number, (source, pair) in enumerate(zip(sources, pairs), 1)]
        now = START + timedelta(minutes=5)
        mails = place.once(now)
        self.assertEqual(Counter(mail.kind for mail in mails), {"pairing": 2 * len(plays)})
        for play in plays:
            play.clock.start(now)
            play.mail, = club.find(mails, "pairing", address_of(play.mover), play.id)
        return place, plays, now

    def check_mails(self, play, mails):
        """Exactly the mails that one accepted move causes."""
        wanted = Counter({("receipt", address_of(play.players["white" if play.ply % 2 else "black"])): 1,
                          ("move", address_of(play.mover)): 1,
                          ("copy", club.DIRECTOR): 1})
        if play.finished and play.source["end"] != "-":
            for reader in (*map(address_of, play.players.values()), club.DIRECTOR):
                wanted["result", reader] += 1
        self.assertEqual(Counter((mail.kind, mail.to) for mail in mails), wanted,
                         f"{play.id} after ply {play.ply}")
        for mail in mails:
            self.assertEqual((mail.game, mail.ply), (play.id, play.ply))
            if mail.kind == "receipt":
                self.assertEqual(mail.verdict, "accepted", f"{play.id} ply {play.ply}:\n{mail.text}")

    def check_timers(self, plays, now, mails):
        """Mails that no message caused: reminders and reports of games that nobody goes on with."""
        wanted = Counter()
        for play in plays:
            if play.idle and not play.reminded and play.clock.reminder() <= now:
                play.reminded = True
                for reader in map(address_of, play.players.values()):
                    wanted[play.id, play.ply, "repeat", reader] += 1
            if play.idle and not play.overstepped and play.clock.deadline() <= now:
                play.overstepped = True
                for reader in (*map(address_of, play.players.values()), club.DIRECTOR, club.ARBITER):
                    wanted[play.id, play.ply, "overstep", reader] += 1
        self.assertEqual(Counter((mail.game, mail.ply, mail.kind, mail.to) for mail in mails), wanted)

    def play_stepwise(self, place, plays, now):
        """One message a pass, in the order of arrival. Returns what was dropped."""
        dropped = []
        for serial, play in enumerate(plays):
            play.reply(now, serial)
        serial = len(plays)
        while True:
            active = [play for play in plays if play.waiting]
            if not active:
                return dropped, now
            play = min(active, key=lambda one: one.waiting[0])
            when, raw = play.waiting
            play.waiting = None
            name = place.drop(raw, when)
            dropped.append((name, when, raw))
            now = max(now + timedelta(seconds=1), when + timedelta(seconds=play.rng.randrange(90)))
            mails = place.once(now)
            play.ply += 1
            self.check_timers(plays, now, [mail for mail in mails if mail.game != play.id])
            mails = club.find(mails, game=play.id)
            self.check_mails(play, mails)
            over = play.finished and play.source["end"] != "-"
            play.clock.move(when, now, last=over)
            if not play.finished:
                play.mail, = club.find(mails, "move", address_of(play.mover))
                play.reply(now, serial)
                serial += 1

    def check_state(self, place, play, now, clocks=True):
        game = place.json("game", play.id, "--now", rfc3339(now))
        source = play.source
        end = ENDS[source["end"]]
        self.assertEqual(game["uci"], source["uci"], play.id)
        self.assertEqual(game["san"], source["san"], play.id)
        self.assertEqual(game["fen"], source["fen"], play.id)
        self.assertEqual(game["ply"], len(source["uci"]))
        state = "suspended" if clocks and play.overstepped else "active"
        self.assertEqual(game["state"], "finished" if end else state)
        self.assertEqual(game["termination"], end)
        self.assertEqual(game["result"], source["result"] if end else "*")
        self.assertEqual(game["held"], [])
        got = [{key: row[key] for key in ("ply", "by", "days", "penalty", "sum")}
               for row in game["ledger"]]
        if clocks:
            self.assertEqual(got, play.clock.ledger, play.id)
        if not clocks or play.overstepped:
            return
        deadline = play.clock.deadline()
        self.assertEqual(game["deadline"], deadline and rfc3339(deadline), play.id)
        for colour in ("white", "black"):
            self.assertEqual(game[colour]["player"], play.players[colour])
            wanted = play.clock.expected(colour, now)
            running = wanted.pop("running", None)
            got = dict(game[colour]["clock"])
            self.assertEqual({key: got[key] for key in wanted}, wanted, f"{play.id} {colour}")
            self.assertEqual(running is None, "running" not in got, f"{play.id} {colour}")
            if running:
                self.assertEqual({key: got["running"][key] for key in running}, running)

    def check_chain(self, mails, play):
        """Each receipt names the hash of the one that its reader had before it."""
        for player in play.players.values():
            before = ""
            receipts = club.find(mails, "receipt", address_of(player), play.id)
            receipts.sort(key=lambda mail: mail.ply)
            self.assertGreaterEqual(len(receipts), len(play.source["uci"]) // 2)
            for mail in receipts:
                self.assertEqual((mail.message["Zugpost-Receipt-Before"] or "").strip(), before, mail)
                named = "\n".join((mail.id.strip("<>"), before, mail.text))
                before = hashlib.sha256(named.encode()).hexdigest()

    def check_record(self, mails, play):
        """The PGN of the result mails is the game that was fed."""
        if play.source["end"] == "-":
            return
        results = club.find(mails, "result", game=play.id)
        self.assertEqual(len(results), 3)
        for mail in results:
            tags, san, result = club.pgn_of(mail.text)
            self.assertEqual((san, result), (play.source["san"], play.source["result"]), play.id)
            self.assertEqual(tags["Result"], result)
            self.assertEqual(tags["Site"], "IECC")
            self.assertEqual((tags["White"], tags["Black"]),
                             (NAMES[play.players["white"]], NAMES[play.players["black"]]))

    def test_stepwise_and_at_once(self):
        # Builds with sanitizers are slow: they play the first few games.
        sources = club.real_games()[:int(os.environ.get("ZUGPOST_TEST_GAMES", "25"))]
        place, plays, now = self.start(sources, "stepwise")
        copy = place.copy_to(self.folder / "at-once")
        dropped, now = self.play_stepwise(place, plays, now)
        mails = place.all_mails()
        for play in plays:
            self.check_state(place, play, now)
            self.check_record(mails, play)
            self.check_chain(mails, play)

        for name, when, raw in dropped:
            copy.drop(raw, when, name)
        copy.once(now)
        mails_at_once = copy.all_mails()
        for play in plays:
            self.check_state(copy, play, now, clocks=False)
            self.check_record(mails_at_once, play)
            self.check_chain(mails_at_once, play)
        # No time passed for the players there, so nobody was reminded or overstepped.
        self.assertEqual(sorted(mail.identity for mail in mails_at_once),
                         sorted(mail.identity for mail in mails
                                if mail.kind not in ("repeat", "overstep")))


if __name__ == "__main__":
    unittest.main()
