#include "engine/spark_text.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "ariadne/errors.h"
#include "engine/spark_token.h"

namespace ariadne::engine {

namespace {

using Kind = SparkToken::Kind;

// Written as they are: the words that shape an expression.
const std::set<std::string>& ShapingWords() {
  static const std::set<std::string> kWords = {"AND",  "OR",   "NOT",  "IN",     "BETWEEN",
                                               "LIKE", "CASE", "WHEN", "THEN",   "ELSE",
                                               "END",  "IS",   "NULL", "ESCAPE", "DISTINCT"};
  return kWords;
}

std::string Quoted(char kind, const std::string& name) {
  std::string out = {'"', kind, ':'};
  for (const char c : name) {
    if (c == '"') out += c;
    out += c;
  }
  return out + '"';
}

class Rewriter {
 public:
  explicit Rewriter(const std::string& expression)
      : expression_(expression), tokens_(ReadSparkTokens(expression)) {}

  SparkText Rewrite() {
    CheckMixedPredicates();
    while (at_ < tokens_.size()) Step();
    if (!open_.empty()) ThrowUnsupported(expression_, "a parenthesis is not closed");
    return std::move(out_);
  }

 private:
  struct Bracket {
    bool is_cast = false;
  };

  [[nodiscard]] const SparkToken* Peek(size_t ahead) const {
    return at_ + ahead < tokens_.size() ? &tokens_[at_ + ahead] : nullptr;
  }
  [[nodiscard]] bool NextIs(size_t ahead, std::string_view symbol) const {
    const SparkToken* token = Peek(ahead);
    return token != nullptr && token->kind == Kind::kSymbol && token->text == symbol;
  }
  [[nodiscard]] bool NextIsWord(size_t ahead, std::string_view word) const {
    const SparkToken* token = Peek(ahead);
    return token != nullptr && token->kind == Kind::kWord && token->upper == word;
  }

  void Write(const std::string& text) { out_.sql += text + " "; }
  void WriteOperator(const std::string& written, const std::string& meant) {
    out_.operators[out_.sql.size()] = meant;
    Write(written);
    after_value_ = false;
  }
  void WriteLiteral(SparkLiteral::Kind kind, std::string text) {
    Write(Quoted('l', std::to_string(out_.literals.size())));
    out_.literals.push_back({kind, std::move(text)});
    after_value_ = true;
  }

  void Step() {
    const SparkToken& token = tokens_[at_];
    switch (token.kind) {
      case Kind::kString:
        StringLiteral(SparkLiteral::Kind::kString);
        return;
      case Kind::kNumber:
        if (after_value_) Unexpected();
        WriteLiteral(SparkLiteral::Kind::kNumber, token.text);
        ++at_;
        return;
      case Kind::kQuotedName:
        Name();
        return;
      case Kind::kWord:
        Word();
        return;
      case Kind::kSymbol:
        Symbol();
        return;
    }
  }

  // Strings that follow one another are one.
  void StringLiteral(SparkLiteral::Kind kind) {
    if (after_value_) Unexpected();
    std::string text;
    for (; at_ < tokens_.size() && tokens_[at_].kind == Kind::kString; ++at_) {
      text += tokens_[at_].text;
    }
    WriteLiteral(kind, std::move(text));
  }

  // A column, a field or a function.
  void Name() {
    if (after_value_) Unexpected();
    const SparkToken& token = tokens_[at_];
    if (NextIs(1, "(")) {
      std::string lower = token.text;
      std::transform(lower.begin(), lower.end(), lower.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
      Write(Quoted('f', lower) + "(");
      open_.push_back({lower == "cast" || lower == "try_cast"});
      at_ += 2;
      after_value_ = false;
      return;
    }
    Write(Quoted('c', token.text));
    after_value_ = true;
    ++at_;
  }

  void Word() {
    const SparkToken& token = tokens_[at_];
    const std::string& word = token.upper;
    const bool is_field =
        at_ > 0 && tokens_[at_ - 1].kind == Kind::kSymbol && tokens_[at_ - 1].text == ".";
    if (is_field) return Name();
    const SparkToken* next = Peek(1);
    const bool before_text = next != nullptr && next->kind == Kind::kString;
    if (before_text && !after_value_ && (word == "DATE" || word == "TIMESTAMP" || word == "X")) {
      ++at_;
      return StringLiteral(word == "DATE"        ? SparkLiteral::Kind::kDate
                           : word == "TIMESTAMP" ? SparkLiteral::Kind::kTimestamp
                                                 : SparkLiteral::Kind::kBinary);
    }
    if (word == "TRUE" || word == "FALSE") {
      if (after_value_) Unexpected();
      WriteLiteral(SparkLiteral::Kind::kBoolean, word == "TRUE" ? "true" : "false");
      ++at_;
      return;
    }
    if (word == "NULL") {
      if (after_value_) Unexpected();
      WriteLiteral(SparkLiteral::Kind::kNull, "null");
      ++at_;
      return;
    }
    if (word == "IS") return Is();
    if (word == "DIV" && after_value_) {
      WriteOperator("/", "div");
      ++at_;
      return;
    }
    if (word == "AS" && !open_.empty() && open_.back().is_cast && after_value_) return CastType();
    RefuseByName(word);
    if (ShapingWords().count(word) != 0) {
      if (word == "LIKE" && (NextIsWord(1, "ANY") || NextIsWord(1, "ALL") || NextIsWord(1, "SOME")))
        ThrowUnsupported(expression_, "LIKE ANY, ALL and SOME are not supported");
      Write(word);
      after_value_ = word == "END";
      ++at_;
      return;
    }
    Name();
  }

  void RefuseByName(const std::string& word) const {
    static const std::set<std::string> kAfterValue = {"RLIKE",  "REGEXP", "ILIKE",   "OVER",
                                                      "FILTER", "AS",     "COLLATE", "FROM"};
    if (after_value_ && kAfterValue.count(word) != 0) {
      ThrowUnsupported(expression_, word == "OVER" ? "window functions (OVER) are not supported"
                                                   : word + " is not supported here");
    }
    const SparkToken* next = Peek(1);
    const bool opens =
        at_ == 0 || (tokens_[at_ - 1].kind == Kind::kSymbol && tokens_[at_ - 1].text == "(");
    const bool followed = next != nullptr && next->kind != Kind::kSymbol;
    if (opens && followed && (word == "SELECT" || word == "WITH" || word == "VALUES")) {
      ThrowUnsupported(expression_, "sub-queries are not supported");
    }
    if (word == "EXISTS" && NextIs(1, "(") && NextIsWord(2, "SELECT")) {
      ThrowUnsupported(expression_, "sub-queries (EXISTS) are not supported");
    }
    if (!after_value_ && word == "INTERVAL" && followed && next->kind != Kind::kWord) {
      ThrowUnsupported(expression_, "INTERVAL is not supported");
    }
  }

  // IS [NOT] NULL, TRUE, FALSE, UNKNOWN, DISTINCT FROM.
  void Is() {
    const bool negated = NextIsWord(1, "NOT");
    const size_t what = negated ? 2 : 1;
    if (NextIsWord(what, "DISTINCT") && NextIsWord(what + 1, "FROM")) {
      Write(negated ? "IS NOT DISTINCT FROM" : "IS DISTINCT FROM");
      at_ += what + 2;
      after_value_ = false;
      return;
    }
    if (NextIsWord(what, "NULL") || NextIsWord(what, "UNKNOWN")) {
      Write(negated ? "IS NOT NULL" : "IS NULL");
    } else if (NextIsWord(what, "TRUE") || NextIsWord(what, "FALSE")) {
      Write(negated ? "IS DISTINCT FROM" : "IS NOT DISTINCT FROM");
      WriteLiteral(SparkLiteral::Kind::kBoolean, NextIsWord(what, "TRUE") ? "true" : "false");
    } else {
      Unexpected();
    }
    at_ += what + 1;
    after_value_ = true;
  }

  // `AS decimal(10, 2))`: the type becomes a literal, a second argument.
  void CastType() {
    std::string type;
    int depth = 0;
    for (++at_; at_ < tokens_.size(); ++at_) {
      const SparkToken& token = tokens_[at_];
      if (token.kind == Kind::kSymbol && token.text == "(") ++depth;
      if (token.kind == Kind::kSymbol && token.text == ")" && depth-- == 0) break;
      for (const char c : token.text) {
        type += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      }
    }
    Write(",");
    WriteLiteral(SparkLiteral::Kind::kType, std::move(type));
  }

  void Symbol() {
    const std::string& symbol = tokens_[at_].text;
    if (symbol == "(" || symbol == "[") {
      open_.push_back({});
      Write(symbol);
      after_value_ = false;
    } else if (symbol == ")" || symbol == "]") {
      if (open_.empty()) Unexpected();
      open_.pop_back();
      Write(symbol);
      after_value_ = true;
    } else if (symbol == "," || symbol == ".") {
      if (!after_value_) Unexpected();
      Write(symbol);
      after_value_ = false;
      if (symbol == "." && NextIs(1, "*")) ThrowUnsupported(expression_, "'*' is not supported");
    } else if (symbol == "||") {
      WriteOperator("+", "||");
    } else if (symbol == "==") {
      WriteOperator("=", "=");
    } else if (symbol == "<=>") {
      Write("IS NOT DISTINCT FROM");
      after_value_ = false;
    } else if (symbol == "!") {
      Write("NOT");
    } else if (symbol == "*" && !after_value_) {
      ThrowUnsupported(expression_, "'*' is not supported as a column");
    } else if (symbol == "-" && !after_value_ && Peek(1) != nullptr &&
               Peek(1)->kind == Kind::kNumber) {
      WriteLiteral(SparkLiteral::Kind::kNumber, "-" + Peek(1)->text);
      ++at_;
    } else if ((symbol == "-" || symbol == "+") && !after_value_) {
      // Two of them in a row would begin a comment.
      Write(symbol);
    } else if (symbol == "+" || symbol == "-" || symbol == "*" || symbol == "/" || symbol == "%") {
      WriteOperator(symbol, symbol);
    } else if (symbol == "=" || symbol == "<" || symbol == ">" || symbol == "<=" ||
               symbol == ">=" || symbol == "<>" || symbol == "!=") {
      Write(symbol);
      after_value_ = false;
    } else {
      ThrowUnsupported(expression_, Refusal(symbol));
    }
    ++at_;
  }

  static std::string Refusal(const std::string& symbol) {
    if (symbol == "?" || symbol == ":" || symbol == "$") return "parameters are not supported";
    if (symbol == "->" || symbol == "=>") return "lambda functions are not supported";
    if (symbol == "::") return "'::' is not supported; write cast(... as ...)";
    return "the operator '" + symbol + "' is not supported";
  }

  // DuckDB's parser and Spark's agree on where one predicate ends, not on how several without
  // parentheses nest: `a = b LIKE c` is `(a = b) LIKE c` in Spark alone.
  void CheckMixedPredicates() const {
    std::vector<std::vector<std::string>> clauses(1);
    std::vector<bool> between(1, false);
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const SparkToken& token = tokens_[i];
      const std::string& what = token.kind == Kind::kWord ? token.upper : token.text;
      if (token.kind == Kind::kSymbol && (what == "(" || what == "[")) {
        clauses.emplace_back();
        between.push_back(false);
      } else if (token.kind == Kind::kSymbol && (what == ")" || what == "]")) {
        if (clauses.size() > 1) {
          clauses.pop_back();
          between.pop_back();
        }
      } else if (IsComparison(token)) {
        Count(clauses.back(), what == "<=>" ? "<=>" : "=");
      } else if (token.kind == Kind::kWord &&
                 (what == "LIKE" || what == "IN" || what == "BETWEEN" || what == "IS")) {
        if (i > 0 && tokens_[i - 1].kind == Kind::kSymbol && tokens_[i - 1].text == ".") continue;
        Count(clauses.back(), what);
        if (what == "BETWEEN") between.back() = true;
      } else if (token.kind == Kind::kWord && what == "AND" && between.back()) {
        between.back() = false;
      } else if (EndsClause(i)) {
        clauses.back().clear();
        between.back() = false;
      }
    }
  }

  static bool IsComparison(const SparkToken& token) {
    static const std::set<std::string> kComparisons = {
        "=", "==", "<", ">", "<=", ">=", "<>", "!=", "<=>"};
    return token.kind == Kind::kSymbol && kComparisons.count(token.text) != 0;
  }

  [[nodiscard]] bool EndsClause(size_t i) const {
    const SparkToken& token = tokens_[i];
    if (token.kind == Kind::kSymbol) return token.text == "," || token.text == "!";
    if (token.kind != Kind::kWord) return false;
    if (token.upper == "NOT") {
      // Not the one of IS NOT, NOT IN, NOT LIKE, NOT BETWEEN.
      const bool after_is = i > 0 && tokens_[i - 1].upper == "IS";
      const std::string next = i + 1 < tokens_.size() ? tokens_[i + 1].upper : "";
      return !after_is && next != "IN" && next != "LIKE" && next != "BETWEEN";
    }
    static const std::set<std::string> kEnds = {"AND", "OR", "CASE", "WHEN", "THEN", "ELSE", "END"};
    return kEnds.count(token.upper) != 0;
  }

  void Count(std::vector<std::string>& clause, const std::string& predicate) const {
    clause.push_back(predicate);
    const bool fine =
        clause.size() == 1 || (clause.size() == 2 && predicate == "IS" && clause.front() == "=");
    if (!fine) {
      ThrowUnsupported(expression_, "several comparisons follow one another ('" + clause.front() +
                                        "' and '" + predicate + "'); put parentheses around each");
    }
  }

  [[noreturn]] void Unexpected() const {
    ThrowUnsupported(expression_, "'" + tokens_[at_].text + "' is not expected where it stands");
  }

  const std::string& expression_;
  std::vector<SparkToken> tokens_;
  size_t at_ = 0;
  bool after_value_ = false;
  std::vector<Bracket> open_;
  SparkText out_;
};

}  // namespace

void ThrowUnsupported(std::string_view expression, const std::string& problem) {
  throw InvalidArgument("The expression '" + std::string(expression) +
                        "' cannot be used: " + problem + " (docs/expressions.md lists what can)");
}

SparkText RewriteSparkText(const std::string& expression) { return Rewriter(expression).Rewrite(); }

}  // namespace ariadne::engine
