"""What becomes of mails that a server does not take at once, or takes and sends back: when
they are tried again, in which order, whose time runs meanwhile, and who is told.
"""
import os
import resource
import select
import signal
import subprocess
import unittest
from datetime import timedelta
from email.utils import format_datetime

import smtp
from club import DAEMON, DIRECTOR, Mail, address_of, find, instant, rfc3339
from mailers import assemble, letter
from smtp import DAY, HOUR, MINUTE, START

ANNA, BRUNO, ADMIN = address_of("anna"), address_of("bruno"), "postmaster@club.example"
ADMIN = "postmaster@club.example"


class OutboxTest(smtp.SmtpTest):
    """One game; anna has moved, and the server says about bruno's mails what a test wants."""

    def setUp(self):
        super().setUp()
        self.verdicts = {}
        self.mails_server = self.tls_server(script={"RCPT": self.verdicts.get})
        self.place = self.smtp_club(self.mails_server)
        self.seen = 0
        self.now = START
        self.assertEqual({mail.to for mail in self.step()}, {ANNA, BRUNO})

    def step(self, after=timedelta(), code=0):
        """A pass so much later; the mails that came to the server in it."""
        self.now += after
        self.done = self.run_pass(self.place, self.now)
        self.assertEqual(self.done.returncode, code, self.done.stderr)
        return self.arrived()

    def arrived(self):
        mails = []
        taken = self.mails_server.mails
        for number, mail in enumerate(taken[self.seen:], self.seen):
            path = self.place.top / f"{number}.eml"
            path.write_bytes(f"Return-Path: <{mail.sender}>\nDelivered-To: {mail.recipients[0]}\n"
                             .encode() + mail.data.replace(b"\r\n", b"\n"))
            mails.append(Mail(path))
        self.seen = len(taken)
        self.mails = getattr(self, "mails", []) + mails
        return mails

    def last(self, to, kind):
        return find(self.mails, kind, to)[-1]

    def says(self, sender, kind, text, **options):
        """A player answers the last mail of a kind that he has got."""
        self.place.drop(letter(self.last(sender, kind), sender, self.now, text, **options), self.now)

    def anna_moves(self):
        self.says(ANNA, "pairing", "1. e4")

    def outbox(self, **wanted):
        return [row for row in self.place.json("outbox")
                if all(row[key] == value for key, value in wanted.items())]

    @property
    def deadline(self):
        return self.place.game(1)["deadline"]


class Later(OutboxTest):
    def test_time_starts_when_it_is_taken(self):
        self.verdicts[BRUNO] = "451 4.3.0 not now"
        self.anna_moves()
        self.assertEqual([(mail.kind, mail.to) for mail in self.step()],
                         [("receipt", ANNA), ("copy", DIRECTOR)])
        self.assertIsNone(self.deadline)
        row, = self.outbox(recipient=BRUNO)
        self.assertEqual((row["kind"], row["state"], row["attempts"]), ("move", "waiting", 1))
        self.assertIn("451 4.3.0 not now", row["error"])
        self.assertEqual(instant(row["next_attempt"]), self.now + MINUTE)
        self.assertEqual(self.step(3 * HOUR), [])
        self.assertEqual(instant(self.outbox()[0]["next_attempt"]), self.now + 2 * MINUTE)
        self.verdicts.clear()
        self.assertEqual([mail.to for mail in self.step(3 * DAY)], [BRUNO])
        # IECC 7.5: the eleventh day in Rome is too late; the day of arrival does not count.
        self.assertEqual(instant(self.deadline), instant("2026-01-23T23:00:00Z"))

    def test_a_later_mail_does_not_overtake(self):
        self.verdicts[BRUNO] = "451 4.3.0 not now"
        self.anna_moves()
        self.step()
        # Bruno writes without a move: the answer waits behind the move.
        self.says(BRUNO, "pairing", "Hello, what is the matter?", quote=False)
        self.assertEqual(find(self.step(MINUTE), to=BRUNO), [])
        move, refusal = self.outbox(recipient=BRUNO)
        self.assertEqual((move["kind"], refusal["kind"]), ("move", "refusal"))
        self.assertEqual((refusal["attempts"], refusal["behind"]), (0, move["id"]))
        self.assertIn(f"waits behind mail {move['id']}", self.place.control("outbox"))
        self.verdicts.clear()
        self.assertEqual([mail.kind for mail in self.step(MINUTE)], ["move", "refusal"])
        self.assertEqual(self.outbox(), [])

    def test_it_is_given_up_after_five_days(self):
        self.verdicts[BRUNO] = "452 4.2.2 over quota"
        self.anna_moves()
        self.step()
        self.assertEqual(self.step(4 * DAY), [])
        mails = self.step(DAY)
        self.assertEqual({(mail.kind, mail.to) for mail in mails},
                         {("bounce-notice", ANNA), ("bounce-notice", DIRECTOR),
                          ("admin", ADMIN)})
        self.assertIn("over quota", mails[0].text)
        self.assertEqual(self.outbox()[0]["state"], "failed")
        self.assertIsNone(self.deadline)

    def test_enhanced_codes(self):
        for reply, state in (("552 5.2.2 mailbox full", "waiting"), ("550 5.7.1 policy", "waiting"),
                             ("450 4.1.1 perhaps", "waiting"), ("500 what", "waiting"),
                             ("550 5.1.1 nobody of that name", "failed"), ("550 no", "failed"),
                             ("553 5.1.3 syntax", "failed"), ("552 5.3.4 too big", "failed"),
                             ("550 5.4.1 no route", "failed"), ("554 5.2.1 disabled", "failed")):
            with self.subTest(reply):
                club = self.smtp_club(self.mails_server, name=reply.replace(" ", "-"))
                self.verdicts[BRUNO] = reply
                self.assertEqual(self.run_pass(club).returncode, 0)
                rows = [row for row in club.json("outbox") if row["recipient"] == BRUNO]
                self.assertEqual([row["state"] for row in rows], [state])
                self.assertIn(reply.split(" ", 1)[1], rows[0]["error"])

    def test_policy_is_believed_when_others_get_through(self):
        self.verdicts[BRUNO] = "550 5.7.1 no"
        self.anna_moves()
        self.step()
        for _ in range(4):
            self.step(HOUR)
        self.assertEqual(self.outbox()[0]["state"], "waiting")
        mails = self.step(HOUR)
        self.assertEqual({mail.kind for mail in mails}, {"bounce-notice", "admin"})

    def test_policy_against_all_of_us_waits(self):
        for address in (ANNA, BRUNO, DIRECTOR):
            self.verdicts[address] = "554 5.7.1 relay access denied"
        self.anna_moves()
        for _ in range(8):
            self.step(HOUR)
        self.assertEqual({row["state"] for row in self.outbox()}, {"waiting"})

    def test_what_a_server_says_is_not_told_on(self):
        token = self.last(BRUNO, "pairing").reply_address.split("+")[1].split("@")[0]
        self.verdicts[BRUNO] = f"451 4.1.8 <moves+{token}@club.example> and {token} and {smtp.PASSWORD}?"
        self.anna_moves()
        self.step()
        row, = self.outbox(recipient=BRUNO)
        self.assertNotIn(token, row["error"])
        self.assertNotIn(smtp.PASSWORD, row["error"])

    def test_pairs_that_are_refused_do_not_block_a_connection(self):
        self.verdicts[BRUNO] = "550 5.1.1 nobody"
        before = self.mails_server.connections
        self.anna_moves()
        self.step()
        self.assertEqual(self.mails_server.connections, before + 1)
        self.assertIn("RSET", self.mails_server.commands)


class Never(OutboxTest):
    def test_everybody_is_told_and_a_new_address_gets_it(self):
        self.verdicts[BRUNO] = "550 5.1.1 no such user"
        self.anna_moves()
        mails = self.step()
        self.assertEqual({(mail.kind, mail.to) for mail in mails},
                         {("receipt", ANNA), ("copy", DIRECTOR), ("bounce-notice", ANNA),
                          ("bounce-notice", DIRECTOR),
                          ("admin", ADMIN)})
        self.assertEqual(self.outbox()[0]["why"], "refused for good")
        self.assertIsNone(self.deadline)
        first = self.last(BRUNO, "pairing").reply_address
        self.place.control("player", "bruno", "--email", "bruno@new.example", "--now",
                           rfc3339(self.now))
        move = find(self.step(HOUR), "move")[0]
        self.assertEqual((move.to, move.message["To"].addresses[0].addr_spec),
                         ("bruno@new.example", "bruno@new.example"))
        # Under the token that proves him from now on.
        self.assertNotEqual(move.reply_address, first)
        self.assertEqual(move.return_path, f"<{move.reply_address}>")
        self.assertIsNotNone(self.deadline)
        self.place.drop(letter(move, "bruno@new.example", self.now, "1... e5"), self.now)
        self.step(HOUR)
        self.assertEqual(self.place.game(1)["uci"], ["e2e4", "e7e5"])

    def test_he_himself_is_told_at_his_other_address(self):
        self.place.control("player", "bruno", "--email", f"{BRUNO}, second@players.example")
        self.step()
        self.verdicts[BRUNO] = "550 5.1.1 no such user"
        self.anna_moves()
        notices = find(self.step(), "bounce-notice")
        self.assertEqual({mail.to for mail in notices}, {ANNA, DIRECTOR, "second@players.example"})
        own, = find(notices, to="second@players.example")
        self.assertIn("could not be delivered to another address of yours", " ".join(own.text.split()))
        self.assertEqual(self.place.json("player", "bruno")["email"], [BRUNO, "second@players.example"])

    def test_retry(self):
        self.verdicts[BRUNO] = "550 5.1.1 no such user"
        self.anna_moves()
        self.step()
        row, = self.outbox()
        self.verdicts.clear()
        self.place.control("retry", row["id"])
        self.assertEqual([mail.to for mail in self.step(HOUR)], [BRUNO])
        self.assertIsNotNone(self.deadline)
        self.place.control("retry", row["id"], code=1)
        self.place.control("retry", 999, code=1)
        self.place.control("retry", "x", code=2)


def report(mail, when, action="failed", status="5.1.1", recipient=None, to=None, original=True):
    """A report of delivery about MAIL (RFC 3464)."""
    mark = "part"
    headers = mail.raw.decode("ascii").split("\n\n")[0].split("\n", 2)[2]
    lines = ["Return-Path: <>", f"Delivered-To: {to or mail.return_path.strip('<>')}",
             "From: MAILER-DAEMON@mx.players.example", f"To: {to or mail.return_path.strip('<>')}",
             "Subject: Delivery Status Notification", f"Date: {format_datetime(when)}",
             f"Message-ID: <{when.timestamp()}.{action}@mx.players.example>", "MIME-Version: 1.0",
             f'Content-Type: multipart/report; report-type=delivery-status; boundary="{mark}"']
    body = (f"--{mark}\n\nA report.\n\n--{mark}\nContent-Type: message/delivery-status\n\n"
            f"Reporting-MTA: dns; mx.players.example\n\n"
            f"Original-Recipient: rfc822;{recipient or mail.to}\n"
            f"Final-Recipient: rfc822;elsewhere@inside.example\nAction: {action}\nStatus: {status}\n"
            f"Diagnostic-Code: smtp; 550 5.1.1 user unknown in this house\n\n")
    if original:
        body += f"--{mark}\nContent-Type: text/rfc822-headers\n\n{headers}\n\n"
    return assemble(lines, (body + f"--{mark}--\n").encode())


def prose(mail, when, subject, text):
    """What Exim and qmail write."""
    headers = mail.raw.decode("ascii").split("\n\n")[0].split("\n", 2)[2]
    lines = ["Return-Path: <>", f"Delivered-To: {mail.return_path.strip('<>')}",
             "From: Mail Delivery System <Mailer-Daemon@mx.players.example>",
             f"To: {mail.return_path.strip('<>')}", f"Subject: {subject}",
             f"Date: {format_datetime(when)}", f"Message-ID: <{when.timestamp()}@mx.players.example>",
             "Auto-Submitted: auto-replied"]
    body = (f"This message was created automatically by mail delivery software.\n\n{text}\n\n"
            f"  {mail.to}\n\n------ This is a copy of the message's headers. ------\n\n{headers}\n")
    return assemble(lines, body.encode())


class Returned(OutboxTest):
    """The server took the mail, and another one sends it back."""

    def setUp(self):
        super().setUp()
        self.anna_moves()
        self.step()
        self.move = self.last(BRUNO, "move")
        self.running = self.deadline
        self.assertIsNotNone(self.running)

    def comes_back(self, raw, after=HOUR):
        self.now += after
        self.place.drop(raw, self.now)
        mails = self.step()
        self.assertEqual(self.place.messages()[-1]["verdict"], "bounce")
        return mails

    def assert_stopped(self, mails, words):
        self.assertEqual({(mail.kind, mail.to) for mail in mails},
                         {("bounce-notice", ANNA), ("bounce-notice", DIRECTOR), ("admin", ADMIN)})
        for mail in find(mails, "bounce-notice"):
            self.assertIn(words, mail.text)
            self.assertNotIn(BRUNO, mail.text)
        self.assertIsNone(self.deadline)
        row, = self.outbox()
        self.assertEqual((row["state"], row["returned"]), ("failed", rfc3339(self.now)))
        self.assertRegex(row["why"], "returned")

    def assert_unmoved(self, mails):
        self.assertEqual(mails, [])
        self.assertEqual(self.deadline, self.running)
        self.assertEqual(self.outbox(), [])

    def test_a_report_stops_the_clock_until_the_next_delivery(self):
        self.assert_stopped(self.comes_back(report(self.move, self.now)), "user unknown in this house")
        # The same report by another way changes nothing.
        self.assertEqual(self.comes_back(report(self.move, self.now + MINUTE)), [])
        self.place.control("retry", self.outbox()[0]["id"])
        again, = self.step(DAY)
        self.assertEqual((again.id, again.to), (self.move.id, BRUNO))
        self.assertEqual(instant(self.deadline) - instant(self.running), DAY)

    def test_by_the_envelope_alone(self):
        self.assert_stopped(self.comes_back(report(self.move, self.now, original=False)), "550 5.1.1")

    def test_in_prose(self):
        self.assert_stopped(self.comes_back(prose(
            self.move, self.now, "Mail delivery failed: returning message to sender",
            "A message that you sent could not be delivered to one or more of its\nrecipients. "
            "This is a permanent error. The following address failed:")), "permanent error")

    def test_what_is_no_failure_of_this_mail(self):
        stranger = "moves@club.example"
        for name, raw in (
                ("delayed", report(self.move, self.now, "delayed", "4.4.1")),
                ("relayed", report(self.move, self.now, "relayed", "2.0.0")),
                ("delayed in prose", prose(
                    self.move, self.now, "Warning: message 1abc delayed 24 hours",
                    "A message that you sent has not yet been delivered. No action is required.\n"
                    "The address to which it could not be delivered yet is:")),
                ("no token, and somebody else", report(self.move, self.now, recipient="x@y.example",
                                                       to=stranger)),
                ("no token, and no message", report(self.move, self.now, to=stranger,
                                                    original=False))):
            with self.subTest(name):
                self.assert_unmoved(self.comes_back(raw, MINUTE))

    def test_behind_the_answer(self):
        self.says(BRUNO, "move", "1... e5")
        self.step(HOUR)
        before = self.deadline
        self.assertEqual(self.comes_back(report(self.move, self.now)), [])
        self.assertEqual(self.deadline, before)


class Full(OutboxTest):
    """Our own disk is full: no file may grow beyond a size."""

    def test_no_mail_is_lost_or_doubled(self):
        self.anna_moves()
        outcomes, size = [], 30_000
        while 0 not in outcomes:
            def limit(most=size):
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            # What would kill us says EFBIG instead, as a full disk says ENOSPC.
            done = subprocess.run(
                [DAEMON, "--config", str(self.place.config), "--once", "--now", rfc3339(self.now)],
                env=self.place.environment(), preexec_fn=limit, restore_signals=False,
                stderr=subprocess.PIPE, stdout=subprocess.PIPE, timeout=60, check=False)
            outcomes.append(done.returncode)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            size += size // 4
        self.assertGreater(len(outcomes), 3)
        self.step()
        self.assertEqual(self.place.game(1)["uci"], ["e2e4"])
        self.assertEqual(self.outbox(), [])
        ids = [mail.id for mail in self.mails_server.mails]
        self.assertEqual(len(set(ids)), 5)
        # What the server had taken when the note of it failed came again as the same mail.
        self.assertEqual({mail.kind for mail in self.mails}, {"pairing", "move", "receipt", "copy"})


class Daemon(OutboxTest):
    """The daemon that runs on, by the clock of the machine."""

    def start(self):
        process = subprocess.Popen([DAEMON, "--config", str(self.place.config)],
                                   env=self.place.environment(), stderr=subprocess.PIPE)
        self.addCleanup(self.stop, process)
        return process

    def stop(self, process):
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(timeout=20)
        process.stderr.close()

    def wait_for(self, process, words, seconds=20):
        """Reads the log until WORDS come; what was read."""
        log = ""
        while words not in log:
            if not select.select([process.stderr], [], [], seconds)[0]:
                self.fail(f"no {words!r} in {log}")
            part = os.read(process.stderr.fileno(), 65536)
            if not part:
                self.fail(f"the daemon has ended: {log}")
            log += part.decode()
        return log

    def test_down_and_up_again(self):
        self.mails_server.script["MAIL"] = "451 4.3.0 in a moment"
        self.anna_moves()
        process = self.start()
        self.wait_for(process, "waits: ")
        rows = self.outbox(kind="move")
        self.assertEqual(rows[0]["attempts"], 1)
        self.mails_server.script = {"MAIL": smtp.EOF, "EHLO": smtp.EOF}
        self.place.control("retry", rows[0]["id"])
        self.wait_for(process, "cannot be reached: ")
        self.assertRegex(self.place.control("outbox"), "cannot be reached since")
        self.mails_server.script = {}
        self.place.control("retry", rows[0]["id"])
        log = self.wait_for(process, "can be reached again")
        self.assert_silent(self.place, log)
        self.stop(process)
        self.assertIn((BRUNO, "move"), [(mail.to, mail.kind) for mail in self.arrived()])


if __name__ == "__main__":
    unittest.main(verbosity=2)
