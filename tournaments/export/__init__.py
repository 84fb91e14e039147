"""Records for other programs: tables, Parquet and CSV files."""

from __future__ import annotations

from tournaments.export.rows import ABOUT, about_league
from tournaments.export.tables import CsvTable, Exporter, MakeTable, csv_cell, two_tables

__all__ = [
    "ABOUT",
    "CsvTable",
    "Exporter",
    "MakeTable",
    "about_league",
    "csv_cell",
    "two_tables",
]
