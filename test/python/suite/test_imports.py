"""Tests that the modules of the package import each other in one direction."""

from __future__ import annotations

import ast
import unittest
from graphlib import TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[3] / "shared/client/python/countersign"


def imports_of(file: Path) -> set[str]:
    """The modules of the package that a file imports, those for its types among them."""
    nodes = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ImportFrom) and node.level]
    return {node.module or "__init__" for node in nodes}


class TestImports(unittest.TestCase):
    def test_no_module_is_imported_in_a_circle(self) -> None:
        modules = {file.stem: imports_of(file) for file in PACKAGE.glob("*.py")}
        self.assertGreater(len(modules), 20)
        order = [*TopologicalSorter(modules).static_order()]
        self.assertLess(order.index("exchange"), order.index("guard"))
