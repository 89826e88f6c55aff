"""The worked examples of tests/data/clocks, played through mails, passes and rulings.

Each event of an example becomes what a player or an arbiter would do: a mail that arrives at
`sent` and is relayed by the pass at `delivered`, a command at its instant. Then `game --json`
must say what the example expects. What cannot be seen from outside, and which examples cannot
be played, stands in the tables below with its reason.
"""
import json
import re
import unittest
from datetime import timedelta

import club
import mailers
from club import address_of, instant, rfc3339
from model import local_date

FOLDER = club.DATA / "clocks"
GAME = "EX-1/1"
SECOND = timedelta(seconds=1)

# Examples that no club can live through.
SKIPPED = {
    "razsh-09": "the relay asks the mover itself, the partner never needs to (bad_move by the relay: razsh-08)",
    "razsh-11": "the relay repeats a lost message itself on day 15 (rules, 2.3, reading 9)",
    "razsh-12": "the relay repeats a lost message itself on day 15 (rules, 2.3, reading 9)",
    "razsh-24": "the pairing goes out at the start: a game that has not begun takes no move",
    "mclink-25": "the pairing goes out at the start: a game that has not begun takes no move",
    "mclink-28": "a lot is no game: zugpostctl clock alone draws it from counters",
    "mclink-30": "a lot is no game: zugpostctl clock alone draws it from counters",
    "mclink-32": "a withdrawal from dates alone is no game",
}

# Expected paths that the programs show nowhere but in the calculator.
UNSEEN = {
    "events.rounded": "the rounded hour stands in no JSON; the hours follow from it",
    "events.charged_to": "the days of each move say it",
    "events.slow_transmission": "a note for the arbiter, in no JSON",
    "events.over_limit": "the state's limit and remaining days say it",
    "events.borne_out": "in the words of the claim's mail",
    "events.spent": "in the words of the claim's mail",
    "events.reason of claim": "in the words of the refusal",
    "events.open_control": "in the words of the refusal",
    "events.given_back": "the state's leave days say it",
    "events.by_year": "in the words of the answer",
    "events.total of leave": "in the words of the answer",
    "events.late": "the first day granted says it",
    "events.ask": "in the words of the answer",
    "events.registered_until": "in the words of the receipt; the next hours say it",
    "events.remaining": "in the words of the bulletin",
    "events.needed": "in the words of the bulletin",
    "events.both_stops": "in the words of the bulletin",
    "state.deadline": "the contract's deadline is the first losing instant, timeout_at",
    "state.overstep.kinds": "in the words of the report",
    "state.overstep.window": "in the words of the report",
    "state.overstep.window_sum": "in the words of the report",
    "state.overstep.days_on_move": "in the words of the report",
}

STATES = {"running": "active", "stopped": "active", "suspended": "suspended",
          "interrupted": "suspended", "over": "finished"}
ITALIAN = str.maketrans("KQRBN", "RDTAC")


def examples(system):
    """The examples of one system: name and content."""
    found = []
    for path in sorted(FOLDER.glob(f"{system}-*.json")):
        found.append((re.match(r"[a-z]+-\d+", path.name)[0],
                      json.loads(path.read_text(encoding="utf-8"))))
    return found


def long_game():
    """A real game that is long enough for every example."""
    return next(game for game in club.real_games() if len(game["uci"]) >= 60)


def event_file(example):
    """The tournament of an example."""
    given = example["input"]
    config = dict(given.get("config", {}))
    system = given["system"]
    start = config.pop("start", None)
    first = given["events"][0] if given["events"] else {}
    if first.get("type") == "start":
        start = first.get("at") or first["date"]
    config.pop("tz", None)
    lines = ["[tournament EX-1]", "name = Example", f"rules = {system}", f"start = {start}",
             "arbiter = Director, Tarmo <td@club.example>", "copies = required"]
    for key, value in config.items():
        if isinstance(value, dict):
            value = ", ".join(f"{games}:{hours}" for games, hours in value.items())
        lines.append(f"{key.replace('_', '-')} = {value}")
    notation = {"razsh": "notation = iccf", "razsh-post": "notation = iccf",
                "mclink": "language = it\nnotation = san-it"}.get(system, "language = en")
    for side in ("white", "black"):
        zone = given["players"][side]["tz"] if "players" in given else config.get("tz", "Europe/Rome")
        lines += ["", f"[player {side}]", f"name = {side.title()}, A.", f"email = {address_of(side)}",
                  f"timezone = {zone}", notation]
    lines += ["", "[game 1]", "white = white", "black = black"]
    return "\n".join(lines) + "\n"


class Player:
    """One example being played."""

    def __init__(self, test, name, example):
        self.test = test
        self.example = example
        self.system = example["input"]["system"]
        self.events = example["input"]["events"]
        self.board = long_game()
        self.ply = 0
        self.mails = {}
        self.answers = [{} for _ in self.events]
        self.before = [None] * len(self.events)
        self.after = [None] * len(self.events)
        self.serial = 0
        self.place = test.club(name)
        self.place.import_text(event_file(example))
        self.now = None
        self.others = 0

    # ---- Passes and what they deliver ----

    def once(self, when):
        self.now = max(when, self.now) if self.now else when
        mails = self.place.once(self.now)
        for mail in mails:
            if mail.kind in ("pairing", "move") and mail.game == GAME:
                self.mails[club.player_of(mail.to)] = mail
        return mails

    def state(self, when):
        return self.place.json("game", GAME, "--now", rfc3339(when))

    # ---- Texts ----

    def written(self, ply):
        """Move PLY of the board in the notation of the event."""
        san, uci = self.board["san"][ply], self.board["uci"][ply]
        if self.system.startswith("razsh"):
            return "".join(str(" abcdefgh".index(c)) if c.isalpha() else c for c in uci[:4]) \
                + {"": "", "q": "1", "r": "2", "b": "3", "n": "4"}[uci[4:]]
        if self.system != "mclink":
            return san
        if san.startswith("O"):
            return san.rstrip("+#")
        piece = san[0].translate(ITALIAN) if san[0].isupper() else ""
        return piece + uci[:2] + "-" + uci[2:4] + (
            "=" + uci[4].upper().translate(ITALIAN) if uci[4:] else "")

    def numbered(self, ply):
        if self.system == "mclink":
            return f"{ply // 2 + 1}{'bn'[ply % 2]} {self.written(ply)}"
        return f"{ply // 2 + 1}{'. ' if ply % 2 == 0 else '... '}{self.written(ply)}"

    def offered(self, index, last):
        """The series that the opponent accepts in his next message: words for it, after ply LAST."""
        later = [event for event in self.events[index + 1:] if event["type"] in
                 ("move", "illegal", "bad_move", "auto_reply")]
        pairs = self.events[index].get("offers", 0)
        if later:
            pairs = max(pairs, later[0].get("accepts", 0))
            if len(later) > 1 and later[1]["type"] == "auto_reply":
                pairs = 1
        if not pairs:
            return ""
        word = "se" if self.system == "mclink" else "if"
        return f"\n{word} " + " ".join(self.numbered(last + i) for i in range(1, 2 * pairs + 1))

    def statement(self, index, event, own=None, squares=True):
        """What the mover writes: repetition of what he answers, accepted moves, his own."""
        accepted = 2 * event.get("accepts", 0)
        first = self.ply - 1 if self.ply else 0
        last = self.ply + accepted
        repeated = [self.numbered(ply) for ply in range(first, last)]
        move = own or self.numbered(last)
        if self.system == "mclink":
            if not accepted:
                repeated = []
            text = " ".join(repeated + [move] + ([move] if squares else []))
        else:
            text = " ".join(repeated + [move])
        return text + (self.offered(index, last) if not own else ""), last

    def send(self, by, when, text, **fields):
        self.serial += 1
        mail = self.mails[by]
        raw = mailers.letter(mail, address_of(by), when, text, quote=self.system != "mclink",
                             serial=self.serial, **fields)
        self.place.drop(raw, when)

    def subject(self, ply):
        return f"0001-{ply // 2 + 1:3}{'bn'[ply % 2]} White-Black"

    # ---- Events ----

    def play(self):
        self.once(self.begin())
        for index, event in enumerate(self.events):
            getattr(self, "on_" + event["type"])(index, event)
            if any(path.startswith(f"events[{index}]") for path in self.example["expect"]):
                self.after[index] = self.state(self.now)
        self.at = instant(self.example["input"]["at"])
        self.last = self.state(self.now)
        self.mails_at_end = self.once(self.at)
        self.final = self.state(self.at)

    def begin(self):
        """The pass in which the pairings go out: the start, in the club's zone."""
        given = self.example["input"]
        if self.system == "mclink":
            return instant(given["config"]["start"])
        first = self.events[0]
        if "at" in first:
            return instant(first["at"])
        return instant(first["date"] + "T00:00:00+01:00")

    def on_start(self, index, event):
        pass

    def look_before(self, index, when):
        if any(path.startswith(f"events[{index}]") for path in self.example["expect"]):
            self.before[index] = self.state(when)

    def on_move(self, index, event):
        when = instant(event.get("sent") or event["at"])
        delivered = instant(event.get("delivered") or event.get("published") or event["at"])
        self.look_before(index, max(when, self.now))
        good = event.get("format_ok", True)
        text, last = self.statement(index, event, squares=good)
        if event.get("illegal_conditional"):
            text += f"\nif {self.numbered(last + 1)} {last // 2 + 2}. Ke9"
        fields = {"Subject": self.subject(last)} if self.system == "mclink" else {}
        self.send(event["by"], when, text, **fields)
        mails = self.once(delivered)
        self.answers[index] = {"mails": mails, "plies": (self.ply, last)}
        made = [mail for mail in mails if mail.kind == "move"]
        if made:
            self.ply = max(mail.ply for mail in made)

    def on_auto_reply(self, index, event):
        self.answers[index] = {"plies": (self.ply - 1, self.ply - 1), "mails": []}

    def on_illegal(self, index, event):
        when = instant(event["sent"])
        self.look_before(index, max(when, self.now))
        accepted = self.ply + 2 * event.get("accepts", 0)
        wrong = "Ra1-h8" if self.system == "mclink" else "1888" if self.system.startswith("razsh") else "Ke5"
        text, _ = self.statement(index, event, own=re.sub(r" \S+$", " " + wrong, self.numbered(accepted)))
        self.send(event["by"], when, text)
        mails = self.once(instant(event.get("query_delivered") or event["sent"]))
        self.answers[index] = {"mails": mails}
        self.ply = accepted

    on_bad_move = on_illegal

    def control(self, index, when, *operands):
        """A command; a refused one answers granted: false."""
        self.now = max(self.now, when)
        done = self.place.run(club.CONTROL, "--config", self.place.config, "--now", rfc3339(when),
                              "--json", *operands)
        self.test.assertIn(done.returncode, (0, 1), done.stderr)
        self.answers[index] = {"code": done.returncode, "error": done.stderr.strip(), "mails": [],
                               "json": json.loads(done.stdout) if done.stdout.strip() else None}
        return done.returncode == 0

    def on_leave(self, index, event):
        when = instant(event["announced"])
        approved = event.get("td_approved") or event.get("approved")
        if approved or f"events[{index}].reason" in self.example["expect"]:
            self.control(index, when, "leave", event["by"], event["from"], event["to"],
                         *(["--approve"] if approved else []))
            self.answers[index]["granted"] = self.answers[index]["code"] == 0
            self.once(when)
            return
        self.send(event["by"], when, f"leave {event['from']} {event['to']}")
        self.heard(index, event["by"], when)

    def heard(self, index, by, when, key="granted"):
        """The pass that hears a command: a receipt grants, a refusal does not."""
        mails = self.once(when)
        answers = [mail for mail in mails if mail.to == address_of(by)
                   and mail.kind in ("receipt", "refusal")]
        self.test.assertEqual(len(answers), 1, mails)
        self.answers[index] = {"mails": mails, key: answers[0].kind == "receipt",
                               "text": answers[0].text}

    def on_leave_end(self, index, event):
        when = instant(event["at"])
        self.send(event["by"], when, "end leave")
        self.heard(index, event["by"], when)

    def on_claim(self, index, event):
        when = instant(event["at"])
        self.send(event["by"], when, f"claim time {event['control']}")
        self.heard(index, event["by"], when, "accepted")

    def rule(self, index, when, *ruling):
        done = self.control(index, when, "rule", GAME, *ruling)
        self.test.assertTrue(done, self.answers[index])
        self.once(when)

    def on_ruling(self, index, event):
        self.rule(index, instant(event["at"]), "uphold" if event["upheld"] else "reject",
                  *(["--bar"] if event.get("ban") else []))

    def on_rollback(self, index, event):
        self.ply -= event["plies"]
        self.rule(index, instant(event["at"]), "rollback", str(self.ply))

    def on_stop_request(self, index, event):
        when = instant(event["at"])
        granted = self.control(index, when, "stop", GAME, event["by"], event["from"], event["to"],
                               *(["--vacation"] if event.get("kind") == "vacation" else []))
        self.answers[index]["granted"] = granted
        self.once(when)

    on_stop_grant = on_stop_request

    def on_games(self, index, event):
        """Another game of the player begins; a stop keeps it from being lost on time."""
        self.others += 1
        self.place.import_text(
            f"[tournament EX-1]\n\n[player other{self.others}]\nname = Other, {self.others}\n"
            f"email = other{self.others}@players.example\n\n[game {1 + self.others}]\n"
            f"white = other{self.others}\nblack = {event['by']}\n", name="more.ini")
        when = instant(event["at"])
        self.once(when)
        self.test.assertTrue(self.control(
            index, when, "stop", f"EX-1/{1 + self.others}", "white",
            rfc3339(when + timedelta(hours=1)), rfc3339(when + timedelta(days=10))))
        self.once(when)

    # ---- Comparison ----

    def zone(self, side):
        return self.example["input"]["players"][side]["tz"]

    def charges(self, index):
        first, last = self.answers[index]["plies"]
        by = self.events[index]["by"]
        return [row for row in self.after[index]["ledger"]
                if first < row["ply"] <= last + 1 and row["by"] == by]

    def seen_state(self, rest):
        """What the game's JSON says for the path state.REST."""
        game = self.final
        if rest.startswith("players."):
            _, side, rest = rest.split(".", 2)
            value = game[side]["clock"]
            for step in rest.split("."):
                value = value[step]
            return value
        if rest == "status":
            return game["state"]
        if rest == "turn":
            return game["to_move"] if game["state"] != "finished" else None
        if rest == "result":
            return game["result"] if game["result"] != "*" else None
        if rest == "ply":
            return game["ply"]
        if rest in ("timeout_at", "overstep.at"):
            return self.last["deadline"]
        if rest == "overstep":
            return None if game["state"] == "active" else "suspended"
        if rest in ("overstep.by", "overstep.move"):
            side = self.last["to_move"]
            return side if rest == "overstep.by" else len(self.last[side]["clock"]["days"]) + 1
        if rest == "sudden_death":
            return game["white"]["clock"]["manche"] == "sd"
        if rest == "cc_arbiter":
            return any(mail.kind == "copy" for mail in self.answers[-1]["mails"])
        raise KeyError(f"state.{rest}")

    def seen_event(self, index, name):
        """What the programs said about event INDEX for the field NAME."""
        event, answer = self.events[index], self.answers[index]
        kind = event["type"]
        side = event.get("by")
        before, after = self.before[index], self.after[index]
        clock = after[side]["clock"] if side else None
        if kind == "rollback":
            turn = after["to_move"]
            return turn if name == "turn" else after[turn]["clock"]["running"]["arrival"]
        if kind == "ruling":
            return after["result"]
        if name in ("granted", "accepted"):
            return answer[name]
        if name == "reason":
            return answer["json"][0]["reason"]
        if name == "reasons":
            return answer["json"][0]["reasons"]
        if kind == "stop_request" and name == "hours":
            return answer["json"][0]["hours"]
        if kind in ("illegal", "bad_move"):
            running = clock.get("running")
            if self.system == "iecc":
                return running[{"days_so_far": "days"}.get(name, name)]
            if name == "penalty":
                return clock["extra"][-1][1]
            return {"days_so_far": running, "total": clock["total"]}[name]
        if kind == "leave" and name == "from":
            return answer["json"][0]["from"]
        if name in ("days", "hours"):
            return sum(row[name] for row in self.charges(index))
        if name == "penalty":
            return sum(row["penalty"] for row in self.charges(index))
        if name in ("window_sum", "total"):
            return self.charges(index)[-1]["sum"]
        if name == "moves":
            first, last = answer["plies"]
            return [first // 2 + 1, last // 2 + 1]
        if name == "next_arrival":
            return after["white" if side == "black" else "black"]["clock"]["running"]["arrival"]
        if name == "received":
            row = self.final["ledger"][answer["plies"][1] + 1]
            other = "white" if side == "black" else "black"
            return local_date(instant(row["received"]), self.zone(other)).isoformat()
        if name == "remaining_before.white":
            return before["white"]["clock"]["remaining"]
        if name == "cc_arbiter":
            return any(mail.kind == "copy" for mail in answer["mails"])
        if name == "warning":
            return clock["faults"]
        if name == "format_penalty":
            return clock["pending"] - before[side]["clock"]["pending"]
        if name == "recalculated":
            return self.recalculated(before, after)
        raise KeyError(f"events.{name}")

    @staticmethod
    def recalculated(before, after):
        if after["white"]["clock"]["manche"] == "sd" != before["white"]["clock"]["manche"]:
            return ["sudden death"]
        return [f"{side} manche {after[side]['clock']['manche']}" for side in ("white", "black")
                if after[side]["clock"]["manche"] != before[side]["clock"]["manche"]]

    def unseen(self, path):
        """Why nothing outside shows this path, if so."""
        event = re.match(r"events\[(\d+)\]\.(\w+)", path)
        if not event:
            return UNSEEN.get(path)
        kind = self.events[int(event[1])]["type"].split("_")[0]
        return UNSEEN.get(f"events.{event[2]}") or UNSEEN.get(f"events.{event[2]} of {kind}")

    def compare(self):
        """Differences, and how many paths were compared."""
        faults, compared = [], 0
        for path, wanted in self.example["expect"].items():
            if self.unseen(path):
                continue
            event = re.match(r"events\[(\d+)\]\.([\w.]+)$", path)
            try:
                seen = (self.seen_event(int(event[1]), event[2]) if event
                        else self.seen_state(path.removeprefix("state.")))
            except (KeyError, TypeError, IndexError) as error:
                seen = f"nothing ({error!r})"
            compared += 1
            if path == "state.status":
                wanted = STATES[wanted]
            if seen != wanted:
                faults.append(f"{path}: {seen!r}, not {wanted!r}")
        return faults, compared


class SystemTest(club.ClubTest):
    """Plays the examples of one system."""
    system = None
    least = 0

    def play_all(self):
        played = 0
        for name, example in examples(self.system):
            if name in SKIPPED:
                continue
            with self.subTest(example=name):
                player = Player(self, name, example)
                player.play()
                faults, compared = player.compare()
                self.assertEqual(faults, [])
                self.assertGreater(compared, 0)
                played += 1
        self.assertGreaterEqual(played, self.least)


class Iecc(SystemTest):
    system, least = "iecc", 16

    def test_examples(self):
        self.play_all()


class Razsh(SystemTest):
    system, least = "razsh", 14

    def test_examples(self):
        self.play_all()


class Mclink(SystemTest):
    system, least = "mclink", 16

    def test_examples(self):
        self.play_all()


if __name__ == "__main__":
    unittest.main()
