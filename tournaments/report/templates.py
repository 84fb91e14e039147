"""Templates of the report and of the league pages: one set of rules, one set of plots."""

from __future__ import annotations

from typing import Any, Final

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

_DICT_METHODS: Final = frozenset(dir(dict))


class TemplateEnvironment(Environment):
    """Templates of a folder in a package, which may import ``plots.html.jinja`` of the report.

    A dict is read directly; nearly everything that pages show is in dicts, and looking up an
    attribute of the dict first took a fifth of the time of a page. The result is the same as in
    jinja: a method of dicts comes before an item, so that a bot may be called "get".
    """

    def __init__(self, package: str, folder: str) -> None:
        loaders = [PackageLoader(package, folder), PackageLoader("tournaments.report", "")]
        super().__init__(
            loader=ChoiceLoader(loaders),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return the value of ``obj.attribute`` in a template."""
        if type(obj) is dict and attribute in obj and attribute not in _DICT_METHODS:
            return obj[attribute]
        return super().getattr(obj, attribute)
