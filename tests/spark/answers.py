"""Rows in a form that can be compared, whoever made them."""

import datetime


def plain(value):
    """Times with a zone as UTC, -0.0 as 0.0, NaN as itself; nested likewise."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.timezone.utc)
    if isinstance(value, float):
        return "NaN" if value != value else value + 0.0
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def of(table):
    """All rows of an Arrow table, sorted; columns of one name are told apart by their place."""
    columns = [column.to_pylist() for column in table.columns]
    return sorted(repr([plain(value) for value in row]) for row in zip(*columns))
