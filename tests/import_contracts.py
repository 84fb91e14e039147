"""A contract of our own for import-linter: packages are imported through their ``__init__``."""

from __future__ import annotations

from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class EntryPointContract(Contract):
    """Each listed package is imported from outside only as the package itself.

    ``public_modules`` lists modules that may be imported directly.
    """

    packages = fields.SetField(subfield=fields.ModuleField())
    public_modules = fields.SetField(subfield=fields.ModuleField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002
        """Find every import of a module inside a package from outside of that package."""
        public = _names(self.public_modules)
        deep = []
        for package in sorted(_names(self.packages)):
            inside = graph.find_descendants(package)
            for imported in sorted(inside - public):
                deep += [
                    (importer, imported, package)
                    for importer in sorted(graph.find_modules_that_directly_import(imported))
                    if importer != package and importer not in inside
                ]
        return ContractCheck(kept=not deep, metadata={"deep": deep})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Name each import, and the package to import from instead."""
        for importer, imported, package in check.metadata["deep"]:
            output.print_error(f"{importer} imports {imported}: import it from {package}.")


def _names(modules: Any) -> set[str]:
    """Return the names in a field; import-linter replaces the field by its values."""
    return {module.name for module in modules or ()}
