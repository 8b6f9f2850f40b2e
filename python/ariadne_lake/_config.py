"""The keyword arguments of ``Lake`` as the native library takes them."""

from __future__ import annotations

import difflib
import math
import re
from typing import Any, Mapping

from . import _given, _native
from .errors import InvalidArgument

#: Whole numbers and the least that each may be.
_WHOLE = {
    "threads": 0,
    "large_index_limit": 1,
    "staging_consolidation_threshold": 1,
    "auto_compact_threshold": 0,
    "lock_refresh_interval": 1,
}
_SECONDS = ("lock_timeout", "lock_retry_interval", "lock_max_wait")
_OTHERS = ("memory", "auto_bloom_fpr", "unindexed", "token_time_zone", "path_map", "storage")
#: "row_group_bloom" -> "rowGroupBloom"
_ROW_GROUPS = {re.sub("([A-Z])", r"_\1", name).lower(): name for name in _native.RowGroupOptions.names()}
NAMES = sorted([*_WHOLE, *_SECONDS, *_OTHERS, *_ROW_GROUPS])


def options(config: Mapping[str, Any]) -> tuple[_native.Options, _native.RowGroupOptions]:
    """Raises InvalidArgument that names the setting."""
    result = _native.Options()
    row_groups = _native.RowGroupOptions()
    for name, value in config.items():
        if name in _ROW_GROUPS:
            _set_row_groups(row_groups, name, value)
        elif name in _WHOLE:
            setattr(result, name, _whole(name, value))
        elif name in _SECONDS:
            setattr(result, name, _seconds(name, value))
        elif name in _OTHERS:
            _set_other(result, name, value)
        else:
            near = difflib.get_close_matches(name, NAMES, n=1)
            meant = f"did you mean {near[0]!r}? There are" if near else "there are"
            raise InvalidArgument(f"there is no setting {name!r}: {meant} {', '.join(NAMES)}")
    return result, row_groups


def _refuse(name: str, value: Any, expected: str) -> InvalidArgument:
    return InvalidArgument(f"{name} is {value!r}: give {expected}")


def _whole(name: str, value: Any) -> int:
    least = _WHOLE[name]
    most = 2**31 - 1 if name not in ("large_index_limit", "auto_compact_threshold") else 2**63 - 1
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise _refuse(name, value, f"a whole number, {least} at least")
    return value


def _seconds(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise _refuse(name, value, "a number of seconds, 0 at least")
    return float(value)


def _set_other(result: _native.Options, name: str, value: Any) -> None:
    if name == "memory":
        if isinstance(value, str):
            value = _native.parse_size(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
            raise _refuse(name, value, "bytes, or a size as '2GiB'; 0: a quarter of the machine's")
        result.memory = value
    elif name == "auto_bloom_fpr":
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1:
            raise _refuse(name, value, "a number between 0 and 1")
        result.auto_bloom_fpr = float(value)
    elif name == "unindexed":
        result.set_unindexed(_given.one_of(value, ("include", "exclude", "error"), name))
    elif name == "token_time_zone":
        result.set_token_time_zone(_given.text(value, name))
    elif name == "path_map":
        for begin, place in _given.texts_by_name(value, name).items():
            result.add_path_mapping(begin, place)
    elif name == "storage":
        for key, setting in _given.texts_by_name(value, name).items():
            result.add_storage(key, setting)


def _set_row_groups(row_groups: _native.RowGroupOptions, name: str, value: Any) -> None:
    given = ("true" if value else "false") if isinstance(value, bool) else str(value)
    expected = row_groups.set(_ROW_GROUPS[name], given)
    if expected is not None:
        raise _refuse(name, value, str(expected).replace("true or false", "True or False"))
