"""Row-group indexes that a query builds as it reads: what they cost it, and save the ones after it."""

from measure import bench_binary, ms, print_table, run_child, say, times

import gen_data


def ids_of_one_file(duckdb, paths):
    """Some thirty ids that one file holds each, evenly from all over it."""
    source = ", ".join(f"'{path}'" for path in paths)
    few = (
        f"(SELECT id FROM read_parquet('{paths[len(paths) // 2]}', file_row_number = true) "
        "WHERE file_row_number % 2503 = 0)"
    )
    found = duckdb.execute(
        f"SELECT id FROM read_parquet([{source}]) WHERE id IN {few} "
        "GROUP BY id HAVING count(*) = 1 ORDER BY id"
    ).fetchall()
    return [str(row[0]) for row in found]


def figures(lake, runs, *query):
    """{measurement: (seconds on the clock, of all processors, bytes read)}"""
    _, _, output = run_child([str(bench_binary("row_groups_bench")), str(lake), str(runs), *query])
    found = {}
    for line in output.splitlines():
        name, wall, processor, size = line.split("\t")
        found[name] = (float(wall) / 1000, float(processor) / 1000, int(size))
    return found


def ratios(above, below):
    return {"clock": above[0] / below[0], "processors": above[1] / below[1]}


def measure(duckdb, lake, paths, runs):
    users = [f"'{user}'" for user in gen_data.probe_users(21)]
    ids = ids_of_one_file(duckdb, paths)
    queries = {
        "count(*) WHERE user_id = ?": ("count(*)", "user_id", *users, 1.15),
        "count(*) WHERE id = ?": ("count(*)", "id", *ids, None),
        "* WHERE id = ?": ("*", "id", *ids, 1.5),
    }
    results, costs, savings, lists = {}, [], [], []
    for name, (*query, most) in queries.items():
        say(f"row groups: {name}")
        found = figures(lake, runs, *query)
        cost = ratios(found["first, on"], found["first, off"])
        faster = ratios(found["engine's own"], found["later"])
        listed = ratios(found["two values, engine's own"], found["two values, no index"])
        share = found["later"][2] / found["engine's own"][2]
        least = found["holders alone"][2] / found["engine's own"][2]
        results[f"row groups {name}"] = {
            "measured": found,
            "first_on_to_off": cost,
            "later_faster_than_duckdb": faster,
            "later_share_of_bytes": share,
            "two_values_faster_than_duckdb": listed,
            "least_share_of_bytes": least,
        }
        for title in ("first, off", "first, on"):
            wall, processor, _ = found[title]
            costs.append([f"{name}: {title}", ms(wall), ms(processor)])
        costs.append(
            ["  on to off" + (f", at most {most}x" if most else "")]
            + [f"{cost[of]:.2f}x" for of in ("clock", "processors")]
        )
        for title in ("later", "holders alone", "engine's own"):
            wall, processor, size = found[title]
            savings.append([f"{name}: {title}", ms(wall), ms(processor), f"{size / 1e6:.2f} MB"])
        savings.append(
            ["  faster, at least 5x; bytes"]
            + [times(faster[of]) for of in ("clock", "processors")]
            + [f"{100 * share:.2f}%, of the files that hold the value {100 * least:.2f}%"]
        )
        for title in ("two values, no index", "two values, engine's own"):
            wall, processor, size = found[title]
            of_list = name.replace("= ?", "IN (?, ?)")
            lists.append(
                [f"{of_list}: {title}", ms(wall), ms(processor), f"{size / 1e6:.2f} MB"]
            )
        lists.append(["  faster"] + [times(listed[of]) for of in ("clock", "processors")] + [""])
    say("row groups: everything")
    every = ", ".join(f"max({column})" for column in ("id", "user_id", "ts", "category", "amount"))
    found = figures(lake, runs, every + ", max(len(tags))")
    whole = ratios(found["everything"], found["engine's own"])
    results["row groups everything"] = {"measured": found, "of_duckdb": whole}
    for title, (wall, processor, _) in found.items():
        costs.append([f"reading everything: {title}", ms(wall), ms(processor)])
    costs.append(
        ["  ours to theirs, at most 1.1x"] + [f"{whole[of]:.2f}x" for of in ("clock", "processors")]
    )
    print_table(
        "queries that build row-group indexes, and whole scans",
        ["query", "time", "of all processors"],
        costs,
    )
    print_table(
        "queries on other values, in a running process",
        ["query", "time", "of all processors", "bytes read"],
        savings,
    )
    print_table(
        "lists of values, without indexes",
        ["query", "time", "of all processors", "bytes read"],
        lists,
    )
    return results
