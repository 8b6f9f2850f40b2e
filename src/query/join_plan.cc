#include "query/join_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "engine/session.h"

namespace ariadne::query {

namespace {

const char* NameOf(JoinType type) {
  switch (type) {
    case JoinType::kInner:
      return "inner";
    case JoinType::kLeft:
      return "left";
    case JoinType::kRight:
      return "right";
    case JoinType::kLeftSemi:
      return "left_semi";
    case JoinType::kLeftAnti:
      return "left_anti";
  }
  return "unknown";
}

void CheckType(const JoinOptions& options) {
  const bool index_keeps_all =
      options.keys_left ? options.how == JoinType::kRight
                        : options.how == JoinType::kLeft || options.how == JoinType::kLeftAnti;
  if (!index_keeps_all) return;
  const std::string allowed =
      options.keys_left ? "inner, left, left_semi and left_anti" : "inner, left_semi and right";
  throw UnsupportedJoin(
      std::string("a ") + NameOf(options.how) + " join with the " +
      (options.keys_left ? "keys" : "index") +
      " on the left returns rows of the lake that match no key, and only files that can match are "
      "read: its result would depend on how rows lie in files. Join " +
      allowed + ", or read the lake whole");
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The lake's columns beside the join columns: in the order of `select`, else in the schema's.
std::vector<std::string> OtherLakeColumns(const arrow::Schema& lake, const JoinOptions& options) {
  for (const std::string& column : options.select) {
    if (!lake.GetFieldByName(column)) {
      std::string names;
      for (const auto& field : lake.fields()) {
        names += (names.empty() ? "\"" : ", \"") + field->name() + "\"";
      }
      throw ColumnNotFound("select names column \"" + column + "\", which the lake lacks; it has " +
                           names);
    }
  }
  std::vector<std::string> columns;
  for (const std::string& name : options.select.empty() ? lake.field_names() : options.select) {
    if (!Contains(options.on, name) && !Contains(columns, name)) columns.push_back(name);
  }
  return columns;
}

class Planner {
 public:
  Planner(const arrow::Schema& lake, const arrow::Schema& keys, const JoinOptions& options)
      : lake_(lake), keys_(keys), options_(options) {}

  JoinPlan Plan() {
    const bool semi = options_.how == JoinType::kLeftSemi || options_.how == JoinType::kLeftAnti;
    const bool with_lake = !options_.keys_left || !semi;
    const bool with_keys = options_.keys_left || !semi;
    const bool keys_kept = options_.keys_left || options_.how == JoinType::kRight;
    plan_.keeps_all_keys = options_.how == JoinType::kRight || options_.how == JoinType::kLeft ||
                           options_.how == JoinType::kLeftAnti;
    plan_.returns_keys = with_keys;

    for (const std::string& column : options_.on) {
      keys_kept ? AddKey(keys_.GetFieldIndex(column)) : AddLake(column);
    }
    if (options_.keys_left) {
      if (with_keys) AddOtherKeys();
      if (with_lake) AddOtherLake();
    } else {
      if (with_lake) AddOtherLake();
      if (with_keys) AddOtherKeys();
    }
    plan_.schema = arrow::schema(fields_);
    plan_.sql = Sql(with_lake, with_keys);
    return std::move(plan_);
  }

 private:
  void Add(const arrow::Field& field, JoinPlan::Column column) {
    std::string name = field.name();
    while (!names_.insert(name).second) name += "_right";
    fields_.push_back(arrow::field(name, field.type()));
    plan_.columns.push_back(column);
  }
  void AddKey(int place) { Add(*keys_.field(place), {true, place}); }
  void AddLake(const std::string& column) {
    Add(*lake_.GetFieldByName(column), {false, static_cast<int>(plan_.lake_columns.size())});
    plan_.lake_columns.push_back(column);
  }
  void AddOtherKeys() {
    for (int i = 0; i < keys_.num_fields(); ++i) {
      if (!Contains(options_.on, keys_.field(i)->name())) AddKey(i);
    }
  }
  void AddOtherLake() {
    for (const std::string& column : OtherLakeColumns(lake_, options_)) AddLake(column);
  }

  std::string Sql(bool with_lake, bool with_keys) const {
    std::string condition;
    for (size_t i = 0; i < options_.on.size(); ++i) {
      condition += (i == 0 ? "" : " AND ") + ("lake." + engine::Session::Quote(options_.on[i])) +
                   " = keys.j" + std::to_string(i);
    }
    std::string columns = with_keys ? "keys.rid" : "";
    for (size_t i = 0; i < plan_.lake_columns.size(); ++i) {
      columns += (columns.empty() ? "lake." : ", lake.") +
                 engine::Session::Quote(plan_.lake_columns[i]) + " AS c" + std::to_string(i);
    }
    const std::string tail = " ON " + condition;
    if (!with_lake) {
      const char* join = options_.how == JoinType::kLeftSemi ? "SEMI" : "ANTI";
      return "SELECT " + columns + " FROM keys " + join + " JOIN lake" + tail;
    }
    if (!with_keys) return "SELECT " + columns + " FROM lake SEMI JOIN keys" + tail;
    // The keys are the smaller side: as the right one they are what the engine hashes.
    return "SELECT " + columns + " FROM lake " + (plan_.keeps_all_keys ? "RIGHT" : "INNER") +
           " JOIN keys" + tail;
  }

  const arrow::Schema& lake_;
  const arrow::Schema& keys_;
  const JoinOptions& options_;
  JoinPlan plan_;
  arrow::FieldVector fields_;
  std::set<std::string> names_;
};

}  // namespace

JoinPlan PlanJoin(const arrow::Schema& lake, const arrow::Schema& keys,
                  const JoinOptions& options) {
  CheckType(options);
  // An unknown selected column is an error even where the join returns no column of the lake.
  (void)OtherLakeColumns(lake, options);
  return Planner(lake, keys, options).Plan();
}

}  // namespace ariadne::query
