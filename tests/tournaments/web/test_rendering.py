"""Templates: parts that are kept are what would be written anew, and dicts are read as ever."""

from __future__ import annotations

from functools import partial

from jinja2 import Environment
from markupsafe import Markup, escape

from tournaments.web.rendering import ENVIRONMENT, FragmentCache


def test_a_part_is_written_once_for_the_same_and_anew_for_anything_else() -> None:
    cached, written = FragmentCache(), list[int]()

    def write() -> Markup:
        written.append(len(written))
        return escape(written[-1])

    assert cached("table", [{"mu": 25.0}], caller=write) == "0"
    assert cached("table", [{"mu": 25.0}], caller=write) == "0"
    assert cached("table", [{"mu": 25.1}], caller=write) == "1"
    assert cached("history", [{"mu": 25.0}], caller=write) == "2"
    assert cached("table", [{"mu": 25.0}], caller=write) == "0"


def test_the_parts_that_were_asked_for_last_are_kept() -> None:
    cached = FragmentCache(size=2)
    for number in (1, 2, 1, 3):
        cached(number, caller=partial(escape, number))
    assert [cached(number, caller=partial(escape, "anew")) for number in (1, 3)] == ["1", "3"]
    assert cached(2, caller=partial(escape, "anew")) == "anew"


def test_a_kept_part_is_escaped_like_the_rest_of_the_page() -> None:
    page = ENVIRONMENT.from_string("{% call cached(name) %}<b>{{ name }}</b>{% endcall %}")
    for _ in range(2):
        assert page.render(name="<script>") == "<b>&lt;script&gt;</b>"


def test_words_in_templates_mean_what_they_mean_to_jinja() -> None:
    """A bot may be called like a method of dicts, and must not take its place."""
    states = {"get": {"state": "active"}, "ann": {"items": 3}, "x": {"keys": {"a": 1}}}
    text = (
        "{{ s.get('ann')['items'] }} {{ s.ann.items is callable }} {{ s['get'].state }} "
        "{{ s.x['keys'].a }} {{ s.nobody is defined }} {{ s.values() | list | length }}"
    )
    assert ENVIRONMENT.from_string(text).render(s=states) == "3 True active 1 False 3"
    assert (
        Environment(autoescape=True).from_string(text).render(s=states) == "3 True active 1 False 3"
    )
