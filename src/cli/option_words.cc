#include "cli/option_words.h"

#include <utility>

namespace ariadne::cli {
namespace {

constexpr int kAnyNumber = 1 << 20;

/// Words that nothing was declared for.
std::string UnexpectedWords(const CLI::App& app, const std::string& command) {
  std::string words;
  for (const std::string& word : app.remaining(/*recurse=*/true)) {
    if (word.starts_with('-')) return "there is no option " + word;
    if (command.empty()) return "there is no command '" + word + "'";
    words += (words.empty() ? "'" : ", '") + word + "'";
  }
  return command + " takes no more words, and was given " + words;
}

}  // namespace

CLI::Option* AddWord(CLI::App& command, const char* label, std::string& word, const char* help) {
  return AddOption(command, label, word, "", help);
}

CLI::Option* AddName(CLI::App& command, std::string& name) {
  return AddWord(command, "NAME", name, "Name of the index")->required();
}

CLI::Option* AddWords(CLI::App& command, const char* label, std::vector<std::string>& words,
                      const char* help) {
  return AddOption(command, label, words, "", help)
      ->required()
      ->option_text("... REQUIRED")
      // Without the parser's own list syntax: `[ab]` is a glob, not the list "ab".
      ->expected(kAnyNumber)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Option* AddRepeated(CLI::App& command, const char* flag, std::vector<std::string>& values,
                         const char* type, const char* help) {
  return AddOption(command, flag, values, type, help)->allow_extra_args(false);
}

std::string HelpText(const CLI::App& command, const std::string& parent) {
  std::string text = command.help(parent);
  // What the parser knows of a number without end, and of the value that a flag stands for.
  const std::pair<std::string, std::string> words[] = {
      {"(" + std::to_string(kAnyNumber) + "x)", "..."}, {"{true}", ""}};
  for (const auto& [theirs, ours] : words) {
    for (auto at = text.find(theirs); at != std::string::npos; at = text.find(theirs, at)) {
      text.replace(at, theirs.size(), ours);
    }
  }
  return text;
}

std::string UsageMessage(const CLI::App& app, const CLI::Error& error) {
  const auto chosen = app.get_subcommands();
  const std::string command = chosen.empty() ? "" : chosen.front()->get_name();
  const std::string see = "\n  see: ariadne " + (command.empty() ? "" : command + " ") + "--help";
  if (!app.remaining(/*recurse=*/true).empty()) return UnexpectedWords(app, command) + see;
  const bool no_command =
      command.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  return (no_command ? "which command?" : std::string(error.what())) + see;
}

}  // namespace ariadne::cli
