"""An IECC clock of its own, from the articles alone: what the programs are compared with.

Days by local dates (7.2, 7.3), the window of ten moves (7.4), the cap of one move (7.5), the
day of penalty for an illegal move (7.8).
"""
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

MOVE_DAYS, WINDOW_DAYS, WINDOW_MOVES, REMIND_DAYS = 10, 30, 10, 5


def local_date(when: datetime, zone: str) -> date:
    return when.astimezone(ZoneInfo(zone)).date()


def start_of(day: date, zone: str) -> datetime:
    """The first instant whose local date is DAY or later."""
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=timezone.utc)
    low, high = noon - timedelta(hours=48), noon + timedelta(hours=48)
    step = timedelta(minutes=15)
    while low < high and local_date(low, zone) < day:
        low += step
    return low


class Side:
    def __init__(self, zone):
        self.zone = zone
        self.days = []
        self.penalties = []
        self.pending = 0
        self.arrival = None

    def sum_of_last(self, count):
        if count <= 0:
            return 0
        return sum(self.days[-count:]) + sum(self.penalties[-count:])

    def count(self, when):
        return max(0, (local_date(when, self.zone) - self.arrival).days)

    def limit(self):
        """How many days the running move may take."""
        return min(MOVE_DAYS, WINDOW_DAYS - self.sum_of_last(WINDOW_MOVES - 1) - self.pending)

    def deadline(self) -> datetime:
        return start_of(self.arrival + timedelta(days=self.limit() + 1), self.zone)


class Clock:
    """Both sides of one game."""

    def __init__(self, white_zone, black_zone):
        self.sides = {"white": Side(white_zone), "black": Side(black_zone)}
        self.turn = "white"
        self.ledger = []
        self.over = False

    @property
    def mover(self) -> Side:
        return self.sides[self.turn]

    def start(self, when):
        self.mover.arrival = local_date(when, self.mover.zone)

    def illegal(self):
        self.mover.pending += 1

    def move(self, sent, delivered, last=False):
        side = self.mover
        days = side.count(sent)
        side.days.append(days)
        side.penalties.append(side.pending)
        side.pending = 0
        self.ledger.append({"ply": len(self.ledger) + 1, "by": self.turn, "days": days,
                            "penalty": side.penalties[-1],
                            "sum": side.sum_of_last(WINDOW_MOVES)})
        side.arrival = None
        self.turn = "black" if self.turn == "white" else "white"
        self.over = last
        if not last:
            self.mover.arrival = local_date(delivered, self.mover.zone)

    def deadline(self):
        return None if self.over else self.mover.deadline()

    def reminder(self):
        """IECC 7.11: the start of the day that counts as the sixth."""
        return start_of(self.mover.arrival + timedelta(days=REMIND_DAYS + 1), self.mover.zone)

    def expected(self, colour, now):
        """What clock-json.md names for one player's state at NOW."""
        side = self.sides[colour]
        state = {"days": side.days, "penalties": side.penalties,
                 "last_window_sum": side.sum_of_last(WINDOW_MOVES),
                 "next_move_base": side.sum_of_last(WINDOW_MOVES - 1)}
        if not self.over and self.turn == colour:
            days = side.count(now)
            window = side.sum_of_last(WINDOW_MOVES - 1) + side.pending + days
            state["running"] = {
                "move": len(side.days) + 1, "arrival": side.arrival.isoformat(), "days": days,
                "penalty": side.pending, "window_sum": window, "window_left": WINDOW_DAYS - window,
                "move_left": MOVE_DAYS - days,
                "overstep_at": side.deadline().strftime("%Y-%m-%dT%H:%M:%SZ"),
            }
        return state
