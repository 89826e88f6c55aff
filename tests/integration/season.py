"""A season of four months: twelve players in four languages, an event under each of the rules,
with illness, leave, illegal moves, oversteps, claims, a bounce, an address change, a withdrawal,
stops, bulletins and a drawn knockout game. What players and arbiters do, they do by mail."""
import unicodedata
import unittest
from collections import Counter
from datetime import timedelta

import club
import mailers
from club import instant, rfc3339

START = instant("2026-02-02T09:00:00Z")
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
COORDINATOR = "coordinator@club.example"
JUDGE = "judge@club.example"
AREA = "area@club.example"

# id: name, zone, language
PEOPLE = {
    "anna": ("Virtanen, Anna", "Europe/Helsinki", "fi"),
    "juha": ("Korhonen, Juha", "Europe/Helsinki", "fi"),
    "bruno": ("Rossi, Bruno", "Europe/Rome", "it"),
    "ines": ("Bianchi, Ines", "Europe/Rome", "it"),
    "dmitri": ("Петров, Дмитрий", "Europe/Moscow", "ru"),
    "kirill": ("Орлов, Кирилл", "Asia/Vladivostok", "ru"),
    "lena": ("Smirnova, Lena", "Asia/Yekaterinburg", "ru"),
    "carla": ("Souza, Carla", "America/Sao_Paulo", "en"),
    "emi": ("Tanaka, Emi", "Asia/Tokyo", "en"),
    "finn": ("O'Neil, Finn", "Pacific/Auckland", "en"),
    "gita": ("Rao, Gita", "Asia/Kolkata", "en"),
    "hugo": ("Perez, Hugo", "America/Havana", "en"),
}
EVENTS = {
    "KO-50.2": ("Winter Cup", "rules = iecc\narbiter = Director, Tarmo <td@club.example>",
                [("anna", "bruno"), ("carla", "dmitri"), ("emi", "finn"), ("juha", "carla")]),
    "RU-7": ("Весенний турнир", "rules = razsh\ncontrol-moves = 3\ncontrol-days = 12\n"
             f"arbiter = Судья <{JUDGE}>",
             [("dmitri", "kirill"), ("lena", "juha"), ("kirill", "lena")]),
    "ML-1": ("Torneo d'inverno", "rules = mclink\nmoves-per-manche = 5\nstandard-hours = 240\n"
             f"stage = knockout\npublic = {AREA}\nbulletin-every = 14d\n"
             f"arbiter = Coordinatore <{COORDINATOR}>",
             [("bruno", "ines"), ("hugo", "gita")]),
}
# What only a mail in that language says.
SIGNS = {"en": ("your", "the ", "The ", "stop of", " has "), "fi": ("ä",), "it": ("della ", "la ", "partita"), "ru": ("ход", "парт", "Ваш")}


def address_of(ident):
    return f"{ident}@players.example"


def event_text(code):
    name, rules, pairs = EVENTS[code]
    lines = [f"[tournament {code}]", f"name = {name}", f"start = {rfc3339(START)}", rules]
    for ident in sorted({ident for pair in pairs for ident in pair}):
        full, zone, language = PEOPLE[ident]
        lines += ["", f"[player {ident}]", f"name = {full}", f"email = {address_of(ident)}",
                  f"timezone = {zone}", f"language = {language}"]
    for number, (white, black) in enumerate(pairs, 1):
        lines += ["", f"[game {number}]", f"white = {white}", f"black = {black}"]
        if code == "ML-1":
            lines += [f"code = M{number:03}"]
    return "\n".join(lines) + "\n"


class Season(club.ClubTest):
    def setUp(self):
        super().setUp()
        self.place = self.club()
        for code in EVENTS:
            self.place.import_text(event_text(code), f"{code}.ini")
        games = [game for game in club.real_games() if len(game["uci"]) >= 50]
        self.lines, self.games = {}, {}
        for code, (_, _, pairs) in EVENTS.items():
            for number, pair in enumerate(pairs, 1):
                self.games[f"{code}/{number}"] = pair
                self.lines[f"{code}/{number}"] = games[len(self.lines) % len(games)]["uci"]
        self.addresses = {ident: address_of(ident) for ident in PEOPLE}
        self.owners = {}  # of every token, the address that it was sent to
        self.serial = 0
        self.mails = []
        self.now = START

    # ---- Time and mail ----

    def pass_now(self):
        """A pass at this instant; the mails that it sent."""
        new = self.place.once(self.now)
        for mail in new:
            if mail.reply_to and "+" in mail.reply_address:
                self.owners.setdefault(mail.reply_address, set()).add(mail.to)
        self.mails += new
        return new

    def live(self, stories, until):
        """Stories are generators that yield how long they wait; besides, a pass a day."""
        queue = [(self.now, number, story) for number, story in enumerate(stories)]
        while queue:
            queue.sort(key=lambda entry: entry[:2])
            when, number, story = queue.pop(0)
            while when > self.now:
                self.now = min(self.now + DAY, when)
                self.pass_now()
            wait = next(story, None)
            if wait is not None:
                queue.append((self.now + wait, number, story))
        while self.now < until:
            self.now = min(self.now + DAY, until)
            self.pass_now()

    def mail_to(self, who, game, *kinds):
        """The last mail of the game to that player or address."""
        address = self.addresses.get(who, who)
        found = [mail for mail in self.mails if mail.to == address and mail.game == game
                 and (not kinds or mail.kind in kinds)]
        self.assertTrue(found, f"no {kinds} of {game} to {address}")
        return found[-1]

    def say(self, who, game, text, *kinds, mail=None):
        """WHO (a player, or an address) answers the last mail of a game, and it is heard."""
        mail = mail or self.mail_to(who, game, *kinds)
        self.serial += 1
        self.place.drop(mailers.letter(mail, mail.to, self.now, text, serial=self.serial), self.now)
        return self.pass_now()

    def last(self):
        return self.place.messages()[-1]["verdict"]

    def command(self, who, game, text, *kinds):
        new = self.say(who, game, text, *kinds)
        self.assertEqual(self.last(), "command", (who, game, text))
        return new

    def state(self, game):
        return self.place.json("game", game, "--now", rfc3339(self.now))

    def move(self, game, text="{}"):
        """The next move of the game's line."""
        ply = self.state(game)["ply"]
        uci = self.lines[game][ply]
        move = f"{uci[:2]}-{uci[2:4]}" + (f"={uci[4]}" if len(uci) > 4 else "")
        self.say(self.games[game][ply % 2], game, text.format(move), "move", "pairing", "repeat")
        self.assertIn(self.last(), ("accepted", "accepted-with-warning"), (game, ply, move))

    def play(self, game, plies, wait=DAY):
        for _ in range(plies):
            yield wait
            self.move(game)

    def overstep(self, game):
        """Nobody answers until the deadline: the reports go out at its instant."""
        before = len(self.mails)
        deadline = instant(self.state(game)["deadline"])
        yield deadline - timedelta(seconds=1) - self.now
        self.assertEqual(club.find(self.mails[before:], "overstep", game=game), [])
        yield timedelta(seconds=1)
        reports = club.find(self.mails[before:], "overstep", game=game)
        self.assertTrue(reports, (game, deadline))
        yield HOUR

    def date(self, days):
        return (self.now + days * DAY).strftime("%Y-%m-%d")

    def told(self, kind, game):
        return {mail.to for mail in club.find(self.mails, kind, game=game)}

    # ---- IECC ----

    def illness(self, game="KO-50.2/1"):
        """Reminded, overstepped, the director lets the game go on; then it happens again."""
        yield from self.play(game, 4)
        yield from self.overstep(game)
        self.assertEqual(self.told("overstep", game),
                         {address_of("anna"), address_of("bruno"), club.DIRECTOR, club.ARBITER})
        self.assertEqual(len(club.find(self.mails, "repeat", address_of("anna"), game)), 1)
        self.command(club.DIRECTOR, game, "resume\n\nShe was in hospital.", "overstep")
        self.assertEqual(self.state(game)["state"], "active")
        self.assertIn("She was in hospital.", self.mail_to("bruno", game, "ruling").text)
        yield from self.play(game, 2, 2 * DAY)
        yield from self.overstep(game)
        self.command(club.DIRECTOR, game, "uphold", "overstep")

    def leave(self, game="KO-50.2/2"):
        """Leave of one, an illegal move of the other, a draw."""
        yield from self.play(game, 5)
        yield HOUR
        self.command("carla", game, f"leave {self.date(2)} {self.date(9)}", "receipt")
        self.assertEqual(self.told("leave", game), {address_of("dmitri"), club.DIRECTOR})
        yield HOUR
        self.say("dmitri", game, "e8-e1", "move")
        self.assertEqual(self.last(), "illegal-move")
        self.assertIn("7.8", self.mail_to("dmitri", game, "refusal").text)
        self.assertEqual(self.state(game)["black"]["clock"]["running"]["penalty"], 1)
        yield from self.play(game, 1)
        yield from self.play(game, 1, 11 * DAY)
        self.assertLess(self.state(game)["white"]["clock"]["days"][-1], 5)
        yield DAY
        self.move(game, "{}\nничья")
        self.assertEqual(self.state(game)["draw_offer"], "black")
        yield HOUR
        self.command("carla", game, "I accept the draw", "move")

    def moved(self, game="KO-50.2/3"):
        """A move comes back, the address has changed, the game goes on and is resigned."""
        yield from self.play(game, 3)
        yield HOUR
        self.place.drop(mailers.bounce(self.mail_to("finn", game, "move"), self.now), self.now)
        self.pass_now()
        self.assertEqual(self.told("bounce-notice", game), {address_of("emi"), club.DIRECTOR})
        self.assertIsNone(self.state(game)["deadline"])
        yield 3 * DAY
        self.command("finn", game, "address finn@new.example", "pairing")
        yield HOUR
        for mail in club.find(self.mails, "confirm"):
            self.say(mail.to, game, "yes", mail=mail)
        self.addresses["finn"] = "finn@new.example"
        yield HOUR
        self.assertEqual(len(club.find(self.mails, "move", "finn@new.example", game)), 1)
        self.assertIsNotNone(self.state(game)["deadline"])
        yield from self.play(game, 4)
        yield HOUR
        self.command("finn", game, "I resign", "move")

    def withdrawal(self, game="KO-50.2/4"):
        """Frozen, and ruled on."""
        yield from self.play(game, 2)
        yield HOUR
        self.command("juha", game, "luovun turnauksesta", "move")
        self.assertEqual(self.state(game)["state"], "suspended")
        yield DAY
        self.command(club.DIRECTOR, game, "result 0-1", "claim")

    # ---- RAZSh: three moves in twelve days ----

    def upheld(self, game="RU-7/1"):
        """A control is overstepped: told, claimed, upheld."""
        yield from self.play(game, 2)
        yield from self.overstep(game)
        self.assertEqual(self.state(game)["state"], "active")
        self.assertIn(JUDGE, self.told("overstep", game))
        self.command("kirill", game, "претензия по времени", "overstep")
        self.assertEqual(self.state(game)["state"], "suspended")
        yield DAY
        self.command(JUDGE, game, "удовлетворить", "claim")

    def rejected(self, game="RU-7/3"):
        """A claim that the account does not bear out; one that is rejected, with a bar on more."""
        yield from self.play(game, 4)
        yield HOUR
        self.command("lena", game, "претензия по времени", "receipt")
        self.assertIn("does not bear the claim out", self.mail_to(JUDGE, game, "claim").text)
        yield HOUR
        self.command(JUDGE, game, "отклонить", "claim")
        yield from self.overstep(game)
        self.command("lena", game, "претензия по времени", "overstep")
        yield DAY
        self.command(JUDGE, game, "отклонить без новых претензий", "claim")
        self.assertEqual(self.state(game)["state"], "active")
        yield HOUR
        self.say("lena", game, "претензия по времени", "overstep")
        self.assertEqual(self.last(), "command-error")
        yield from self.play(game, 3)
        yield HOUR
        self.command("lena", game, "сдаюсь", "move")

    def fined(self, game="RU-7/2"):
        """A bad move costs two days, and the arbiter lifts them."""
        yield from self.play(game, 2)
        yield HOUR
        self.say("lena", game, "a1-a8", "move")
        self.assertEqual(self.last(), "illegal-move")
        self.assertEqual(self.state(game)["white"]["clock"]["total"], 3)
        yield from self.play(game, 1, HOUR)
        self.assertIn("4.7", self.mail_to("juha", game, "move").text)
        yield HOUR
        self.command(JUDGE, game, "снять штраф", "copy")
        self.assertEqual(self.state(game)["white"]["clock"]["total"], 1)
        yield from self.play(game, 3)
        yield HOUR
        self.command("juha", game, "luovutan", "move")

    # ---- MC-link: five moves in 240 hours ----

    def drawn(self, game="ML-1/1"):
        """A knockout game is drawn: the Coordinator checks the agreement, the wheel decides."""
        yield from self.play(game, 3)
        yield DAY
        self.move(game, "{}\npatta")
        yield HOUR
        self.command("bruno", game, "accetto la patta", "move")
        self.assertEqual(self.state(game)["state"], "suspended")
        yield DAY
        self.command(COORDINATOR, game, "accolgo", "claim", "copy", "result", "announcement")
        self.assertEqual(self.state(game)["result"], "1/2-1/2")
        yield DAY
        self.place.control("lotto", game, "--drawn", "44", "--now", rfc3339(self.now))
        self.pass_now()
        self.assertIn(AREA, self.told("announcement", game))

    def stopped(self, game="ML-1/2"):
        """A stop, and a time-out after it, declared by the relay."""
        yield from self.play(game, 2)
        yield HOUR
        self.command("hugo", game, f"stop {self.date(1)} {self.date(4)}", "move")
        self.assertEqual(len(self.state(game)["stops"]), 1)
        yield from self.play(game, 2, 6 * DAY)
        self.assertLess(self.state(game)["white"]["clock"]["hours"][-1], 80)
        yield from self.overstep(game)
        self.assertEqual(self.state(game)["state"], "finished")

    # ---- The season ----

    def test_season(self):
        self.pass_now()
        self.now += HOUR
        self.live([self.illness(), self.leave(), self.moved(), self.withdrawal(), self.upheld(),
                   self.rejected(), self.fined(), self.drawn(), self.stopped()], START + 120 * DAY)
        self.check_results()
        self.check_mails()
        self.check_bulletins()
        self.check_store()

    def check_results(self):
        wanted = {"KO-50.2/1": ("0-1", "time"), "KO-50.2/2": ("1/2-1/2", "agreement"),
                  "KO-50.2/3": ("1-0", "resignation"), "KO-50.2/4": ("0-1", "forfeit"),
                  "RU-7/1": ("0-1", "time"), "RU-7/2": ("1-0", "resignation"),
                  "RU-7/3": ("1-0", "resignation"), "ML-1/1": ("1/2-1/2", "agreement"),
                  "ML-1/2": ("0-1", "time")}
        found = {game: (self.state(game)["result"], self.state(game)["termination"]) for game in wanted}
        self.assertEqual(found, wanted)

    def check_mails(self):
        """Every mail: its form, its language, and what it must not tell."""
        private = {address_of(ident) for ident in PEOPLE} | set(self.addresses.values())
        arbiters = {club.DIRECTOR, club.ARBITER, JUDGE, COORDINATOR, "postmaster@club.example"}
        finn = {address_of("finn"), self.addresses["finn"]}
        for mail in self.mails:
            with self.subTest(mail=mail):
                text = mail.text
                wide = [line for line in text.splitlines() if len(line) > 78]
                self.assertEqual(wide, [])
                self.assertEqual(unicodedata.normalize("NFC", text), text)
                self.assertNotRegex(text + mail.subject, r"\{\{|\}\}|\(null\)")
                self.assertNotRegex(text, r"\n\n\n")
                # A token goes to its owner and to nobody else.
                for reply, owners in self.owners.items():
                    token = reply.split("+")[1].split("@")[0]
                    if mail.to not in owners and token in mail.raw.decode("utf-8", "replace"):
                        self.assertLessEqual(owners, finn)
                # RAZSh's moves are signed; elsewhere nobody learns another's address.
                others = {address for address in private if address in text} - {mail.to}
                if mail.to not in arbiters and not (mail.game or "").startswith("RU-7"):
                    self.assertLessEqual(others, finn if mail.to in finn else set())
                ident = next((ident for ident in PEOPLE
                              if mail.to in (address_of(ident), self.addresses[ident])), None)
                language = PEOPLE[ident][2] if ident else "en"
                self.assertTrue(any(sign in text for sign in SIGNS[language]), text)
        kinds = Counter(mail.kind for mail in self.mails)
        self.assertEqual(kinds["pairing"], 2 * len(self.games))
        for kind in ("move", "receipt", "copy", "repeat", "overstep", "claim", "ruling", "result", "leave",
                     "bounce-notice", "confirm", "announcement", "bulletin", "public", "refusal"):
            self.assertGreater(kinds[kind], 0, kind)
        for game, pair in self.games.items():
            for ident in pair:
                results = [mail for mail in club.find(self.mails, "result", game=game)
                           if mail.to in (address_of(ident), self.addresses[ident])]
                self.assertEqual(len(results), 1, (game, ident))
                self.assertIn("[Result ", results[0].text)

    def check_bulletins(self):
        """One each fortnight to players, Coordinator and area while the event lives."""
        bulletins = club.find(self.mails, "bulletin")
        by_reader = Counter(mail.to for mail in bulletins)
        readers = {address_of(ident) for ident in ("bruno", "ines", "hugo", "gita")} | {COORDINATOR, AREA}
        self.assertEqual(set(by_reader), readers)
        self.assertEqual(len(set(by_reader.values())), 1)
        area = club.find(bulletins, to=AREA)
        self.assertTrue(any("Perez" in mail.text for mail in area))
        self.assertTrue(any("1/2-1/2" in mail.text for mail in area))

    def check_store(self):
        self.place.control("verify")
        for row in self.place.messages():
            self.assertNotIn(row["verdict"], (None, "unparsable-mail"))
        self.assertEqual(self.place.json("outbox"), [])


if __name__ == "__main__":
    unittest.main()
