"""Playing a tournament: a runner that keeps the store, and workers that keep the clocks.

Nothing but the referee runs in a worker, so that no commit and no rating ever delays a clock.
"""
