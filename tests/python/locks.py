"""Locks of an index, as another process would hold them."""

import datetime
import json


def held_lock():
    """Content of a lock file that somebody else has just refreshed."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return json.dumps({"correlationId": "x", "acquiredAt": now, "lastRefreshedAt": now, "owner": "elsewhere"})
