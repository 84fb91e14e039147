"""The keys of a tournament file that let its schedule grow until a question is settled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final

from pydantic import AfterValidator

from engine import did_you_mean
from tournaments.config.schema import Between, Text, must_be
from tournaments.config.toml_reader import TomlFile, quoted, shortened
from tournaments.model import DIFFERENCE, Deals, Format, GameSettings, StopRule, is_question

MOST_SETS: Final = 100_000
CONFIDENCES: Final = (0.5, 0.999)
MARGINS: Final = (0.001, 1)
COMPARISON_SETS: Final = 1000
"""How many sets a comparison has at most, unless the file says otherwise."""
_OF_A_COMPARISON: Final = ("baseline", "same_table", "margin")


def _check_question(value: str) -> str:
    if not is_question(value):
        raise must_be('"leader", "top N" with a number, as in "top 3", or "all"')
    return value


Question = Annotated[str, Text(), AfterValidator(_check_question)] | None
Confidence = Annotated[float, Between(*CONFIDENCES, unit="")]
MostSets = Annotated[int, Between(1, MOST_SETS)] | None
Margin = Annotated[float, Between(*MARGINS, unit=" of points")] | None


def read_stop(
    file: TomlFile, top: Any, names: Sequence[str], games: Sequence[GameSettings]
) -> StopRule | None:
    """Return when the tournament stops; None if its schedule is fixed. Mistakes are reported."""
    if top.format is Format.COMPARISON:
        _check_comparison(file, top, names)
        return StopRule(DIFFERENCE, top.confidence, top.max_sets or COMPARISON_SETS, top.margin)
    for key in _OF_A_COMPARISON:
        if key in file.values:
            file.report(f'{key} goes with format = "comparison", and only there.', key)
    if top.stop_when is None:
        for key in ("confidence", "max_sets"):
            if key in file.values and "stop_when" not in file.values:
                remedy = 'write stop_when = "leader", or leave it out'
                file.report(f"{key} goes with stop_when: {remedy}.", key)
        return None
    rule = StopRule(top.stop_when, top.confidence)
    if top.max_sets is not None:
        rule = StopRule(top.stop_when, top.confidence, top.max_sets)
    first = max((each.sets_per_table for each in games), default=0)
    _check_rule(file, rule, top.format, names, first)
    return rule


def _check_rule(
    file: TomlFile, rule: StopRule, form: Format, names: Sequence[str], first: int
) -> None:
    if form not in (Format.ROUND_ROBIN, Format.GAUNTLET):
        needed = f"not with {quoted(form)}, whose rounds end by themselves"
        file.report(f'stop_when goes with "round_robin" and "gauntlet", {needed}.', "stop_when")
    if rule.top is not None and rule.top >= len(names) > 1:
        file.report(
            f"stop_when is {quoted(rule.question)}, but there are {len(names)} entrants: ask for "
            "fewer than there are.",
            "stop_when",
        )
    if first > rule.max_sets:
        key = "max_sets" if "max_sets" in file.values else "stop_when"
        file.report(
            f"sets_per_table is {first}, with which the tournament begins, but max_sets is "
            f"{rule.max_sets}: give a larger max_sets.",
            key,
        )


def _check_comparison(file: TomlFile, top: Any, names: Sequence[str]) -> None:
    if "stop_when" in file.values:
        sentence = "a comparison stops when the difference is known: leave stop_when out."
        file.report(sentence, "stop_when")
    if top.deals is Deals.FRESH:
        file.report('a comparison plays the same deals: leave deals = "fresh" out.', "deals")
    if "baseline" not in file.values:
        meaning = "the name of the entrant that the challenger is compared with"
        file.report(f'a comparison needs a baseline: write baseline = "…", {meaning}.', "format")
    elif top.baseline is not None and top.baseline not in names:
        hint = did_you_mean(shortened(top.baseline), names)
        sentence = f"the baseline {quoted(top.baseline)} is not among the entrants.{hint}"
        file.report(sentence, "baseline")
    elif top.baseline is not None and top.baseline == top.challenger:
        file.report("the challenger is compared with itself: name another baseline.", "baseline")
