"""The version of Highstreet, read by the build and by ``highstreet --version``."""

__version__ = "0.2.0.dev0"
