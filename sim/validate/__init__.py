"""Physics that can be checked: measured beside expected, case by case."""
