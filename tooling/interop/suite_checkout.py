"""A plugin of pytest: tests from a checkout of OpenHands find the package of it that no release at the index has."""

import sys


def pytest_configure(config):
    sys.path.insert(0, str(config.rootpath / "openhands-workspace"))
    import openhands

    openhands.__path__ = [*openhands.__path__, str(config.rootpath / "openhands-workspace" / "openhands")]
