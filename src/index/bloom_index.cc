#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/array/util.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "index/distinct_values.h"
#include "index/guava_bloom.h"
#include "index/index_kinds.h"
#include "index/java_utf8.h"
#include "index/key_set.h"
#include "index/token.h"
#include "source/spark_schema.h"

namespace ariadne::index {
namespace {

/// Values that are added between two looks at the memory.
constexpr int64_t kBlockValues = 1024;

std::shared_ptr<arrow::Array> NoValue() {
  return arrow::MakeArrayOfNull(arrow::binary(), 1).ValueOrDie();
}

/// For strings: the hash of a token is all that its filter needs, so no value is kept. Two values
/// of one 128-bit hash would be one bit pattern in the filter too.
class StringBloomBuilder : public ColumnBuilder {
 public:
  StringBloomBuilder(const IndexedColumn& column, const BuildContext& context)
      : column_(column), context_(context) {}

  void Add(const arrow::Array& values) override {
    if (values.type_id() != arrow::Type::STRING) {
      return Add(*AsDeclared(values, arrow::utf8(), column_.column));
    }
    const bool has_nulls = values.null_count() > 0;
    for (int64_t i = 0; i < values.length(); ++i) {
      if (i % kBlockValues == 0 && hashes_.size() > 0 &&
          hashes_.BytesToInsert(kBlockValues) > context_.memory_bytes) {
        Spill();
      }
      if (has_nulls && values.IsNull(i)) continue;
      hashes_.Insert(TokenHash(JavaUtf8(BytesAt(values, i))));
    }
    count_after_spill_.reset();
  }
  [[nodiscard]] int64_t distinct_count() const override {
    if (spill_ == nullptr) return hashes_.size();
    if (!count_after_spill_) {
      int64_t count = 0;
      ForEachPart([&count](const KeySet<Key128>& part) { count += part.size(); });
      count_after_spill_ = count;
    }
    return *count_after_spill_;
  }
  [[nodiscard]] int64_t memory_bytes() const override { return hashes_.memory_bytes(); }
  std::shared_ptr<arrow::Array> Finish() override {
    const int64_t count = distinct_count();
    if (count == 0) return NoValue();
    GuavaBloom filter(count, column_.fpr);
    ForEachPart([&filter](const KeySet<Key128>& part) {
      part.ForEach([&filter](const Key128& hash) { filter.Put(hash); });
    });
    return FilterCell(std::move(filter).Serialize());
  }

 private:
  void Spill() const {
    if (spill_ == nullptr) spill_ = std::make_unique<SpillPartitions>(context_.spill_folder);
    hashes_.SpillTo(spill_.get());
  }
  template <typename Visit>
  void ForEachPart(Visit visit) const {
    if (spill_ == nullptr) return visit(hashes_);
    if (hashes_.size() > 0) Spill();
    for (int p = 0; p < SpillPartitions::kPartitions; ++p) {
      KeySet<Key128> part;
      spill_->Read(p, [&part](std::string_view run) { part.InsertRun(run); });
      visit(part);
    }
  }

  IndexedColumn column_;
  BuildContext context_;
  // Reading after a spill moves what is in memory to the file too, which changes no value.
  mutable KeySet<Key128> hashes_;
  mutable std::unique_ptr<SpillPartitions> spill_;
  mutable std::optional<int64_t> count_after_spill_;
};

/// For the other types, where making a token costs more than keeping the value.
class ValueBloomBuilder : public ColumnBuilder {
 public:
  ValueBloomBuilder(const IndexedColumn& column, const std::shared_ptr<arrow::DataType>& value,
                    const BuildContext& context)
      : fpr_(column.fpr),
        values_(column.column, value, context),
        tokens_(value, context.token_time_zone) {}

  void Add(const arrow::Array& values) override { values_.Add(values); }
  [[nodiscard]] int64_t distinct_count() const override { return values_.count(); }
  [[nodiscard]] int64_t memory_bytes() const override { return values_.memory_bytes(); }
  std::shared_ptr<arrow::Array> Finish() override {
    const int64_t count = values_.count();
    if (count == 0) return NoValue();
    GuavaBloom filter(count, fpr_);
    const TokenWriter::Visit put = [&filter](std::string_view token) {
      filter.Put(TokenHash(token));
    };
    values_.ForEachPart([this, &put](const arrow::Array& part) {
      for (int64_t i = 0; i < part.length(); ++i) tokens_.ForEachToken(part, i, put);
    });
    return FilterCell(std::move(filter).Serialize());
  }

 private:
  double fpr_;
  DistinctValues values_;
  TokenWriter tokens_;
};

/// For types without tokens: the JVM library takes a bloom index on them too, so an update must be
/// able to go on with one. A filter with every bit set says "maybe" to all, whoever asks.
class SaturatedBloomBuilder : public ColumnBuilder {
 public:
  void Add(const arrow::Array& values) override {
    any_value_ = any_value_ || values.null_count() < values.length();
  }
  [[nodiscard]] int64_t distinct_count() const override { return any_value_ ? 1 : 0; }
  [[nodiscard]] int64_t memory_bytes() const override { return 0; }
  std::shared_ptr<arrow::Array> Finish() override {
    if (!any_value_) return NoValue();
    // Strategy 1, one hash function, one word.
    std::string bytes = {1, 1, 0, 0, 0, 1};
    bytes.append(sizeof(uint64_t), '\xff');
    return FilterCell(std::move(bytes));
  }

 private:
  bool any_value_ = false;
};

class BloomProbe : public ColumnProbe {
 public:
  BloomProbe(const std::shared_ptr<arrow::Array>& values, const ProbeContext& context)
      : any_value_(values->length() > 0) {
    const bool zoned =
        values->type_id() == arrow::Type::TIMESTAMP &&
        !static_cast<const arrow::TimestampType&>(*values->type()).timezone().empty();
    if (!TokenWriter::HasTokens(*values->type()) || (zoned && context.token_time_zone.empty())) {
      tokens_known_ = false;
      return;
    }
    const TokenWriter tokens(values->type(), context.token_time_zone);
    hashes_.reserve(values->length());
    const TokenWriter::Visit keep = [this](std::string_view token) {
      hashes_.push_back(TokenHash(token));
    };
    for (int64_t i = 0; i < values->length() && tokens_known_; ++i) {
      tokens_known_ = tokens.ForEachProbeToken(*values, i, keep);
    }
  }

  void Probe(const arrow::Array& cells, bool null_is_maybe, uint8_t* mask) const override {
    if (cells.type_id() != arrow::Type::BINARY) {
      const auto cast = AsType(cells, arrow::binary());
      if (cast != nullptr) Probe(*cast, null_is_maybe, mask);
      return;
    }
    for (int64_t i = 0; i < cells.length(); ++i) {
      if (mask[i] == 0) continue;
      if (cells.IsNull(i)) {
        if (!null_is_maybe || !any_value_) mask[i] = 0;
      } else if (!MightHoldAny(BytesAt(cells, i))) {
        mask[i] = 0;
      }
    }
  }

 private:
  [[nodiscard]] bool MightHoldAny(std::string_view bytes) const {
    if (!any_value_) return false;
    const auto filter = GuavaBloomView::Parse(bytes);
    if (!filter) return true;
    if (!tokens_known_) return !filter->IsEmpty();
    for (const Key128& hash : hashes_) {
      if (filter->MightContain(hash)) return true;
    }
    return false;
  }

  bool any_value_;
  bool tokens_known_ = true;
  std::vector<Key128> hashes_;
};

}  // namespace

std::unique_ptr<ColumnBuilder> MakeBloomBuilder(const IndexedColumn& column,
                                                const std::shared_ptr<arrow::DataType>& value,
                                                const BuildContext& context) {
  if (!TokenWriter::HasTokens(*value)) return std::make_unique<SaturatedBloomBuilder>();
  if (value->id() == arrow::Type::STRING) {
    return std::make_unique<StringBloomBuilder>(column, context);
  }
  return std::make_unique<ValueBloomBuilder>(column, value, context);
}

std::unique_ptr<ColumnProbe> MakeBloomProbe(const std::shared_ptr<arrow::Array>& values,
                                            const ProbeContext& context) {
  return std::make_unique<BloomProbe>(values, context);
}

}  // namespace ariadne::index
