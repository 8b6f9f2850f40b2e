#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ariadne::text {

/// A pattern of dates and times with Java's letters, which reads texts as Spark 3.5 does for the
/// options `dateFormat` and `timestampFormat` and in `to_date` and `to_timestamp`: strictly,
/// without regard to case, with defaults for what the pattern lacks (1970-01-01 00:00:00).
class TimePattern {
 public:
  /// Throws InvalidArgument, beginning with `owner`, whose pattern it is, and naming the letter,
  /// for a letter or a length that is not supported. Supported: y M L d D H h k K m s S a X x Z VV,
  /// '…' and […].
  TimePattern(const std::string& owner, std::string pattern);

  /// Days since 1970-01-01; nullopt: the text does not fit.
  [[nodiscard]] std::optional<int32_t> Date(std::string_view text) const;
  /// Microseconds since the epoch, in UTC where the text names no zone.
  [[nodiscard]] std::optional<int64_t> Timestamp(std::string_view text) const;
  /// Microseconds since the epoch of the clock that the text shows; a text with a zone does not
  /// fit.
  [[nodiscard]] std::optional<int64_t> LocalTimestamp(std::string_view text) const;

 private:
  enum class Field {
    kLiteral,
    kYear,
    kMonth,
    kDay,
    kDayOfYear,
    kHour,
    kClockHour,
    kHalfHour,
    kClockHalfHour,
    kMinute,
    kSecond,
    kFraction,
    kHalf,
    kMonthName,
    kOffset,
    kZone,
    kOptionalBegin,
    kOptionalEnd,
  };
  struct Piece {
    Field field;
    int min_width = 1;
    int max_width = 19;
    bool exceeds_pad = false;  ///< A sign marks more digits than `min_width`.
    bool negative = false;     ///< May have a minus sign.
    bool two_digits = false;   ///< Of a year from 2000 on.
    int reserved = 0;          ///< Digits that the pieces right behind need.
    bool full_name = false;
    bool colon = false;
    bool minutes_optional = false;
    bool seconds = false;
    std::string text;  ///< A literal, or how no offset at all is spelled.
    size_t end = 0;    ///< Piece behind the end of an optional part.
  };
  struct Fields;

  void AddPart(const std::string& owner, std::string_view part);
  void AddLetters(const std::string& owner, char letter, int count);
  void AddNumber(Piece piece, int fixed_width);
  [[nodiscard]] bool Parse(std::string_view text, Fields* fields) const;
  // Each gives the length of what it took from the begin of `rest`; nullopt: it does not fit.
  static std::optional<size_t> ParsePiece(const Piece& piece, std::string_view rest,
                                          Fields* fields);
  static std::optional<size_t> ParseMonthName(const Piece& piece, std::string_view rest,
                                              Fields* fields);
  static std::optional<size_t> ParseHalf(std::string_view rest, Fields* fields);
  static std::optional<size_t> ParseFraction(const Piece& piece, std::string_view rest,
                                             Fields* fields);
  static std::optional<size_t> ParseOffset(const Piece& piece, std::string_view rest,
                                           Fields* fields);
  static std::optional<size_t> ParseZone(std::string_view rest, Fields* fields);
  static std::optional<size_t> ParseNumber(const Piece& piece, std::string_view rest,
                                           Fields* fields);
  static bool SetNumber(const Piece& piece, int64_t value, Fields* fields);
  bool ParsePieces(size_t begin, size_t end, std::string_view text, size_t* at,
                   Fields* fields) const;

  std::string pattern_;
  std::vector<Piece> pieces_;
  std::vector<size_t> open_;
  int adjacent_ = -1;  ///< Piece that digits right behind are taken from; -1: none.
};

}  // namespace ariadne::text
