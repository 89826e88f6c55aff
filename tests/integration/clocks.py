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
    "razsh-09": "the relay asks the mover itself (as in razsh-08), the partner never needs to",
    "razsh-11": "the relay repeats a lost message itself on day 15 (rules, 2.3, reading 9)",
    "razsh-12": "the relay repeats a lost message itself on day 15 (rules, 2.3, reading 9)",
    "razsh-24": "nothing is relayed before the start (start.py): Black cannot answer then",
    "mclink-25": "nothing is relayed before the start (start.py): Black cannot answer then",
    "razsh-query-late": "the relay asks the mover itself, the partner never needs to",
    "razsh-repeat-not-lost": "the relay repeats a lost message itself on day 15",
    "razsh-post-repeat": "the relay repeats a lost message itself on day 31",
    "razsh-claim-rejected": "it has a move out of turn, which the relay does not hold",
    "iecc-resume": "the relay hears the held move when the game goes on; here it is sent anew",
    "iecc-undelivered": "a target that is away: see contract.py",
    "mclink-other-channel": "nothing but the words of the answer tells it",
    "mclink-28": "a lot is no game: see knockout.py",
    "mclink-30": "a lot is no game: see knockout.py",
    "mclink-32": "a withdrawal from dates alone is no game",
}

# Expected paths that the programs show nowhere but in the calculator.
UNSEEN = {
    "events.rounded": "the rounded hour stands in no JSON; the hours follow from it",
    "events.charged_to": "the days of each move say it",
    "events.slow_transmission": "a note for the arbiter, in no JSON",
    "events.over_limit": "the state's limit and remaining days say it",
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
    "events.overstep": "the state's overstep says it",
    "events.limit of move": "the state's remaining days say it",
    "events.kept": "the days of the next move say it",
    "events.since": "the days of the next move say it",
    "events.may_annul": "in the words of the answer",
    "events.may_claim_forfeit": "in the words of the answer",
    "state.overstep.passed": "in the words of the report",
    "state.timeout": "the game's result and termination say it",
    "state.timeout.by": "the game's result says it",
    "state.timeout.at": "in the words of the report",
    "state.timeout.result": "the game's result says it",
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
    """The worked examples of one system: name and content."""
    return [(re.match(r"[a-z]+-\d+", path.name)[0], json.loads(path.read_text(encoding="utf-8")))
            for path in sorted(FOLDER.glob(f"{system}-*.json"))]


def cases(system):
    """The shorter cases of one system, each for one article."""
    return [(case["id"], case)
            for case in json.loads((FOLDER / "cases.json").read_text(encoding="utf-8"))
            if case["input"]["system"].startswith(system)]


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
    notation = {"iecc": "notation = san", "mclink": "language = it\nnotation = san-it"}
    for side in ("white", "black"):
        zone = given["players"][side]["tz"] if "players" in given else "Europe/Rome"
        lines += ["", f"[player {side}]", f"name = {side.title()}, A.",
                  f"email = {address_of(side)}", f"timezone = {zone}",
                  notation.get(system, "notation = iccf")]
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
        """Words for the series, after ply LAST, that the opponent accepts in his next message."""
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
            text += f"\nif {self.numbered(last + 1)} {last // 2 + 2}. Ke5"
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
        wrong = {"mclink": f"Ra1-{'hgfedc'[index]}8", "iecc": f"K{'hgfedc'[index]}5"}.get(
            self.system, f"18{87654321 // 10 ** index % 10}8")
        own = re.sub(r" \S+$", " " + wrong, self.numbered(accepted))
        text, _ = self.statement(index, event, own=own)
        if event.get("kind") == "variant_unanswered":
            text = text[:text.rindex(self.numbered(accepted).split()[0])].rstrip()
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
        verdicts = {"receipt": "command", "refusal": "command-error"}
        self.test.assertEqual(answers[0].verdict, verdicts[answers[0].kind])
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
        self.once(when)
        done = self.control(index, when, "rule", GAME, *ruling)
        self.test.assertTrue(done, self.answers[index])
        self.once(when)

    def on_ruling(self, index, event):
        self.rule(index, instant(event["at"]), "uphold" if event["upheld"] else "reject",
                  *(["--bar"] if event.get("ban") else []))

    def on_edit(self, index, event):
        """A penalty, its lifting, a stamp corrected, days of an outage given back."""
        action, when = event["action"], instant(event["at"])
        if action in ("penalty", "lift"):
            number = event["n" if action == "penalty" else "move"]
            self.rule(index, when, action, event["by"], str(number))
        elif action == "credit":
            self.rule(index, when, action, str(event["ply"]), "--days", str(event["n"]))
        else:
            for stamp in ("sent", "delivered"):
                if stamp in event:
                    self.rule(index, when, action, str(event["ply"]), stamp, event[stamp])

    def on_arbiter(self, index, event):
        self.rule(index, instant(event["at"]), event["action"],
                  *([event["result"]] if "result" in event else []))
        if event["action"] == "resume":
            made = [mail for mail in self.place.all_mails() if mail.kind == "move"]
            self.ply = max([mail.ply for mail in made], default=0)

    def on_end(self, index, event):
        self.rule(index, instant(event["at"]), "result", event["result"])

    def on_rollback(self, index, event):
        self.ply = event["plies"]
        self.rule(index, instant(event["at"]), "rollback", str(self.ply))

    def on_stop_request(self, index, event):
        when = instant(event["at"])
        granted = self.control(index, when, "stop", GAME, event["by"], event["from"], event["to"],
                               *(["--vacation"] if event.get("kind") == "vacation" else []))
        self.answers[index]["granted"] = granted
        self.once(when)

    def on_stop_grant(self, index, event):
        when = instant(event["at"])
        self.answers[index]["granted"] = self.control(
            index, when, "stop", GAME, event["by"], event["from"], event["to"], "--grant")
        self.once(when)

    def on_stop_withdraw(self, index, event):
        """A bulletin publishes it; where the example takes that back, the Coordinator withdraws."""
        when = instant(event["at"])
        if event["published"]:
            self.test.assertTrue(self.control(index, when, "bulletin", "EX-1"))
        self.answers[index]["withdrawn"] = self.control(
            index, when, "stop", GAME, event["by"], "--withdraw", str(event["index"]),
            *([] if event["published"] else ["--grant"]))
        self.once(when)

    def on_vacation_change(self, index, event):
        when = instant(event["at"])
        changed = self.control(index, when, "stop", GAME, event["by"], event.get("from", "-"),
                               event["to"], "--change", str(event["index"]))
        self.answers[index]["changed"] = changed
        self.once(when)

    def on_games(self, index, event):
        """Other games of the player begin; stops keep them from being lost on time."""
        while self.others + 1 < event["count"]:
            self.another_game(index, event)

    def another_game(self, index, event):
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
        if rest.startswith("stops"):
            found = re.fullmatch(r"stops\[(\d+)\]\.(\w+)", rest)
            return game["stops"][int(found[1])][found[2]] if found else game["stops"]
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
            return {"result": after["result"], "turn": after["to_move"]}[name]
        if kind == "arbiter":
            turn = after["to_move"]
            return {"result": after["result"], "turn": turn}.get(name) \
                or after[turn]["clock"]["running"]["arrival"]
        if kind == "end":
            return after["result"]
        if name in ("granted", "accepted", "changed", "withdrawn"):
            return answer[name]
        if name == "reason":
            return answer["json"][0]["reason"]
        if name == "reasons":
            return answer["json"][0]["reasons"]
        if kind in ("stop_request", "vacation_change") and name == "hours":
            return answer["json"][0]["hours"]
        if kind == "claim":
            account = re.search(r"used\s+(\d+)\s+days,\s+allowed\s+(\d+)", answer["text"])
            spent, limit = map(int, account.groups())
            return {"spent": spent, "limit": limit, "borne_out": spent > limit}[name]
        if kind in ("illegal", "bad_move"):
            running = clock.get("running")
            if name == "days_so_far" and event.get("accepts"):
                return clock["days"][before["ply"] // 2]
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

    def is_past(self, path, event):
        """Of an overstep that has been reported the JSON says no more than the state; and what
        waits for the answer to an accepted series (RAZSh) is charged with it."""
        if path.startswith("state.overstep."):
            return self.last["state"] == "suspended"
        if not event or self.events[int(event[1])]["type"] not in ("illegal", "bad_move"):
            return False
        if self.after[int(event[1])]["state"] == "suspended":
            return True
        return (event[2] == "days_so_far" and self.system != "iecc"
                and "accepts" in self.events[int(event[1])])

    def compare(self):
        """Differences, and how many paths were compared."""
        faults, compared = [], 0
        for path, wanted in self.example["expect"].items():
            if self.unseen(path):
                continue
            event = re.match(r"events\[(\d+)\]\.([\w.]+)$", path)
            if isinstance(wanted, dict) and ("held" in wanted or "late" in wanted):
                compared += 1
                faults += self.compare_refused(int(re.findall(r"\d+", path)[0]), wanted)
                continue
            try:
                seen = (self.seen_event(int(event[1]), event[2]) if event
                        else self.seen_state(path.removeprefix("state.")))
            except (KeyError, TypeError, IndexError) as error:
                seen = f"nothing ({error!r})"
            compared += 1
            if self.is_past(path, event):
                continue
            if path == "state.status":
                wanted = STATES[wanted]
            if seen != wanted:
                faults.append(f"{path}: {seen!r}, not {wanted!r}")
        return faults, compared


    def compare_refused(self, index, wanted):
        """A move that waits for a ruling, or that comes after the end."""
        by = address_of(self.events[index]["by"])
        verdicts = [mail.verdict for mail in self.answers[index]["mails"]
                    if mail.to == by and mail.kind in ("receipt", "refusal")]
        over = self.after[index]["state"] == "finished"
        expected = ["game-over"] if over else ["held"]
        return [] if verdicts == expected else [f"events[{index}]: {verdicts}, not {expected}"]


class ClocksTest(club.ClubTest):
    def play_all(self, named, least):
        """Plays what is NAMED, at least so many of them, but for those that are skipped."""
        played = 0
        for name, example in named:
            if name in SKIPPED:
                continue
            with self.subTest(example=name):
                player = Player(self, name, example)
                player.play()
                faults, compared = player.compare()
                self.assertEqual(faults, [])
                self.assertGreater(compared, 0)
                played += 1
        self.assertGreaterEqual(played, least)


class Iecc(ClocksTest):
    def test_examples(self):
        self.play_all(examples("iecc"), 16)


class IeccCases(ClocksTest):
    def test_cases(self):
        self.play_all(cases("iecc"), 21)


class Razsh(ClocksTest):
    def test_examples(self):
        self.play_all(examples("razsh"), 14)


class RazshCases(ClocksTest):
    def test_cases(self):
        self.play_all(cases("razsh"), 11)


class Mclink(ClocksTest):
    def test_examples(self):
        self.play_all(examples("mclink"), 16)


class MclinkCases(ClocksTest):
    def test_cases(self):
        self.play_all(cases("mclink"), 17)


if __name__ == "__main__":
    unittest.main()
