#include "text/csv_tokenizer.h"

#include <algorithm>
#include <utility>

namespace ariadne::text {

namespace {

bool IsBlank(char c) { return static_cast<unsigned char>(c) <= ' '; }

}  // namespace

void CsvRecord::Clear() {
  text_.clear();
  fields_.clear();
}

void CsvRecord::Add(std::string_view text) {
  fields_.push_back({text_.size(), text.size(), false});
  text_ += text;
}

void CsvRecord::AddNull() { fields_.push_back({text_.size(), 0, true}); }

CsvTokenizer::CsvTokenizer(const TextOptions& options) : options_(options) {
  if (options_.line_separator.size() == 1) newline_ = options_.line_separator[0];
  first_of_line_end_ = newline_;
  if (options_.delimiter.size() == 1) delimiter_ = options_.delimiter[0];
}

bool CsvTokenizer::Refill(size_t wanted) {
  while (more_ && rest_.size() < wanted) {
    const std::string_view piece = next_();
    if (piece.empty()) {
      more_ = false;
      break;
    }
    std::string joined(rest_);
    joined += piece;
    buffer_ = std::move(joined);
    rest_ = buffer_;
  }
  return rest_.size() >= wanted;
}

bool CsvTokenizer::Next() {
  if (rest_.empty() && !Refill(1)) return false;
  ch_ = rest_.front();
  rest_.remove_prefix(1);
  consumed_ = true;
  if (ch_ == first_of_line_end_ && ch_ != newline_ && across_lines_) {
    if (second_of_line_end_ == '\0') {
      ch_ = newline_;
    } else if ((!rest_.empty() || Refill(1)) && rest_.front() == second_of_line_end_) {
      rest_.remove_prefix(1);
      ch_ = newline_;
    }
  }
  return true;
}

bool CsvTokenizer::SkipBlanks() {
  const char first = ch_;
  while (IsBlank(ch_) && ch_ != newline_ && !AtDelimiter() && ch_ != options_.quote) {
    if (!Next()) {
      ch_ = first;
      return false;
    }
  }
  return true;
}

bool CsvTokenizer::SkipLine() {
  while (ch_ != newline_) {
    if (!Next()) return false;
  }
  return true;
}

bool CsvTokenizer::AppendField() {
  const char first = ch_;
  while (!AtEndOfField()) {
    field_ += ch_;
    if (!Next()) {
      ch_ = first;
      return false;
    }
  }
  return true;
}

bool CsvTokenizer::ParseRecord(CsvRecord* record) {
  if (options_.delimiter.size() > 1) return ParseMultiRecord(record);
  if (options_.trim_leading && IsBlank(ch_) && !SkipBlanks()) return false;
  while (ch_ != newline_) {
    if (options_.trim_leading && IsBlank(ch_) && !SkipBlanks()) return false;
    if (AtEndOfField()) {
      record->AddNull();
    } else {
      unescaped_ = false;
      prev_ = '\0';
      if (ch_ == options_.quote) {
        if (TakeQuoted(record)) {
          if (!Next()) return false;
        } else {
          if (!ParseQuoted()) return false;
          EndField(record);
        }
      } else if (!TakePlain(record)) {
        trim_ = options_.trim_trailing;
        if (!AppendField()) return false;
        EndField(record);
      }
    }
    if (ch_ != newline_) {
      if (!Next()) return false;
      if (ch_ == newline_) record->AddNull();
    }
  }
  return true;
}

bool CsvTokenizer::EndsLine(size_t at) const {
  return rest_[at] == first_of_line_end_ &&
         (second_of_line_end_ == '\0' ||
          (at + 1 < rest_.size() && rest_[at + 1] == second_of_line_end_));
}

// A field without quotes that ends before the text does. Trimmed to nothing it is NULL, where the
// last of a text is empty: so it is in the parser that Spark uses.
bool CsvTokenizer::TakePlain(CsvRecord* record) {
  if (rest_.empty()) return false;
  const bool ends_at_once = ch_ == first_of_line_end_ && second_of_line_end_ != '\0' &&
                            rest_.front() == second_of_line_end_;
  size_t end = 0;
  if (!ends_at_once) {
    while (rest_[end] != delimiter_ && !EndsLine(end)) {
      if (++end >= rest_.size()) return false;
    }
  }
  field_ = ch_;
  field_ += rest_.substr(0, end);
  rest_.remove_prefix(end);
  if (options_.trim_trailing) {
    while (!field_.empty() && IsBlank(field_.back())) field_.pop_back();
  }
  if (field_.empty()) {
    record->AddNull();
  } else {
    record->Add(field_);
  }
  field_.clear();
  return Next();
}

// A quoted field without escapes, right before a delimiter or a line's end. `ch_` is then what
// stands before the next field.
bool CsvTokenizer::TakeQuoted(CsvRecord* record) {
  size_t end = 0;
  char before = ch_;
  for (;; before = rest_[end++]) {
    if (end >= rest_.size()) return false;
    const char c = rest_[end];
    const bool followed = end + 1 < rest_.size();
    if (c == options_.quote) {
      if (before == options_.escape || !followed) return false;
      const char next = rest_[end + 1];
      if (next == delimiter_ || next == newline_) break;
      return false;
    }
    if (c == options_.escape && followed &&
        (rest_[end + 1] == options_.quote || rest_[end + 1] == options_.escape_of_escape)) {
      return false;
    }
    if (EndsLine(end)) return false;
  }
  const std::string_view field = rest_.substr(0, end);
  record->Add(field.empty() ? std::string_view(options_.empty_value) : field);
  rest_.remove_prefix(end + 1);
  return true;
}

bool CsvTokenizer::ParseQuotedUntilDelimiter() {
  field_.insert(field_.begin(), options_.quote);
  if (!Next()) return false;
  trim_ = options_.trim_trailing;
  return AppendField();
}

bool CsvTokenizer::AppendQuotedRun() {
  const char escape = options_.escape;
  if (prev_ == escape && escape != '\0') field_ += escape;
  const char first = ch_;
  while (ch_ != options_.quote && ch_ != escape && ch_ != options_.escape_of_escape) {
    field_ += ch_;
    if (!Next()) {
      ch_ = first;
      return false;
    }
  }
  prev_ = ch_;
  return Next();
}

bool CsvTokenizer::ParseQuoted() {
  const char quote = options_.quote;
  const char escape = options_.escape;
  if (prev_ != '\0') return ParseQuotedUntilDelimiter();
  if (!Next()) return false;
  while (!(prev_ == quote && (IsBlank(ch_) || AtEndOfField()))) {
    if (ch_ != quote && ch_ != escape) {
      if (prev_ == quote) {  // The quote before was not escaped.
        unescaped_ = true;
        field_ += quote;
        field_ += ch_;
        prev_ = ch_;
        return ParseQuoted();
      }
      if (!AppendQuotedRun()) return false;
    } else {
      if (!ProcessEscape()) return false;
      prev_ = ch_;
      if (!Next()) return false;
      if (unescaped_ && AtEndOfField()) return true;
    }
  }
  if (AtEndOfField()) return true;
  // Blanks behind the closing quote are dropped, unless something follows them.
  blanks_.clear();
  do {
    blanks_ += ch_;
    if (!Next()) return false;
    if (ch_ == newline_) return true;
  } while (IsBlank(ch_));
  if (AtDelimiter()) return true;
  field_ += quote;
  field_ += blanks_;
  field_ += ch_;
  prev_ = ch_;
  return ParseQuoted();
}

bool CsvTokenizer::ProcessEscape() {
  const char escape = options_.escape;
  if (ch_ == escape && prev_ == options_.escape_of_escape && options_.escape_of_escape != '\0') {
    field_ += escape;
    ch_ = '\0';
  } else if (prev_ == escape) {
    if (ch_ == options_.quote) {
      field_ += options_.quote;
      ch_ = '\0';
    } else {
      field_ += prev_;
    }
  } else if (ch_ == options_.quote && prev_ == options_.quote) {
    field_ += options_.quote;
  } else if (prev_ == options_.quote) {
    field_ += options_.quote;
    prev_ = ch_;
    return ParseEscaped();
  }
  return true;
}

bool CsvTokenizer::ParseEscaped() {
  while (!AtEndOfField()) {
    if (ch_ != options_.quote && ch_ != options_.escape) {
      if (prev_ == options_.quote) {
        field_ += options_.quote;
        prev_ = ch_;
        return ParseEscaped();
      }
      field_ += ch_;
    } else if (!ProcessEscape()) {
      return false;
    }
    prev_ = ch_;
    if (!Next()) return false;
  }
  return true;
}

void CsvTokenizer::KeepMatched() {
  field_ += options_.delimiter.substr(0, matched_);
  matched_ = 0;
}

CsvTokenizer::Match CsvTokenizer::PassDelimiter() {
  const std::string& delimiter = options_.delimiter;
  while (ch_ == delimiter[matched_]) {
    if (++matched_ == delimiter.size()) {
      matched_ = 0;
      return Match::kWhole;
    }
    if (!Next()) return Match::kEnd;
  }
  return Match::kNone;
}

CsvTokenizer::Match CsvTokenizer::MatchDelimiter() {
  const Match match = PassDelimiter();
  if (match == Match::kNone) KeepMatched();
  return match;
}

bool CsvTokenizer::AppendMultiField() {
  const std::string& delimiter = options_.delimiter;
  while (ch_ != newline_) {
    if (ch_ == delimiter[matched_]) {
      if (++matched_ == delimiter.size()) {
        matched_ = 0;
        return true;
      }
    } else if (matched_ > 0) {
      KeepMatched();
      continue;
    } else {
      field_ += ch_;
    }
    if (!Next()) return false;
  }
  KeepMatched();
  return true;
}

bool CsvTokenizer::SkipMultiBlanks(CsvRecord* record) {
  while (IsBlank(ch_) && ch_ != newline_ && ch_ != options_.quote) {
    if (!Next()) return false;
    if (ch_ != options_.delimiter[0]) continue;
    const Match match = MatchDelimiter();
    if (match == Match::kEnd) return false;
    if (match == Match::kWhole) {
      record->AddNull();
      if (!Next()) return false;
    }
  }
  return true;
}

bool CsvTokenizer::ParseMultiRecord(CsvRecord* record) {
  if (options_.trim_leading && IsBlank(ch_) && !SkipMultiBlanks(record)) return false;
  while (ch_ != newline_) {
    if (options_.trim_leading && IsBlank(ch_) && !SkipMultiBlanks(record)) return false;
    const Match match = ch_ == newline_ ? Match::kWhole : MatchDelimiter();
    if (match == Match::kEnd) return false;
    if (match == Match::kWhole) {
      record->AddNull();
    } else {
      unescaped_ = false;
      prev_ = '\0';
      if (ch_ == options_.quote && field_.empty()) {
        if (!ParseMultiQuoted()) return false;
      } else {
        if (!AppendMultiField()) return false;
        trim_ = options_.trim_trailing;
      }
      EndField(record);
    }
    if (ch_ != newline_) {
      if (!Next()) return false;
      if (ch_ == newline_) record->AddNull();
    }
  }
  return true;
}

bool CsvTokenizer::ParseMultiQuoted() {
  const char quote = options_.quote;
  const char escape = options_.escape;
  if (!Next()) return false;
  while (!(prev_ == quote && (IsBlank(ch_) || ch_ == newline_))) {
    Match match = MatchDelimiter();
    if (match != Match::kNone) return match == Match::kWhole;
    if (ch_ != quote && ch_ != escape) {
      if (prev_ == quote) {
        unescaped_ = true;
        field_ += quote;
        field_ += ch_;
        prev_ = ch_;
        return ParseQuoted();
      }
      if (!AppendQuotedRun()) return false;
    } else {
      if (!ProcessEscape()) return false;
      prev_ = ch_;
      if (!Next()) return false;
      if (!unescaped_) continue;
      if (ch_ == newline_) return true;
      match = MatchDelimiter();
      if (match != Match::kNone) return match == Match::kWhole;
    }
  }
  if (ch_ == newline_) return true;
  // Blanks behind the closing quote, unless a delimiter begins with them.
  Match match = PassDelimiter();
  if (match != Match::kNone) return match == Match::kWhole;
  blanks_.clear();
  do {
    blanks_ += ch_;
    if (!Next()) return false;
    if (ch_ == newline_) return true;
    match = PassDelimiter();
    if (match != Match::kNone) return match == Match::kWhole;
  } while (IsBlank(ch_));
  match = PassDelimiter();
  if (match != Match::kNone) return match == Match::kWhole;
  field_ += quote;
  field_ += blanks_;
  field_ += ch_;
  prev_ = ch_;
  return ParseQuoted();
}

void CsvTokenizer::EndField(CsvRecord* record) {
  if (trim_) {
    while (!field_.empty() && IsBlank(field_.back())) field_.pop_back();
    trim_ = false;
  }
  record->Add(field_.empty() ? std::string_view(options_.empty_value) : std::string_view(field_));
  field_.clear();
}

bool CsvTokenizer::EndOfText(CsvRecord* record) {
  bool ends_field = false;
  if (ch_ == options_.quote && prev_ == options_.quote) {
    ends_field = true;
  } else {
    if (ch_ == options_.quote && !unescaped_) field_ += options_.quote;
    ends_field = prev_ != '\0' && !AtDelimiter() && ch_ != newline_;
    ch_ = prev_ = '\0';
    if (matched_ > 0) {
      KeepMatched();
      ends_field = true;
    }
  }
  if (record->size() > 0 || ends_field) {
    if (!field_.empty() || ends_field) {
      EndField(record);
    } else if (consumed_) {
      record->AddNull();
    }
  } else if (!field_.empty()) {
    EndField(record);
  } else if (consumed_) {
    record->AddNull();
  }
  return record->size() > 0;
}

// Without a quote, fields are what stands between delimiters.
void CsvTokenizer::SplitPlain(std::string_view line, CsvRecord* record) const {
  const std::string& delimiter = options_.delimiter;
  while (true) {
    const size_t end = line.find(delimiter);
    const std::string_view field = line.substr(0, end);
    if (field.empty()) {
      record->AddNull();
    } else {
      record->Add(field);
    }
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + delimiter.size());
  }
}

bool CsvTokenizer::ParseLine(std::string_view line, CsvRecord* record) {
  record->Clear();
  if (!options_.trim_leading && !options_.trim_trailing &&
      line.find(options_.quote) == std::string_view::npos &&
      line.find(newline_) == std::string_view::npos) {
    if (line.empty()) return false;
    SplitPlain(line, record);
    return true;
  }
  rest_ = line;
  more_ = false;
  field_.clear();
  trim_ = unescaped_ = consumed_ = false;
  matched_ = 0;
  ch_ = prev_ = '\0';
  if (!Next()) return false;
  return ParseRecord(record) ? record->size() > 0 : EndOfText(record);
}

void CsvTokenizer::Begin(std::function<std::string_view()> next) {
  next_ = std::move(next);
  across_lines_ = true;
  more_ = true;
  rest_ = {};
  first_of_line_end_ = '\n';
  second_of_line_end_ = '\0';
  Refill(1);
  // What ends the first line ends all of them; a lone "\n" always does.
  const size_t end = rest_.find_first_of("\r\n");
  if (end == std::string_view::npos || rest_[end] == '\n') return;
  first_of_line_end_ = '\r';
  if (end + 1 < rest_.size() && rest_[end + 1] == '\n') second_of_line_end_ = '\n';
}

bool CsvTokenizer::ParseNext(CsvRecord* record) {
  while (true) {
    record->Clear();
    field_.clear();
    trim_ = unescaped_ = consumed_ = false;
    matched_ = 0;
    if (!Next()) return false;
    if (options_.comment != '\0' && ch_ == options_.comment) {
      if (!SkipLine()) return false;
      continue;
    }
    if (!ParseRecord(record)) return EndOfText(record);
    if (record->size() > 0) return true;
  }
}

}  // namespace ariadne::text
