"""Tournaments on a Dask cluster of this machine."""
