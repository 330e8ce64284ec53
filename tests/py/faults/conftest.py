"""Fixtures for the faults: those of the worker's tests and of the API's that keep to one test."""

from tests.py.api.conftest import own_hub, start_api
from tests.py.worker.conftest import scene, workers

__all__ = ["own_hub", "scene", "start_api", "workers"]
