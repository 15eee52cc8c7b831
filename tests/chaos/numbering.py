"""The sequence numbers of one table, as docs/schema.md promises them."""


class Numbering:
    """Field 43: each is above all before it, and one more than the last, unless
    the table begins."""

    def __init__(self):
        self.last = 0
        self.seen = {}          # sequence -> what it said
        self.gap = True         # before the next update it means nothing
        self.removed = True     # its peer may have been: the table begins again
        self.restart = False    # of a collector without state: at 1 again

    def resync(self, new_collector):
        """What was published before may be missing, with a Peer Down in it."""
        self.gap = self.removed = True
        self.restart |= new_collector

    def remove_peer(self):
        """By a Peer Down with reason 5."""
        self.removed = True

    def falls_back(self, number):
        return (self.gap or self.removed) and number == 1 and self.last > 0

    def accept(self, number, content):
        """Whether the update is new, and the rule it breaks, if any."""
        rule = None
        if self.restart and number <= self.last:
            self.last, self.seen = 0, {}
        elif self.falls_back(number):
            # Taken as a beginning, so that one breach is not a thousand.
            rule = "sequence-falls-back"
            self.last, self.seen = 0, {}
        self.restart = False
        if number <= self.last:
            same = self.seen.get(number) == content
            return False, None if same else "sequence"
        jumps = number != self.last + 1
        if jumps and not self.gap and not self.removed:
            rule = "sequence"
        # The routes of a removed peer are withdrawn under the old numbers, and
        # then the table begins: behind a resync that is a second gap.
        withdraw = content[1] is None
        self.removed &= withdraw and (self.gap or not jumps)
        self.gap = False
        self.last = number
        self.seen[number] = content
        return True, rule
