#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/text_format.h"

namespace ariadne::text {

/// The fields of one record. A field is a text or NULL (nothing stood between two delimiters).
class CsvRecord {
 public:
  void Clear();
  void Add(std::string_view text);
  void AddNull();
  [[nodiscard]] size_t size() const { return fields_.size(); }
  [[nodiscard]] size_t bytes() const { return text_.size(); }
  [[nodiscard]] bool is_null(size_t i) const { return fields_[i].null; }
  /// Valid until the record is changed.
  [[nodiscard]] std::string_view operator[](size_t i) const {
    return std::string_view(text_).substr(fields_[i].begin, fields_[i].size);
  }

 private:
  struct Place {
    size_t begin = 0;
    size_t size = 0;
    bool null = false;
  };
  std::string text_;
  std::vector<Place> fields_;
};

/// Splits records into fields exactly as the parser that Spark uses does: a quote that is not
/// escaped within a quoted field makes the field run up to the next delimiter, quotes included; an
/// unquoted field is taken as it is. Text is UTF-8.
class CsvTokenizer {
 public:
  explicit CsvTokenizer(const TextOptions& options);

  /// The first record of `line`; false: it holds none.
  bool ParseLine(std::string_view line, CsvRecord* record);

  /// Reads records across lines from `next`, which gives the text piece by piece, empty at its end.
  void Begin(std::function<std::string_view()> next);
  /// Empty lines and comments are skipped; false: no record is left.
  bool ParseNext(CsvRecord* record);

 private:
  /// False once the text is at its end, which leaves `ch_` as it is. Where the text ends within a
  /// run of characters, `ch_` is the first of them: what EndOfText decides by.
  bool Next();
  bool Refill(size_t wanted);
  [[nodiscard]] bool AtDelimiter() const { return ch_ == delimiter_; }
  [[nodiscard]] bool AtEndOfField() const { return ch_ == newline_ || AtDelimiter(); }

  // Each returns false at the end of the text.
  bool ParseRecord(CsvRecord* record);
  bool ParseQuoted();
  bool ParseQuotedUntilDelimiter();
  bool AppendQuotedRun();  // What is neither a quote nor an escape.
  bool ParseEscaped();
  bool ProcessEscape();
  bool AppendField();
  bool SkipBlanks();
  bool SkipLine();

  // Each takes a whole field if it can be had without a look at each character.
  bool TakePlain(CsvRecord* record);
  bool TakeQuoted(CsvRecord* record);
  [[nodiscard]] bool EndsLine(size_t at) const;

  // The same where a delimiter has several characters, with the ways of the parser that Spark uses:
  // what begins like a delimiter is passed over before it is known to be none.
  enum class Match { kNone, kWhole, kEnd };
  Match PassDelimiter();   // Of kNone, what was passed over stays in `matched_`.
  Match MatchDelimiter();  // Of kNone, it goes to the field.
  bool ParseMultiRecord(CsvRecord* record);
  bool ParseMultiQuoted();
  bool AppendMultiField();
  bool SkipMultiBlanks(CsvRecord* record);
  void KeepMatched();

  void EndField(CsvRecord* record);
  bool EndOfText(CsvRecord* record);
  void SplitPlain(std::string_view line, CsvRecord* record) const;

  const TextOptions options_;
  std::function<std::string_view()> next_;
  std::string buffer_;  // Of what `next_` gave, while it is not all consumed.
  std::string_view rest_;
  bool more_ = false;
  char delimiter_ = '\0';  // '\0': it has several characters.
  size_t matched_ = 0;     // Characters of a delimiter passed over.
  bool across_lines_ = false;
  char newline_ = '\n';            // What ends a record.
  char first_of_line_end_ = '\n';  // "\r\n" and "\r" become "\n".
  char second_of_line_end_ = '\0';

  char ch_ = '\0';
  char prev_ = '\0';
  bool consumed_ = false;  // Anything of the record.
  bool unescaped_ = false;
  bool trim_ = false;
  std::string field_;
  std::string blanks_;
};

}  // namespace ariadne::text
