"""Makes a store with nearly everything in it, and writes it down as SQL text.

    ZUGPOSTD=... ZUGPOSTCTL=... /usr/bin/python3 -B tests/data/stores/make.py

with the programs of a released version writes schema-N.sql and schema-N.json beside this file,
N being the version of the schema: see README.md.
"""
import json
import shutil
import sqlite3
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "integration"))

import club  # noqa: E402
import mailers  # noqa: E402
from club import address_of, instant, rfc3339  # noqa: E402

TOP = Path("/tmp/zugpost-store")  # it is in the configuration, and so in the log
START = instant("2026-03-02T09:00:00Z")
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
PLAIN = {"Delivered_To": club.ADDRESS, "To": club.ADDRESS, "In_Reply_To": None, "References": None}

# Code, what else the event has, its games.
EVENTS = [
    ("KO-50.2", "rules = iecc", START,
     [("anna", "bruno"), ("gita", "hugo"), ("anna", "carla"), ("bruno", "carla"), ("emi", "finn"),
      ("anna", "dmitri"), ("finn", "carla"), ("gita", "emi")]),
    ("TP-1", "rules = iecc\nevent = two_player", START, [("hugo", "emi")]),
    ("WT-7", "rules = razsh\ncontrol-moves = 4\ncontrol-days = 20", START,
     [("carla", "dmitri"), ("emi", "finn"), ("gita", "bruno")]),
    ("WP-2", "rules = razsh-post", START, [("bruno", "hugo")]),
    ("ML-1", "rules = mclink\nmoves-per-manche = 10\nstandard-hours = 480\nstage = knockout\n"
     "public = area@club.example\nbulletin-every = 7d", START,
     [("emi", "finn"), ("gita", "hugo"), ("anna", "bruno")]),
    ("FU-1", "rules = iecc", instant("2026-09-01T09:00:00Z"), [("anna", "emi")]),
]
LANGUAGES = {"hugo": "fi", "bruno": "it", "dmitri": "ru"}


def tournament(code, rules, start, pairs):
    text = club.tournament_text(pairs, code=code, start=rfc3339(start), name=f"Event {code}")
    text = text.replace("rules = iecc", rules)
    for number in range(1, len(pairs) + 1):
        text = text.replace(f"[game {number}]\n", f"[game {number}]\ncode = {code[:2].lower()}{number:02}\n")
    for ident, language in LANGUAGES.items():
        at = text.index(f"[player {ident}]")
        text = text[:at] + text[at:].replace("language = en", f"language = {language}", 1)
    return text


class Season:
    def __init__(self, place):
        self.place = place
        self.now = START
        self.serial = 0
        self.mails = []
        self.desk = {}

    def step(self, time, code=0):
        self.now += time
        self.mails = self.place.once(self.now, code)
        for mail in self.mails:
            self.desk[mail.game, mail.to.split("@")[0], mail.kind] = mail
            if mail.kind in ("pairing", "move", "repeat"):
                self.desk[mail.game, mail.to.split("@")[0]] = mail
        return self.mails

    def drop(self, game, who, text, mail=None, quote=False, **fields):
        self.serial += 1
        mail = mail or self.desk[game, who]
        sender = mail.to if who == "td" else address_of(who)
        if not quote:  # but for the line to reply to
            text += "\n\n> " + mail.text.rstrip().split("\n")[-1]
        self.place.drop(mailers.letter(mail, sender, self.now, text, quote=quote, serial=self.serial,
                                       **fields), self.now)

    def say(self, game, who, text, verdict="accepted", **how):
        self.drop(game, who, text, **how)
        self.step(MINUTE)
        found = self.place.messages()[-1]["verdict"]
        if found != verdict:
            raise AssertionError(f"{game} {who} {text!r}: {found}, not {verdict}")

    def control(self, *operands, code=0):
        return self.place.control(*operands, "--now", rfc3339(self.now), code=code)

    def rule(self, *operands):
        self.control("rule", *operands)
        self.step(MINUTE)

    def state(self, game):
        return self.place.json("game", game, "--now", rfc3339(self.now))["state"]

    def expect(self, game, state):
        if self.state(game) != state:
            raise AssertionError(f"{game}: {self.state(game)}, not {state}")


def first_days(season):
    say, step = season.say, season.step
    for code, rules, start, pairs in EVENTS:
        season.place.import_text(tournament(code, rules, start, pairs), f"{code}.ini")
    step(5 * MINUTE)
    say("KO-50.2/1", "anna", "1. e4", quote=True)
    say("KO-50.2/1", "bruno", "1... Ke6", "illegal-move")
    say("KO-50.2/1", "bruno", "Che bella mossa!", "no-move")
    say("KO-50.2/1", "bruno", "1... e5", quote=True)
    say("KO-50.2/1", "anna", "2. Nf3\nif 2... Nc6 then 3. Bb5")
    # A game that ends on the board, one that is resigned, one whose move nothing proves.
    for who, move in (("anna", "1. f3"), ("carla", "1... e5"), ("anna", "2. g4"), ("carla", "2... Qh4")):
        say("KO-50.2/3", who, move)
    season.expect("KO-50.2/3", "finished")
    say("KO-50.2/5", "emi", "1. d4")
    say("KO-50.2/5", "finn", "resign", "command")
    say("KO-50.2/7", "finn", "1. c4")
    # An offer with a move that a stored reply answers.
    say("KO-50.2/8", "gita", "1. e4\nif 1... e5 then 2. Nf3")
    say("KO-50.2/8", "emi", "1... e5\ndraw")
    say("WT-7/1", "carla", "1. d4")
    say("WT-7/1", "dmitri", "1... Qh4", "illegal-move")
    say("WT-7/1", "dmitri", "1... d5\ndraw")
    say("WT-7/2", "emi", "1. e4")
    say("WT-7/3", "gita", "1. Nf3")
    say("WP-2/1", "bruno", "1. e4")
    say("WP-2/1", "hugo", "1... e5\ndraw")
    say("ML-1/1", "emi", "1. c4", "accepted-with-warning")
    say("ML-1/2", "gita", "1. e4", "accepted-with-warning")
    say("ML-1/2", "hugo", "1... e5\ndraw", "accepted-with-warning")
    say("ML-1/2", "gita", "accept", "command")
    season.expect("ML-1/2", "suspended")


def requests_and_faults(season):
    say, step = season.say, season.step
    step(DAY)
    # A leave that is granted, one that the opponent is asked about, one that the arbiter is.
    season.control("leave", "carla", "2026-03-20", "2026-03-25")
    season.control("leave", "carla", "2026-03-22", "2026-03-29")
    say("TP-1/1", "hugo", "leave 2026-03-20 2026-04-20", "command")
    say("KO-50.2/2", "gita", "leave 2026-03-20 2026-05-20", "command-error")
    season.control("player", "gita", "--timezone", "Asia/Dhaka", "--notation", "figurine")
    season.control("stop", "ML-1/1", "white", "2026-03-16T08:00:00Z", "2026-03-18T08:00:00Z")
    season.control("rule", "WT-7/1", "penalty", "white", "2", "--reason", "told off")
    # The draw of a knockout is declared, and its lot drawn.
    season.control("rule", "ML-1/3", "draw")
    season.control("lotto", "ML-1/3", "--drawn", "17")
    step(HOUR)
    # A mail that comes back, an address that changes, a mailbox and a target that are away.
    season.place.drop(mailers.bounce(season.desk["KO-50.2/1", "bruno"], season.now), season.now)
    step(MINUTE)
    say("KO-50.2/4", "bruno", "address bruno@nuovo.example", "command")
    (season.place.top / "in").rename(season.place.top / "gone")
    step(DAY, code=75)
    (season.place.top / "gone").rename(season.place.top / "in")
    step(HOUR)
    say("KO-50.2/6", "anna", "1. e4")


def waiting(season):
    """What waits for rulings, for confirmations, for its hour."""
    say, step, rule, desk = season.say, season.step, season.rule, season.desk
    step(10 * DAY)
    season.expect("KO-50.2/2", "suspended")
    # Nothing remembers this under the rules of the first version.
    say("KO-50.2/2", "hugo", "withdraw", "command", mail=desk["KO-50.2/2", "hugo", "overstep"])
    say("KO-50.2/2", "gita", "1. e4", "held")
    say("KO-50.2/6", "dmitri", "withdraw", "command")
    season.expect("KO-50.2/6", "suspended")
    season.expect("KO-50.2/7", "suspended")
    rule("KO-50.2/7", "uphold")
    rule("TP-1/1", "resume", "--days", "2")
    say("ML-1/1", "finn", "1... e5", "accepted-with-warning")
    step(10 * DAY)
    say("WT-7/1", "carla", "end leave", "command")
    say("ML-1/1", "emi", "2. Nc3", "accepted-with-warning")
    say("WT-7/2", "emi", "claim time", "command", mail=desk["WT-7/2", "emi", "overstep"])
    season.expect("WT-7/2", "suspended")
    say("WT-7/3", "bruno", "1... d5")
    say("WT-7/3", "gita", "2. c4")
    rule("WT-7/3", "rollback", "1")
    step(5 * DAY)
    say("ML-1/1", "finn", "2... Nf6", "accepted-with-warning")
    # An address that reaches him, and a move that nothing proves.
    season.place.import_text("[tournament KO-50.2]\n[player bruno]\nemail = bruno@nuovo.example\n")
    step(7 * DAY)
    say("KO-50.2/1", "bruno", "2. Nf3 d6", "held", **{**PLAIN, "Subject": "[KO-50.2 #1]"})
    # The target is away: mails wait.
    (season.place.top / "out").rename(season.place.top / "gone")
    season.drop("WT-7/1", "carla", "2. c4")
    season.place.run(club.DAEMON, "--config", season.place.config, "--once", "--now",
                     rfc3339(season.now + HOUR))
    (season.place.top / "gone").rename(season.place.top / "out")
    season.now += HOUR


def write(season):
    place = season.place
    with closing(sqlite3.connect(place.top / "store/zugpost.db")) as database:
        version, = database.execute("PRAGMA user_version").fetchone()
        lines = [*database.iterdump(), f"PRAGMA user_version = {version};"]
    (HERE / f"schema-{version}.sql").write_text("\n".join(lines) + "\n", encoding="utf-8")
    games = [place.json("game", game["id"], "--now", rfc3339(season.now)) for game in place.json("games")]
    seen = {"now": rfc3339(season.now), "games": games}
    (HERE / f"schema-{version}.json").write_text(
        json.dumps(seen, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


def main():
    TOP.mkdir()
    try:
        season = Season(club.Club(TOP))
        first_days(season)
        requests_and_faults(season)
        waiting(season)
        season.control("verify")
        write(season)
    finally:
        shutil.rmtree(TOP)


if __name__ == "__main__":
    main()
