"""Mails in the languages of their readers, a fifth language from a folder of overrides, and
whole games in which each side answers mails of its own language."""
import unittest
from datetime import timedelta

import club
import mailers
from club import address_of, instant, rfc3339

START = instant("2026-01-10T08:00:00Z")
MINUTE = timedelta(minutes=1)
LANGUAGES = {"anna": "fi", "bruno": "it", "dmitri": "ru", "hugo": "cs", "finn": "en"}
# What the first mail of a game says in each.
BEGINS = {"fi": "Pelisi alkaa. Pelaat valkeilla, vastustajasi on",
          "it": "La tua partita inizia. Hai il Bianco contro",
          "ru": "Ваша партия начинается. Вы играете белыми, партнер:",
          "cs": "Partie začíná. Máte bílé proti",
          "en": "Your game begins. You have White against"}
DATES = {"fi": "10.1.2026 klo 1", "it": "10/1/2026, ore ", "ru": "10.01.2026 1",
         "cs": "10. 1. 2026 ", "en": "2026-01-1"}
HELP = {"fi": "ohje", "it": "aiuto", "ru": "помощь", "cs": "nápověda", "en": "help"}
HELPS = {"fi": "näin pelaat sähköpostilla", "it": "come si gioca per posta", "ru": "как играть по почте",
         "cs": "how to play by mail", "en": "how to play by mail"}
CZECH = {
    "templates/cs/language.txt": "name: čeština\nplural: czech\ndecimal: ,\ndate: {d}. {m}. {yyyy}\n",
    "templates/cs/pairing.txt": "Subject: {{subject-tag}} partie začíná\n\nPartie začíná. Máte "
                                "{{#to-white}}bílé{{/to-white}}{{#to-black}}černé{{/to-black}} proti {{opponent}}.\n\n"
                                "{{>header}}\n\n{{>clock}}\n\n{{>how}}\n",
    "words/cs/commands.txt": "help: nápověda\nresign: vzdávám se\n",
}


class LanguageTest(club.ClubTest):
    def begin(self, rules="iecc", extra="", language="it"):
        """Everybody has White against Emi once, and Black."""
        self.place = self.club()
        for name, text in CZECH.items():
            path = self.place.top / "overrides" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        text = self.place.config.read_text(encoding="utf-8").replace(
            "language = en", f"language = {language}\noverrides = {self.place.top}/overrides")
        self.place.config.write_text(text, encoding="utf-8")
        pairs = [(ident, "emi") for ident in LANGUAGES]
        text = club.tournament_text(pairs, start=rfc3339(START), extra=extra).replace(
            "rules = iecc", f"rules = {rules}")
        for ident, code in LANGUAGES.items():
            before, after = text.split(f"[player {ident}]")
            text = before + f"[player {ident}]" + after.replace("language = en", f"language = {code}", 1)
        self.place.import_text(text)
        self.now = START + 5 * MINUTE
        self.serial = 0
        return self.place.once(self.now)

    def say(self, text, mail, quote=True):
        when = self.now + MINUTE
        self.serial += 1
        self.place.drop(mailers.letter(mail, mail.to, when, text, quote=quote, serial=self.serial), when)
        self.now = when + MINUTE
        mails = self.place.once(self.now)
        return mails, self.place.messages()[-1]["verdict"]

    def test_each_reader_his_own(self):
        mails = self.begin()
        for ident, code in LANGUAGES.items():
            with self.subTest(code):
                pairing, = club.find(mails, "pairing", address_of(ident))
                self.assertIn(BEGINS[code], " ".join(pairing.text.split()))
                self.assertIn(DATES[code], pairing.text)
                answer, verdict = self.say(HELP[code], pairing)
                self.assertEqual((verdict, [mail.kind for mail in answer]), ("command", ["help"]))
                self.assertEqual(answer[0].subject, HELPS[code])
                # A move under the quoted mail, and the arbiter's copy in the club's language.
                answer, verdict = self.say("1. e4", pairing)
                self.assertEqual(verdict, "accepted")
                copy, = club.find(answer, "copy")
                self.assertIn("ha giocato:", copy.text)
                # Her own mail is in English: Emi's language.
                move, = club.find(answer, "move")
                self.assertIn("has played:", move.text)
                answer, verdict = self.say("1... e5", move)
                self.assertEqual(verdict, "accepted")
                # What is quoted of a mail in any language is no second answer.
                move, = club.find(answer, "move")
                answer, verdict = self.say("2. Nf3", move)
                self.assertEqual(verdict, "accepted")
                answer, verdict = self.say("3. Bb5", move)
                self.assertEqual(verdict, "not-your-turn")
                self.assertEqual(answer[0].kind, "refusal")

    def test_every_system(self):
        """Moves that are typed behind the last line of the quoted mail, under each system's rules."""
        systems = {"razsh": "", "razsh-post": "", "mclink": "moves-per-manche = 10\nstandard-hours = 480"}
        for rules, extra in systems.items():
            with self.subTest(rules):
                mails = self.begin_in(rules, extra)
                for ident, code in LANGUAGES.items():
                    mail, = club.find(mails, "pairing", address_of(ident))
                    for text in ("e4", "e5", "Nf3", "Nc6"):
                        reply = f"{mailers.quoted(mail.text)} {text}"
                        answer, verdict = self.say(reply, mail, quote=False)
                        self.assertEqual(verdict, "accepted", (code, reply))
                        mail, = club.find(answer, "move")

    def begin_in(self, rules, extra):
        self.folder = self.folder / rules
        self.folder.mkdir()
        return self.begin(rules, extra)

    def test_faults_are_told(self):
        self.begin()
        path = self.place.top / "overrides/templates/cs/pairing.txt"
        path.write_text("Subject: x\n\n{{days-left|den|dny}} {{nothing}}\n", encoding="utf-8")
        done = self.place.run(club.DAEMON, "--config", self.place.config, "--check")
        self.assertEqual(done.returncode, 78)
        self.assertEqual([line.split(": ")[0] for line in done.stderr.strip().split("\n")],
                         [f"{path}:3", f"{path}:3"], done.stderr)
        path.write_text(CZECH["templates/cs/pairing.txt"], encoding="utf-8")
        done = self.place.run(club.DAEMON, "--config", self.place.config, "--check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
