"""Assertions of the modules beside the tests explain themselves."""

import pytest

pytest.register_assert_rewrite("chaos.run")
