"""pgn_readers.py REWRITE [--npm]: other programs read the PGN that REWRITE writes.

The games of tests/data/chess/games.pgn are written in all three styles. pgn-extract must find no
fault and give the moves of games.uci. With --npm, two JavaScript libraries from the npm
registry (chess.js, kokopu) are installed into a temporary folder and must read the same moves.
Exit code 77 when pgn-extract or npm is not installed.
"""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "data/chess"
STYLES = ("export", "iecc", "iccf")
LIBRARIES = {"chess.js": "1.4.0", "kokopu": "4.13.4"}

SCRIPT = """
const fs = require('fs');
const games = JSON.parse(fs.readFileSync(process.argv[2]));
const library = process.argv[3];
for (const text of games) {
  if (library === 'chess.js') {
    const { Chess } = require('chess.js');
    const chess = new Chess();
    chess.loadPgn(text, { strict: true });
    console.log(chess.history({ verbose: true }).map(m => m.lan || m.from + m.to + (m.promotion || '')).join(' '));
  } else {
    const { pgnRead } = require('kokopu');
    const game = pgnRead(text, 0);
    const moves = [];
    for (let node = game.mainVariation().first(); node; node = node.next()) {
      const position = node.positionBefore();
      moves.push(position.uci(position.notation(node.notation())));
    }
    console.log(moves.join(' '));
  }
}
"""


def write(rewrite, style):
    with open(DATA / "games.pgn", encoding="utf-8") as games:
        return subprocess.run([rewrite, style], stdin=games, capture_output=True, text=True,
                              check=True).stdout


def split_games(text):
    """The games of a file: a tag section and a movetext section each."""
    sections = text.strip().split("\n\n")
    return ["\n\n".join(sections[i:i + 2]) + "\n" for i in range(0, len(sections), 2)]


def compare(what, lines, wanted):
    lines = [line.strip() for line in lines if line.strip()]
    if len(lines) != len(wanted):
        sys.exit(f"{what}: {len(lines)} games, not {len(wanted)}")
    for number, (line, moves) in enumerate(zip(lines, wanted), 1):
        if line != moves:
            sys.exit(f"{what}: game {number} reads {line}")
    print(f"{what}: {len(lines)} games read the same")


def extract_moves(extract, text):
    """The moves of each game as pgn-extract prints them, without results."""
    done = subprocess.run([extract, "--quiet", "-Wuci", "-w", "99999", "--notags", "--noresults"], input=text,
                          capture_output=True, text=True, check=True)
    if done.stderr.strip():
        sys.exit(f"pgn-extract: {done.stderr}")
    return done.stdout.lower().splitlines()


def npm(folder, games, wanted, style):
    path = Path(folder, "games.json")
    path.write_text(json.dumps(games), encoding="utf-8")
    Path(folder, "read.js").write_text(SCRIPT, encoding="utf-8")
    for library in LIBRARIES:
        done = subprocess.run(["node", "read.js", path, library], cwd=folder, capture_output=True,
                              text=True, check=False)
        if done.returncode:
            sys.exit(f"{library}: {done.stderr}")
        compare(f"{library}, {style}", done.stdout.splitlines(), wanted)


def main():
    rewrite, extract = sys.argv[1], shutil.which("pgn-extract") or shutil.which(
        "pgn-extract", path="/usr/games")
    wanted = (DATA / "games.uci").read_text(encoding="utf-8").splitlines()
    if not extract or ("--npm" in sys.argv and not shutil.which("npm")):
        return 77
    with tempfile.TemporaryDirectory() as folder:
        if "--npm" in sys.argv:
            packages = [f"{name}@{version}" for name, version in LIBRARIES.items()]
            subprocess.run(["npm", "install", "--silent", "--no-audit", *packages], cwd=folder,
                           check=True)
        for style in STYLES:
            text = write(rewrite, style)
            compare(f"pgn-extract, {style}", extract_moves(extract, text), wanted)
            if "--npm" in sys.argv:
                npm(folder, split_games(text)[::8], wanted[::8], style)
    return 0


if __name__ == "__main__":
    sys.exit(main())
