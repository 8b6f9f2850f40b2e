#pragma once

// Includes the parser's headers: for the sources that declare options only.

#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace ariadne::cli {

/// Declares NAME, the index that a command is about.
CLI::Option* AddName(CLI::App& command, std::string& name);

/// Declares a word that goes by its place.
CLI::Option* AddWord(CLI::App& command, const char* label, std::string& word, const char* help);

/// Declares any number of words at the end, one at least.
CLI::Option* AddWords(CLI::App& command, const char* label, std::vector<std::string>& words,
                      const char* help);

/// Declares an option with a value, for which the help writes `type`.
template <typename Value>
CLI::Option* AddOption(CLI::App& command, const std::string& flag, Value& value, const char* type,
                       const std::string& help) {
  return command.add_option(flag, value, help)->type_name(type);
}

/// The same for an option that may be repeated, with one value an occurrence: `--range a NAME` must
/// not swallow NAME.
CLI::Option* AddRepeated(CLI::App& command, const char* flag, std::vector<std::string>& values,
                         const char* type, const char* help);

/// The help of a command, whose words begin with `parent`.
std::string HelpText(const CLI::App& command, const std::string& parent);

/// What was wrong with the words, and which help to read.
std::string UsageMessage(const CLI::App& app, const CLI::Error& error);

}  // namespace ariadne::cli
