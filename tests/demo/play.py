"""./setup demo: a real correspondence game between two players, relayed from mails alone.

Makes a club in a folder. Mail comes in by one Maildir and goes out by another; no server is
needed. The players answer the mails that they really got, each time with another mail program.
"""
import argparse
import random
import shutil
import sys
from collections import Counter
from datetime import datetime, timedelta, timezone
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/integration"))
sys.dont_write_bytecode = True

import club  # noqa: E402
import mailers  # noqa: E402

PLAYERS = [("keres", "Keres, Paul", "Europe/Tallinn"), ("laurentius", "Laurentius, Leho", "Europe/Berlin")]
ADDRESSES = [club.address_of(ident) for ident, _, _ in PLAYERS]
CODE = "DEMO"


def tournament(code, start, white, black):
    return club.tournament_text([(white, black)], code=code, name="Demonstration match",
                                start=club.rfc3339(start), players=PLAYERS)


def rule(title):
    print(f"\n---- {title} " + "-" * max(0, 72 - len(title)))


def show(mail):
    """One mail, as a mail program shows it."""
    for name in ("From", "To", "Reply-To", "Subject", "Date", "Zugpost-Kind", "Zugpost-Verdict"):
        if mail.message[name]:
            print(f"{name}: {mail.message[name]}")
    print("\n" + mail.text.rstrip("\n"))


def play(place, source, start):
    """The whole game, one message a pass. Returns the instant of its end."""
    chance = random.Random(1934)
    now = start + timedelta(minutes=1)
    mail, = club.find(place.once(now), "pairing", ADDRESSES[0])
    for ply, (san, uci) in enumerate(zip(source["san"], source["uci"])):
        sent = now + timedelta(minutes=chance.randrange(60, 36 * 60))
        style = mailers.STYLES[ply % len(mailers.STYLES)]
        reply = mailers.Reply(mail=mail, sender=ADDRESSES[ply % 2], name=PLAYERS[ply % 2][1].split(",")[0],
                              when=sent, san=san, uci=uci, ply=ply, serial=ply,
                              last=source["san"][ply - 1] if ply else "", chat="With best regards")
        place.drop(style(reply), sent)
        now = sent + timedelta(seconds=chance.randrange(5, 60))
        mails = place.once(now)
        print(f"{sent:%Y-%m-%d %H:%M}  {reply.numbered:<13} {style.__name__:<12} "
              f"-> {', '.join(mail.kind for mail in mails) or 'nothing'}")
        following = club.find(mails, "move", ADDRESSES[1 - ply % 2])
        if not following:
            raise club.ProgramError(f"{reply.numbered} was not relayed: {mails}")
        mail, = following
    return now


def show_post(mails):
    """Who got what, and everybody's last mail in full."""
    readers = sorted({mail.to for mail in mails})
    rule("what everybody got")
    for reader in readers:
        kinds = Counter(mail.kind for mail in mails if mail.to == reader)
        print(f"{reader:<28} {sum(kinds.values()):>4}  "
              + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    for reader in readers:
        got = [mail for mail in mails if mail.to == reader]
        if reader in ADDRESSES:
            moves = club.find(got, "move") or got
            rule(f"a move mail to {reader}")
            show(max(moves, key=lambda mail: mail.ply or 0))
        rule(f"the last mail to {reader}")
        show(([mail for mail in got if mail.kind == "result"] or got)[-1])


def how_to_go_on(place, pairing, programs):
    name = PLAYERS[0][1].split(",")[0]
    rule("going on by hand")
    print(f"""\
A second game has just begun; {name} has White. The mail that asks for the first move:

less {pairing.path}

Answer it, let the daemon make a pass, and see what came of it:

cat > {place.top}/in/new/$(date +%s).byhand <<'MAIL'
From: {name} <{pairing.to}>
To: {pairing.reply_address}
Subject: Re: {pairing.subject}

1. e4
MAIL
{programs}/zugpostd --config {place.config} --once
{programs}/zugpostctl --config {place.config} game {pairing.game}
{programs}/zugpostctl --config {place.config} messages
ls -t {place.top}/out/new | head -n 3

Or leave out --once and let it run: it notices each new file in {place.top}/in/new.
A wrong move, a chat or a mail without the token is as instructive.""")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=Path, default=TOP / "build/release", help="where zugpostd is")
    parser.add_argument("--folder", type=Path, default=TOP / "build/demo", help="made anew each time")
    options = parser.parse_args()
    programs = options.programs.resolve()
    club.DAEMON, club.CONTROL = str(programs / "zugpostd"), str(programs / "zugpostctl")
    folder = options.folder.resolve()
    if folder.exists():
        if not (folder / "club.conf").exists():
            parser.error(f"{folder} is there already and is no demo")
        shutil.rmtree(folder)
    place = club.Club(folder)

    source = club.real_games()[0]
    start = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(days=75)
    print(place.import_text(tournament(CODE, start, "keres", "laurentius"), "demo.ini").rstrip())
    rule("the game: when it was sent, the move, the mail program, the mails it caused")
    end = play(place, source, start)
    mails = place.all_mails()
    show_post(mails)

    rule("the record")
    result = club.find(mails, "result", ADDRESSES[0])
    game = place.json("game", f"{CODE}/1", "--now", club.rfc3339(end))
    record = result[0].text[result[0].text.index("[Event "):] if result else ""
    print(record.rstrip())
    _, san, outcome = club.pgn_of(record)
    if (san, outcome, game["uci"]) != (source["san"], source["result"], source["uci"]):
        print("\nThis is NOT the game that was fed.", file=sys.stderr)
        return 1
    print(f"\nEqual to the game that was fed: {len(san)} plies, {outcome}, {game['termination']}.")

    place.import_text(tournament(f"{CODE}-2", datetime.now(timezone.utc).replace(microsecond=0), "keres",
                                 "laurentius"), "byhand.ini")
    pairing, = club.find(place.once(datetime.now(timezone.utc)), "pairing", ADDRESSES[0])
    how_to_go_on(place, pairing, programs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
