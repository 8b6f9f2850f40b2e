#include "text/text_format.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "ariadne/errors.h"

namespace ariadne::text {

namespace {

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

[[noreturn]] void Refuse(const std::string& option, const std::string& value,
                         const std::string& why) {
  throw InvalidArgument("The read option '" + option + "' cannot be '" + value + "': " + why);
}

/// One option being read: `name` as the user spelled it.
struct Given {
  const std::string& name;
  const std::string& value;
  TextOptions& options;

  [[nodiscard]] bool Flag() const {
    const std::string word = Lower(value);
    if (word == "true") return true;
    if (word == "false") return false;
    Refuse(name, value, "it is true or false");
  }
  // Spark counts UTF-16 units; what is not ASCII would be several bytes here.
  [[nodiscard]] char Character() const {
    if (value.empty()) return '\0';
    if (value.size() > 1 || static_cast<unsigned char>(value[0]) > 0x7f) {
      Refuse(name, value, "it is one ASCII character, or empty for none");
    }
    return value[0];
  }
  [[nodiscard]] TimePattern Pattern() const { return {"The read option '" + name + "'", value}; }
  void Only(const std::string& supported) const {
    if (Lower(value) != Lower(supported)) {
      Refuse(name, value, "only '" + supported + "' is supported; leave the option out");
    }
  }
};

std::string Delimiter(const std::string& name, const std::string& value) {
  std::string delimiter;
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\\') {
      delimiter += value[i];
      continue;
    }
    static const std::map<char, char> kEscapes = {
        {'t', '\t'}, {'r', '\r'}, {'b', '\b'}, {'f', '\f'}, {'"', '"'}, {'\'', '\''}, {'\\', '\\'}};
    const auto escape = i + 1 < value.size() ? kEscapes.find(value[i + 1]) : kEscapes.end();
    if (escape == kEscapes.end()) {
      Refuse(name, value, "a backslash stands before one of t r b f \" ' \\ only");
    }
    delimiter += escape->second;
    ++i;
  }
  if (delimiter.empty()) Refuse(name, value, "it needs at least one character");
  if (delimiter.find_first_of("\r\n") != std::string::npos) {
    Refuse(name, value, "fields cannot be separated by what ends a line");
  }
  return delimiter;
}

Encoding EncodingOf(const std::string& name, const std::string& value) {
  static const std::map<std::string, Encoding> kEncodings = {
      {"utf-8", Encoding::kUtf8},        {"utf8", Encoding::kUtf8},
      {"iso-8859-1", Encoding::kLatin1}, {"iso8859-1", Encoding::kLatin1},
      {"iso_8859-1", Encoding::kLatin1}, {"iso8859_1", Encoding::kLatin1},
      {"latin1", Encoding::kLatin1},     {"l1", Encoding::kLatin1},
      {"us-ascii", Encoding::kAscii},    {"ascii", Encoding::kAscii},
      {"utf-16", Encoding::kUtf16},      {"utf_16", Encoding::kUtf16},
      {"utf-16le", Encoding::kUtf16Le},  {"utf-16be", Encoding::kUtf16Be}};
  const auto found = kEncodings.find(Lower(value));
  if (found != kEncodings.end()) return found->second;
  Refuse(name, value,
         "supported are UTF-8, ISO-8859-1, US-ASCII and, with multiLine, UTF-16, UTF-16LE and "
         "UTF-16BE; convert the files");
}

ParseMode ModeOf(const std::string& name, const std::string& value) {
  const std::string mode = Lower(value);
  if (mode == "permissive") return ParseMode::kPermissive;
  if (mode == "dropmalformed") return ParseMode::kDropMalformed;
  if (mode == "failfast") return ParseMode::kFailFast;
  Refuse(name, value, "it is PERMISSIVE, DROPMALFORMED or FAILFAST");
}

using Reader = void (*)(const Given&);
struct Option {
  const char* name;
  Reader read;
};

// What rules writing or sampling only is taken, and rules nothing here.
void Ignore(const Given&) {}

const Option kCommonOptions[] = {
    {"dateFormat",
     [](const Given& g) {
       g.options.times.date = g.Pattern();
       g.options.date_pattern = g.value;
     }},
    {"timestampFormat", [](const Given& g) { g.options.times.timestamp = g.Pattern(); }},
    {"timestampNTZFormat", [](const Given& g) { g.options.times.timestamp_ntz = g.Pattern(); }},
    {"encoding", [](const Given& g) { g.options.encoding = EncodingOf(g.name, g.value); }},
    {"charset", [](const Given& g) { g.options.encoding = EncodingOf(g.name, g.value); }},
    {"multiLine", [](const Given& g) { g.options.multi_line = g.Flag(); }},
    {"mode", [](const Given& g) { g.options.mode = ModeOf(g.name, g.value); }},
    {"lineSep",
     [](const Given& g) {
       if (g.value.empty()) Refuse(g.name, g.value, "it needs at least one character");
       g.options.line_separator = g.value;
     }},
    {"timeZone", [](const Given& g) { g.Only("UTC"); }},
    {"locale", [](const Given& g) { g.Only("en-US"); }},
    {"samplingRatio", Ignore},
    {"compression", Ignore},
};

const Option kCsvOptions[] = {
    {"header", [](const Given& g) { g.options.header = g.Flag(); }},
    {"sep", [](const Given& g) { g.options.delimiter = Delimiter(g.name, g.value); }},
    {"delimiter", [](const Given& g) { g.options.delimiter = Delimiter(g.name, g.value); }},
    {"quote", [](const Given& g) { g.options.quote = g.Character(); }},
    {"escape", [](const Given& g) { g.options.escape = g.Character(); }},
    {"comment", [](const Given& g) { g.options.comment = g.Character(); }},
    {"nullValue", [](const Given& g) { g.options.null_value = g.value; }},
    {"emptyValue", [](const Given& g) { g.options.empty_value = g.value; }},
    {"nanValue", [](const Given& g) { g.options.nan_value = g.value; }},
    {"positiveInf", [](const Given& g) { g.options.positive_infinity = g.value; }},
    {"negativeInf", [](const Given& g) { g.options.negative_infinity = g.value; }},
    {"ignoreLeadingWhiteSpace", [](const Given& g) { g.options.trim_leading = g.Flag(); }},
    {"ignoreTrailingWhiteSpace", [](const Given& g) { g.options.trim_trailing = g.Flag(); }},
    {"enforceSchema", [](const Given& g) { g.Only("true"); }},
    {"unescapedQuoteHandling", [](const Given& g) { g.Only("STOP_AT_DELIMITER"); }},
    {"inferSchema", [](const Given& g) { g.options.infer_types = g.Flag(); }},
    {"quoteAll", Ignore},
    {"escapeQuotes", Ignore},
};

const Option kJsonOptions[] = {
    {"allowComments", [](const Given& g) { g.options.allow_comments = g.Flag(); }},
    {"allowUnquotedFieldNames", [](const Given& g) { g.options.allow_unquoted_names = g.Flag(); }},
    {"allowSingleQuotes", [](const Given& g) { g.options.allow_single_quotes = g.Flag(); }},
    {"allowNumericLeadingZeros", [](const Given& g) { g.options.allow_leading_zeros = g.Flag(); }},
    {"allowNonNumericNumbers", [](const Given& g) { g.options.allow_non_numbers = g.Flag(); }},
    {"allowBackslashEscapingAnyCharacter",
     [](const Given& g) { g.options.allow_any_escape = g.Flag(); }},
    {"allowUnquotedControlChars",
     [](const Given& g) { g.options.allow_control_characters = g.Flag(); }},
    {"primitivesAsString", [](const Given& g) { g.options.primitives_as_string = g.Flag(); }},
    {"prefersDecimal", [](const Given& g) { g.options.prefers_decimal = g.Flag(); }},
    {"dropFieldIfAllNull", [](const Given& g) { g.options.drop_if_all_null = g.Flag(); }},
    {"ignoreNullFields", Ignore},
};

template <size_t N>
const Option* Find(const Option (&options)[N], const std::string& lower) {
  for (const Option& option : options) {
    if (Lower(option.name) == lower) return &option;
  }
  return nullptr;
}

std::string SupportedNames(bool csv) {
  std::vector<std::string> names;
  for (const Option& option : kCommonOptions) names.emplace_back(option.name);
  if (csv) {
    for (const Option& option : kCsvOptions) names.emplace_back(option.name);
  } else {
    for (const Option& option : kJsonOptions) names.emplace_back(option.name);
  }
  std::sort(names.begin(), names.end());
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

bool IsUtf16(const TextOptions& options) {
  return options.encoding == Encoding::kUtf16 || options.encoding == Encoding::kUtf16Le ||
         options.encoding == Encoding::kUtf16Be;
}

void CheckTogether(const TextOptions& options) {
  if (IsUtf16(options) && !options.multi_line) {
    throw InvalidArgument(
        "The read option 'encoding' names UTF-16, in which lines cannot be found byte by byte (nor "
        "does Spark read them): set multiLine to true as well");
  }
  if (!options.csv) return;
  if (!options.line_separator.empty() && options.multi_line) {
    throw InvalidArgument(
        "The read options 'lineSep' and 'multiLine' do not go together for CSV: leave one out");
  }
  constexpr size_t kLongestLineSeparator = 2;
  if (options.line_separator.size() > kLongestLineSeparator) {
    throw InvalidArgument("The read option 'lineSep' has more than two characters");
  }
  if (options.quote != '\0' && options.delimiter.find(options.quote) != std::string::npos) {
    throw InvalidArgument("The read option 'sep' holds the character of the option 'quote': name " +
                          std::string("another quote, or an empty one for none"));
  }
}

}  // namespace

bool IsTextFormat(const std::string& format) { return format == "csv" || format == "json"; }

TextOptions ReadTextOptions(const TextFormat& format) {
  if (!IsTextFormat(format.format)) {
    throw InvalidArgument("The format '" + format.format +
                          "' is no text format; there are csv and json");
  }
  TextOptions options;
  options.csv = format.format == "csv";
  std::vector<std::pair<const Option*, const std::pair<std::string, std::string>*>> given;
  std::set<std::string> names;
  bool sep = false;
  bool encoding = false;
  for (const auto& pair : format.read_options) {
    const std::string name = Lower(pair.first);
    const Option* option = Find(kCommonOptions, name);
    if (option == nullptr) {
      option = options.csv ? Find(kCsvOptions, name) : Find(kJsonOptions, name);
    }
    if (option == nullptr) {
      throw InvalidArgument("The read option '" + pair.first + "' is not supported for " +
                            format.format + ". Supported are " + SupportedNames(options.csv));
    }
    if (!names.insert(name).second) {
      throw InvalidArgument("The read option '" + pair.first + "' is given twice");
    }
    sep = sep || name == "sep";
    encoding = encoding || name == "encoding";
    given.emplace_back(option, &pair);
  }
  for (const auto& [option, pair] : given) {
    // Of two spellings Spark prefers these, whatever their order.
    if (sep && std::string(option->name) == "delimiter") continue;
    if (encoding && std::string(option->name) == "charset") continue;
    option->read({pair->first, pair->second, options});
  }
  options.escape_of_escape = options.escape == options.quote ? '\0' : options.escape;
  CheckTogether(options);
  return options;
}

void CheckReadOptions(const std::string& format,
                      const std::vector<std::pair<std::string, std::string>>& options) {
  if (format == "parquet") return;
  ReadTextOptions({format, options});
}

}  // namespace ariadne::text
