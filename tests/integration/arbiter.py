"""What an arbiter does with zugpostctl beside rulings, through the real programs."""
import json
import unittest
from datetime import datetime, timedelta, timezone

import club
import loop
import mailers
from club import address_of, instant, rfc3339

START = instant("2026-06-01T10:00:00Z")
HOUR = timedelta(hours=1)
AREA = "area@club.example"
PLAYERS = [player for player in club.PLAYERS if player[0] in ("anna", "bruno", "carla")]


def mclink_text(pairs, code="ML-1", stage="league", extra="public = area@club.example", players=PLAYERS,
                start="2026-06-01T10:00:00Z"):
    """A tournament of MC-link's rules."""
    lines = [f"[tournament {code}]", "name = Torneo", "rules = mclink", f"start = {start}",
             "arbiter = Coordinator <td@club.example>", "moves-per-manche = 10",
             "standard-hours = 480", f"stage = {stage}", *([extra] if extra else [])]
    for ident, name, zone in players:
        lines += ["", f"[player {ident}]", f"name = {name}", f"email = {address_of(ident)}",
                  f"timezone = {zone}"]
    for number, (white, black) in enumerate(pairs, 1):
        lines += ["", f"[game {number}]", f"white = {white}", f"black = {black}"]
    return "\n".join(lines) + "\n"


class ArbiterTest(club.ClubTest):
    def setUp(self):
        super().setUp()
        self.place = self.club()

    def tearDown(self):
        """All of it follows from the inputs that were kept."""
        self.place.control("verify")
        super().tearDown()

    def control(self, when, *operands, code=0):
        """A command at an instant: its JSON, or the line of its refusal."""
        done = self.place.run(club.CONTROL, "--config", self.place.config, "--now", rfc3339(when),
                              "--json", *operands)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if code:
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            return done.stderr.strip()
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def recipients(self, mails, kind):
        return sorted((mail.game, mail.to) for mail in mails if mail.kind == kind)


class StopTest(ArbiterTest):
    """MC-link 7ter: a stop is one object of its player in all his games."""

    def setUp(self):
        super().setUp()
        self.place.import_text(mclink_text([("anna", "bruno"), ("carla", "anna"), ("bruno", "carla")]))
        self.place.once(START)

    def stops(self, number):
        return [(stop["by"], stop["kind"], stop["from"], stop["to"])
                for stop in self.place.game(number, "ML-1")["stops"]]

    def everybody(self, *numbers):
        """Who is told of something in these games."""
        names = {1: ("anna", "bruno"), 2: ("anna", "carla"), 3: ("bruno", "carla")}
        return sorted((f"ML-1/{number}", to) for number in numbers
                      for to in (*map(address_of, names[number]), "td@club.example", AREA))

    def test_vacation(self):
        asked = self.control(START + HOUR, "stop", "ML-1/1", "white", "2026-07-01T10:00:00Z",
                             "2026-07-11T10:00:00Z", "--vacation")
        self.assertEqual([(one["game"], one["granted"]) for one in asked],
                         [("ML-1/1", True), ("ML-1/2", True)])
        self.place.once(START + HOUR)
        when = START + 2 * HOUR
        changed = self.control(when, "stop", "ML-1/2", "black", "2026-07-02T10:00:00Z",
                               "2026-07-04T10:00:00Z", "--change", "0")
        self.assertEqual([(one["game"], one["granted"], one["hours"]) for one in changed],
                         [("ML-1/1", True, 48), ("ML-1/2", True, 48)])
        period = ("2026-07-02T10:00:00Z", "2026-07-04T10:00:00Z")
        self.assertEqual(self.stops(1), [("white", "vacation", *period)])
        self.assertEqual(self.stops(2), [("black", "vacation", *period)])
        mails = self.place.once(when)
        self.assertEqual(self.recipients(mails, "leave"), self.everybody(1, 2))
        for mail in club.find(mails, "leave"):
            self.assertIn("2026-07-04", mail.text)
        # Only its player changes it, and not beyond the period of vacations.
        for side, to in (("black", "2026-07-05T10:00:00Z"), ("white", "2026-09-17T10:00:00Z")):
            self.control(when, "stop", "ML-1/1", side, "-", to, "--change", "0", code=1)
        withdrawn = self.control(when + HOUR, "stop", "ML-1/1", "white", "--withdraw", "0")
        self.assertEqual([one["granted"] for one in withdrawn], [True, True])
        self.assertEqual((self.stops(1), self.stops(2)), ([], []))
        mails = self.place.once(when + HOUR)
        self.assertEqual(self.recipients(mails, "leave"), self.everybody(1, 2))
        self.assertTrue(all("withdrawn" in mail.text for mail in club.find(mails, "leave")))
        self.assertEqual(self.place.once(when + HOUR), [])
        told = [entry["text"] for entry in self.place.json("log", "ML-1/1")]
        for words in ("stop of white: 2026-07-01 10:00 UTC to 2026-07-11 10:00 UTC",
                      "stop 0 of white is changed: 2026-07-02 10:00 UTC to 2026-07-04 10:00 UTC",
                      "stop 0 of white is withdrawn", "order to withdraw a stop of white"):
            self.assertEqual(told.count(words), 1, told)

    def test_grant(self):
        """The Coordinator grants what the rules do not: a stop that begins in the past."""
        when = START + 10 * HOUR
        period = (rfc3339(START + 5 * HOUR), rfc3339(START + 20 * HOUR))
        refused = self.control(when, "stop", "ML-1/1", "white", *period, code=1)
        self.assertIn("rules", refused)
        self.assertEqual(self.stops(1), [])
        granted = self.control(when, "stop", "ML-1/1", "white", *period, "--grant", "--reason", "illness")
        self.assertEqual([(one["game"], one["granted"], one["hours"]) for one in granted],
                         [("ML-1/1", True, 15), ("ML-1/2", True, 15)])
        self.assertEqual(self.stops(2), [("black", "coordinator", *period)])
        self.assertEqual(self.control(when, "game", "ML-1/1")["white"]["clock"]["running"], 5)
        mails = self.place.once(when)
        own, = [mail for mail in mails if not mail.game]
        self.assertEqual(own.to, address_of("anna"))
        self.assertIn("not granted", own.text)
        mails.remove(own)
        self.assertEqual(self.recipients(mails, "leave"), self.everybody(1, 2))
        self.assertTrue(all("illness" in mail.text for mail in mails))
        self.assertIn("stop 0 of white (coordinator): 2026-06-01 15:00 UTC",
                      self.place.control("game", "ML-1/1", "--now", rfc3339(when)))
        # His own word takes it back, and what has passed of it stays.
        self.control(when + HOUR, "stop", "ML-1/1", "white", "--withdraw", "0", "--grant")
        self.assertEqual(self.stops(1), [("white", "coordinator", period[0], rfc3339(when + HOUR))])

    def test_dates(self):
        """As by mail, dates are those of MC-link's clock, the last one included."""
        self.control(START, "stop", "ML-1/1", "white", "2026-07-01", "2026-07-04", "--vacation")
        period = ("2026-06-30T22:00:00Z", "2026-07-04T22:00:00Z")
        self.assertEqual(self.stops(2), [("black", "vacation", *period)])
        self.control(START, "stop", "ML-1/1", "white", "-", "2026-07-05", "--change", "0")
        self.assertEqual(self.stops(2), [("black", "vacation", period[0], "2026-07-05T22:00:00Z")])
        self.control(START, "stop", "ML-1/1", "white", "2026-07-04", "2026-07-01", code=2)
        withdrawn = self.control(START, "withdraw", "carla")
        self.assertEqual([(one["granted"], one["from"], one["to"]) for one in withdrawn],
                         [(True, None, None)] * 2)

    def test_faults(self):
        for operands in (("ML-1/1", "white", "--withdraw", "x"), ("ML-1/1", "white"),
                         ("ML-1/1", "grey", "--withdraw", "0"),
                         ("ML-1/1", "white", "-", "2026-07-04T10:00:00Z"),
                         ("ML-1/1", "white", "-", "2026-07-04T10:00:00Z", "--change", "0", "--grant")):
            self.place.control("stop", *operands, code=2)
        self.control(START, "stop", "ML-1/9", "white", "--withdraw", "0", code=1)
        self.control(START, "stop", "ML-1/1", "white", "--withdraw", "0", code=1)


class OrderTest(ArbiterTest):
    """Rulings that enter something: a move, an address, play by mobile phone."""

    def begin(self, text=None, number=1):
        self.place.import_text(text or club.tournament_text([("anna", "bruno")]))
        self.now = instant("2026-01-10T09:05:00+02:00") if not text else START
        return {mail.to: mail for mail in self.place.once(self.now) if mail.kind == "pairing"}

    def rule(self, *words, code=0):
        return self.control(self.now, "rule", *words, code=code)

    def test_move(self):
        """As if the player had sent it, with his own time; told by the ruling."""
        self.begin()
        self.now += timedelta(days=2)
        self.rule("KO-50.2/1", "move", "1. e4", "--reason", "by telephone")
        mails = self.place.once(self.now)
        self.assertEqual(sorted((mail.kind, mail.to) for mail in mails), sorted([
            ("move", address_of("bruno")), ("ruling", address_of("anna")), ("ruling", club.DIRECTOR)]))
        for mail in club.find(mails, "ruling"):
            self.assertIn("by telephone", mail.text)
            self.assertIn("e4", mail.text)
        game = self.place.game(1)
        self.assertEqual((game["san"], game["ledger"][0]["days"]), (["e4"], 2))
        # The opponent answers the mail as any other; nothing has to be repeated in an order.
        answered = club.find(mails, "move")[0]
        self.now += timedelta(days=1)
        self.place.drop(mailers.letter(answered, address_of("bruno"), self.now, "1. e4 e5"), self.now)
        self.place.once(self.now)
        self.rule("KO-50.2/1", "move", "Nf3 draw")
        self.place.once(self.now)
        game = self.place.game(1)
        self.assertEqual((game["san"], game["draw_offer"]), (["e4", "e5", "Nf3"], "white"))
        # The same ruling twice, at one instant, is two.
        for _ in range(2):
            self.rule("KO-50.2/1", "penalty", "white", "1")
        self.assertEqual(len(club.find(self.place.once(self.now), "ruling")), 6)
        # What is no move of the side to move changes nothing and costs nothing.
        before = self.place.game(1)
        for text in ("Ke4", "hello there", "resign", "Nd7 or b6", "2. Nf3"):
            self.rule("KO-50.2/1", "move", text, code=1)
        self.assertEqual(self.place.game(1), before)
        self.assertEqual(self.place.once(self.now), [])
        # Too late is too late, and a game that rests or is over takes none.
        late = self.now + timedelta(days=60)
        self.control(late, "rule", "KO-50.2/1", "move", "Nc6", code=1)
        self.rule("KO-50.2/1", "result", "1-0")
        self.assertIn("over", self.rule("KO-50.2/1", "move", "Nc6", code=1))

    def test_move_of_mclink(self):
        """A move that the Coordinator enters is no fault of form of its player."""
        self.begin(mclink_text([("anna", "bruno")]))
        self.now = START + 4 * HOUR
        self.rule("ML-1/1", "move", "1b e2-e4")
        mails = self.place.once(self.now)
        self.assertEqual(len(club.find(mails, "public", AREA)), 1)
        clock = self.control(self.now, "game", "ML-1/1")["white"]["clock"]
        self.assertEqual((clock["faults"], clock["hours"]), (0, [4]))

    def test_mate(self):
        """A move that ends the game does so."""
        self.begin()
        for text in ("f3", "e5", "g4", "Qh4"):
            self.rule("KO-50.2/1", "move", text)
            mails = self.place.once(self.now)
        game = self.place.game(1)
        self.assertEqual((game["state"], game["result"], game["termination"]), ("finished", "0-1", "checkmate"))
        self.assertEqual(len(club.find(mails, "result")), 3)

    def test_address(self):
        pairings = self.begin()
        address = "anna@elsewhere.example"
        raw = mailers.letter(pairings[address_of("anna")], address, self.now, "1. e4", Delivered_To=None,
                             To=club.ADDRESS, serial=1)
        self.place.drop(raw, self.now)
        self.place.once(self.now)
        self.assertEqual(self.place.json("messages")[0]["verdict"], "held")
        self.rule("KO-50.2/1", "accept-address", "white", address)
        self.assertEqual(self.place.json("player", "anna")["email"], [address_of("anna"), address])
        mails = self.place.once(self.now)
        self.assertEqual(sorted((mail.kind, mail.to) for mail in mails), sorted(
            ("ruling", to) for to in (address_of("anna"), address_of("bruno"), club.DIRECTOR)))
        for mail in mails:  # IECC 3.5: no business of the opponent's
            self.assertEqual(address in mail.text, mail.to != address_of("bruno"), mail)
        # The same token as before: no other address of his has changed.
        raw = mailers.letter(pairings[address_of("anna")], address, self.now, "1. d4", serial=2)
        self.place.drop(raw, self.now)
        self.assertEqual(len(club.find(self.place.once(self.now), "receipt", address)), 1)
        self.assertIn("player bruno", self.rule("KO-50.2/1", "accept-address", "white",
                                                address_of("bruno"), code=1))
        self.rule("KO-50.2/1", "accept-address", "white", address, code=1)
        self.rule("KO-50.2/1", "accept-address", "white", "nonsense", code=1)
        self.place.control("rule", "KO-50.2/1", "accept-address", address, code=2)

    def test_mobile(self):
        """IECC 10.4: every message goes to the TD, whatever `copies` says."""
        pairings = self.begin(club.tournament_text([("anna", "bruno")], start="2026-06-01T10:00:00Z",
                                                   extra="copies = none"))
        self.rule("KO-50.2/1", "mobile", "off", code=1)
        self.rule("KO-50.2/1", "mobile", "on")
        mails = self.place.once(self.now)
        self.assertEqual(sorted(mail.to for mail in club.find(mails, "ruling")), sorted(
            (address_of("anna"), address_of("bruno"), club.DIRECTOR)))
        self.now += HOUR
        self.place.drop(mailers.letter(pairings[address_of("anna")], address_of("anna"), self.now, "1. e4"),
                        self.now)
        mails = self.place.once(self.now)
        self.assertEqual(len(club.find(mails, "copy", club.DIRECTOR)), 1)
        self.rule("KO-50.2/1", "mobile", "off")
        self.place.once(self.now)
        self.now += HOUR
        move = club.find(mails, "move", address_of("bruno"))[0]
        self.place.drop(mailers.letter(move, address_of("bruno"), self.now, "1. e4 e5", serial=3), self.now)
        mails = self.place.once(self.now)
        self.assertEqual((len(club.find(mails, "move")), club.find(mails, "copy")), (1, []))
        self.place.import_text(mclink_text([]) + "\n[game 2]\nwhite = anna\nblack = bruno\n")
        self.assertIn("rules", self.rule("ML-1/2", "mobile", "on", code=1))
        self.place.control("rule", "KO-50.2/1", "mobile", "perhaps", code=2)


class AnnouncementTest(ArbiterTest):
    def test_announcement(self):
        """One mail to each player, arbiter and the public area, about no game."""
        self.place.import_text(mclink_text([("anna", "bruno"), ("carla", "anna"), ("bruno", "carla")]))
        self.place.once(START)
        words = "The next round begins on 1 July.\nHappy summer!"
        said = self.control(START + HOUR, "announce", "ML-1", words)
        self.assertEqual(said, {"tournament": "ML-1", "text": words})
        mails = self.place.once(START + HOUR)
        self.assertEqual(self.recipients(mails, "announcement"), sorted(
            (None, to) for to in (*map(address_of, ("anna", "bruno", "carla")), "td@club.example", AREA)))
        self.assertEqual(len(mails), 5)
        for mail in mails:
            for line in words.splitlines():
                self.assertIn(line, mail.text)
            self.assertEqual(mail.reply_address, club.ADDRESS)
            self.assertIn("ML-1", mail.subject)
        # The same words again are another announcement, even at the same instant.
        for _ in range(2):
            self.control(START + 2 * HOUR, "announce", "ML-1", *words.split())
        mails = self.place.once(START + 2 * HOUR)
        self.assertEqual((len(mails), len({mail.id for mail in mails})), (10, 10))

    def test_one_mail_each(self):
        """Who is player and arbiter in one gets one mail."""
        self.place.import_text(club.tournament_text([("anna", "bruno")]).replace(
            "td@club.example", address_of("anna")))
        self.place.once(START)
        self.control(START, "announce", "KO-50.2", "hello")
        self.assertEqual(sorted(mail.to for mail in self.place.once(START)),
                         sorted(map(address_of, ("anna", "bruno"))))

    def test_faults(self):
        self.place.import_text(mclink_text([("anna", "bruno")]))
        self.control(START, "announce", "NONE", "hello", code=1)
        self.control(START, "bulletin", "NONE", code=1)
        for operands in (("announce", "ML-1"), ("announce", "ML-1", " "), ("announce", "ML-1", "a\x07b"),
                         ("bulletin",), ("bulletin", "ML-1", "x")):
            self.place.control(*operands, code=2)


class BulletinTest(ArbiterTest):
    """MC-link 2.2, 6.3, 7ter.12: what happened in an event since its last bulletin."""
    EVERYBODY = sorted((None, to) for to in (*map(address_of, ("anna", "bruno", "carla")),
                                             "td@club.example", AREA))

    def begin(self, extra="public = area@club.example"):
        self.place.import_text(mclink_text([("anna", "bruno"), ("carla", "anna")], extra=extra))
        self.mails = {mail.game: mail for mail in self.place.once(START) if mail.kind == "pairing"
                      and mail.to == address_of({"ML-1/1": "anna", "ML-1/2": "carla"}[mail.game])}

    def move(self, when, game, text, serial):
        mail = self.mails[game]
        self.place.drop(mailers.letter(mail, mail.to, when, text, quote=False, serial=serial,
                                       Subject=f"{game[-1]:0>4}-  1b White-Black"), when)
        self.assertEqual(len(club.find(self.place.once(when), "move")), 1)

    def bulletins(self, when):
        mails = [mail for mail in self.place.once(when) if mail.kind == "bulletin"]
        return {mail.to: mail.text for mail in mails}, sorted((mail.game, mail.to) for mail in mails)

    def test_bulletin(self):
        self.begin()
        self.move(START + 5 * HOUR, "ML-1/1", "1b e2-e4 1b e2-e4", 1)
        when = START + 10 * HOUR
        self.control(when, "stop", "ML-1/1", "black", rfc3339(when + HOUR), rfc3339(when + 25 * HOUR))
        self.control(when, "stop", "ML-1/2", "white", rfc3339(when - HOUR), rfc3339(when + HOUR), code=1)
        self.control(when, "stop", "ML-1/2", "white", rfc3339(when - 2 * HOUR), rfc3339(when + HOUR),
                     "--grant", "--reason", "a flood in the cellar")
        self.place.control("rule", "ML-1/2", "penalty", "black", "3", "--reason",
                           "late notice to td@club.example", "--now", rfc3339(when))
        self.assertEqual(self.control(when, "bulletin", "ML-1"),
                         {"tournament": "ML-1", "number": 1, "at": rfc3339(when)})
        texts, told = self.bulletins(when)
        self.assertEqual(told, self.EVERYBODY)
        text = texts[AREA]
        for words in ("e2-e4", "ML-1/1", "ML-1/2", "24 hours", "not granted", "a flood in the cellar",
                      "penalty black 3", "late notice", "Rossi", "Souza"):
            self.assertIn(words, " ".join(text.split()), text)
        self.assertNotIn("@", text)
        # 7ter.21: an ordinary stop that has been published stands; not so for the Coordinator.
        self.assertIn("rules", self.control(when + HOUR, "stop", "ML-1/1", "black", "--withdraw", "0", code=1))
        self.control(when + HOUR, "stop", "ML-1/1", "black", "--withdraw", "0", "--grant")

        # The next one tells only what is new: nothing of the first is in it.
        self.place.control("rule", "ML-1/2", "result", "1-0", "--now", rfc3339(when + 2 * HOUR))
        self.place.once(when + 2 * HOUR)
        self.control(when + 2 * HOUR, "bulletin", "ML-1")
        texts, told = self.bulletins(when + 2 * HOUR)
        self.assertEqual(told, self.EVERYBODY)
        text = " ".join(texts[AREA].split())
        for words in ("e2-e4", "a flood", "late notice"):
            self.assertNotIn(words, text)
        for words in ("withdrawn", "1-0", "ML-1/2"):
            self.assertIn(words, text)
        # A game that had ended before the last bulletin is in it no more.
        self.control(when + 3 * HOUR, "bulletin", "ML-1")
        texts, _ = self.bulletins(when + 3 * HOUR)
        self.assertNotIn("ML-1/2", texts[AREA])
        self.assertIn("ML-1/1", texts[AREA])

    def test_interval(self):
        """Once in an interval, in the order of time, however the passes are cut."""
        self.begin("public = area@club.example\nbulletin-every = 2d")
        self.assertEqual(self.bulletins(START + 47 * HOUR), ({}, []))
        texts, told = self.bulletins(START + 48 * HOUR)
        self.assertEqual(told, self.EVERYBODY)
        self.assertIn(f"{START + 96 * HOUR:%Y-%m-%d}", texts[AREA])
        self.assertEqual(self.bulletins(START + 48 * HOUR), ({}, []))
        # Two of them in one pass: the move between them is in the second alone.
        arrival = START + 100 * HOUR
        mail = self.mails["ML-1/1"]
        self.place.drop(mailers.letter(mail, mail.to, arrival, "1b e2-e4 1b e2-e4", quote=False, serial=1,
                                       Subject="0001-  1b White-Black"), arrival)
        other = self.place.copy_to(self.folder / "other")
        seen = sorted((mail for mail in self.place.once(START + 145 * HOUR) if mail.kind == "bulletin"
                       and mail.to == AREA), key=lambda mail: mail.subject)
        self.assertEqual(len(seen), 2)
        self.assertEqual(["e2-e4" in mail.text for mail in seen], [False, True])
        apart = []
        for hours in (96, 100, 144, 145):
            apart += [mail for mail in other.once(START + hours * HOUR) if mail.kind == "bulletin"
                      and mail.to == AREA]
        # The relayed move is delivered at another instant, so the clocks are others; nothing else is.
        self.assertEqual([mail.id for mail in apart], [mail.id for mail in seen])
        self.assertEqual(["e2-e4" in mail.text for mail in apart], [False, True])
        # When the last game has ended one more appears, and then none.
        for number in (1, 2):
            self.place.control("rule", f"ML-1/{number}", "result", "1-0", "--now", rfc3339(START + 150 * HOUR))
        self.place.once(START + 150 * HOUR)
        texts, told = self.bulletins(START + 200 * HOUR)
        self.assertEqual(told, self.EVERYBODY)
        self.assertEqual(self.bulletins(START + 1000 * HOUR), ({}, []))
        # Another game begins them anew; another interval changes the grid.
        self.place.import_text(mclink_text([], extra="bulletin-every = 10d")
                               + "\n[game 3]\nwhite = bruno\nblack = carla\n", name="more.ini")
        self.place.once(START + 1000 * HOUR)
        self.assertEqual(self.bulletins(START + 1199 * HOUR), ({}, []))
        self.assertEqual(len(self.bulletins(START + 1200 * HOUR)[1]), 5)


class LeaveBulletinTest(ArbiterTest):
    """An event of other rules may have bulletins too: they tell what leave was granted, began, ended."""
    DAY = timedelta(days=1)

    def begin(self, rules):
        text = club.tournament_text([("anna", "bruno"), ("carla", "anna")], start=rfc3339(START))
        self.place.import_text(text.replace("rules = iecc", f"rules = {rules}"))
        self.place.once(START)

    def section(self, when):
        """What the next bulletin says of leave, in one line for each."""
        self.control(when, "bulletin", "KO-50.2")
        mail, = club.find(self.place.once(when), "bulletin", address_of("bruno"))
        text = mail.text.split("STOPS AND LEAVE\n")[1].split("\nPENALTIES")[0]
        return [" ".join(item.split()) for item in text.replace("\n- ", "\n\0").split("\0") if item.strip()]

    def test_leave(self):
        for rules in ("iecc", "razsh"):
            with self.subTest(rules):
                self.place = self.club(rules)
                self.begin(rules)
                self.assertEqual(self.section(START + HOUR), ["Nothing was asked for and nothing decided."])
                self.place.control("leave", "anna", "2026-06-10", "2026-06-14", "--now", rfc3339(START + 2 * HOUR))
                self.place.control("leave", "bruno", "2026-06-20", "2026-06-24", "--now", rfc3339(START + 2 * HOUR))
                self.place.control("leave", "bruno", "2026-06-01", "2026-06-01", "--approve", "--now",
                                   rfc3339(START + 2 * HOUR), code=0 if rules == "razsh" else 1)
                anna = "leave of Anna Virtanen: from 2026-06-10 to 2026-06-14, both days included."
                bruno = "leave of Bruno Rossi: from 2026-06-20 to 2026-06-24, both days included."
                # Once, however many games it is in; and in no order but that of its days.
                short = ["leave of Bruno Rossi: from 2026-06-01 to 2026-06-01, both days included. It has begun."]
                self.assertEqual(self.section(START + 3 * HOUR), (short if rules == "razsh" else []) + [anna, bruno])
                over = [short[0].replace("It has begun", "It is over")] if rules == "razsh" else []
                self.assertEqual(self.section(START + 5 * self.DAY),
                                 over or ["Nothing was asked for and nothing decided."])
                self.assertEqual(self.section(START + 10 * self.DAY), [anna + " It has begun."])
                self.assertEqual(self.section(START + 12 * self.DAY), ["Nothing was asked for and nothing decided."])
                # Both in between: it is over.
                self.assertEqual(self.section(START + 30 * self.DAY), [anna + " It is over.", bruno + " It is over."])

    def test_taken_back(self):
        """RAZSh 7.3: what had not begun goes as a whole, what runs ends with the day of the notice."""
        self.begin("razsh")
        mails = {mail.to: mail for mail in self.place.all_mails() if mail.kind == "pairing"}
        self.place.control("leave", "anna", "2026-06-10", "2026-06-14", "--now", rfc3339(START))
        self.section(START + HOUR)
        when = START + 2 * self.DAY
        self.place.drop(mailers.letter(mails[address_of("anna")], address_of("anna"), when, "end leave", quote=False), when)
        self.place.once(when)
        self.assertEqual(self.section(when + HOUR),
                         ["leave of Anna Virtanen: it is cancelled, the whole of it. The days that are left count as "
                          "not taken (RAZSh 7.3)."])
        self.place.control("leave", "anna", "2026-06-10", "2026-06-14", "--now", rfc3339(when + 2 * HOUR))
        when = START + 10 * self.DAY
        self.section(when)
        when += HOUR
        self.place.drop(mailers.letter(mails[address_of("anna")], address_of("anna"), when, "end leave", quote=False,
                                       serial=2), when)
        self.place.once(when)
        self.assertEqual(self.section(when + 2 * self.DAY),
                         ["leave of Anna Virtanen: from 2026-06-10 to 2026-06-11, both days included. It is over."])


class DaemonTest(ArbiterTest):
    def test_a_running_daemon_does_it(self):
        """Every command works through the daemon's socket, and its mails go out at once."""
        now = datetime.now(timezone.utc).replace(microsecond=0)
        self.place.import_text(mclink_text([("anna", "bruno")], stage="knockout",
                                           start=rfc3339(now - HOUR)))
        watch = club.Watch(self.place.top / "out/new")
        self.addCleanup(watch.close)
        daemon = loop.Daemon(self.place)
        self.addCleanup(daemon.kill)
        daemon.notified("READY=1")

        def mails(count):
            seen = self.place.new_mails()
            while len(seen) < count:
                watch.wait(loop.LIMIT)
                seen += self.place.new_mails()
            self.assertEqual(len(seen), count, seen)
            return {mail.kind for mail in seen}

        self.assertEqual(mails(2), {"pairing"})
        period = (rfc3339(now + 24 * HOUR), rfc3339(now + 48 * HOUR))
        for operands, count, kinds in (
                (("player", "anna", "--notation", "long"), 1, {"announcement"}),
                (("rule", "ML-1/1", "move", "e4"), 4, {"move", "ruling", "public"}),
                (("stop", "ML-1/1", "white", *period, "--grant"), 4, {"leave"}),
                (("stop", "ML-1/1", "white", "--withdraw", "0", "--grant"), 4, {"leave"}),
                (("announce", "ML-1", "Hello!"), 4, {"announcement"}),
                (("bulletin", "ML-1"), 4, {"bulletin"}),
                (("rule", "ML-1/1", "draw"), 12, {"ruling", "result", "announcement"}),
                (("lotto", "ML-1/1", "--drawn", "9"), 4, {"announcement"})):
            done = self.place.json(*operands)
            self.assertTrue(done)
            self.assertEqual(mails(count), kinds, operands)
        self.place.control("lotto", "ML-1/1", "--drawn", "9", code=1)
        self.place.control("lotto", "ML-1/1", code=2)
        self.assertEqual(self.place.json("player", "anna")["notation"], "long")
        self.assertEqual(daemon.stop(), 0)


if __name__ == "__main__":
    unittest.main()
