#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "source/file_uri.h"
#include "storage/debug_log.h"

namespace ariadne::cli {
namespace {

bool AsksForJson(const std::vector<std::string>& words) {
  for (const auto& word : words) {
    if (word == "--") return false;
    if (word == "--json") return true;
  }
  return false;
}

// Commands that hold no lock and leave nothing half done: a stop request may end the process.
bool OnlyReads(const CommandArguments& command) {
  return std::holds_alternative<LocateArguments>(command) ||
         std::holds_alternative<ListArguments>(command) ||
         std::holds_alternative<DescribeArguments>(command) ||
         std::holds_alternative<FilesArguments>(command) ||
         std::holds_alternative<StatsArguments>(command) ||
         std::holds_alternative<FindArguments>(command) ||
         std::holds_alternative<ConfigArguments>(command);
}

int Report(Streams& streams, bool json, const char* kind, const std::string& message,
           ExitCode code) {
  if (json) PrintJson(streams.out, {{"error", kind}, {"message", message}});
  streams.err << "ariadne: " << message << "\n" << std::flush;
  return static_cast<int>(code);
}

int RunOrThrow(const std::vector<std::string>& words, Streams& streams,
               const std::stop_token& stop) {
  const auto parsed = ParseArguments(words);
  if (const auto* requested = std::get_if<RequestedText>(&parsed)) {
    streams.out << requested->text;
    return static_cast<int>(ExitCode::kDone);
  }
  const auto& arguments = std::get<Arguments>(parsed);
  const auto leave = [] { _exit(static_cast<int>(ExitCode::kInterrupted)); };
  std::optional<std::stop_callback<decltype(leave)>> at_stop;
  if (OnlyReads(arguments.command)) at_stop.emplace(stop, leave);
  const Context context{.global = arguments.global, .streams = streams, .stop = stop};
  for (const std::string& warning : arguments.global.warnings) {
    streams.err << "warning: " << warning << "\n";
  }
  std::optional<storage::DebugListener> listener;
  if (arguments.global.debug) {
    listener.emplace([&streams](const std::string& text) {
      streams.err << "debug: " << text << "\n" << std::flush;
    });
  }
  const auto begin = std::chrono::steady_clock::now();
  const ExitCode code = std::visit(
      [&](const auto& command) -> ExitCode { return Run(command, context); }, arguments.command);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  storage::Debug("the command took " + FormatDuration(took.count()));
  return static_cast<int>(code);
}

/// The library's "the option allow_schema_mismatch" as it is given here.
std::string WithFlags(std::string message) {
  constexpr std::string_view kOption = "the option ";
  const auto is_name = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  for (size_t at = 0; (at = message.find(kOption, at)) != std::string::npos; ++at) {
    const auto begin = message.begin() + static_cast<ptrdiff_t>(at + kOption.size());
    const auto end = std::find_if_not(begin, message.end(), is_name);
    if (begin == end) continue;
    std::replace(begin, end, '_', '-');
    message.replace(at, kOption.size(), "--");
  }
  return message;
}

}  // namespace

const std::string& Context::Root() const {
  if (global.root.empty()) {
    throw InvalidArgument("where are the indexes? give --root FOLDER_OR_URL or set ARIADNE_ROOT");
  }
  return global.root;
}

Lake Context::OpenLake() const { return Lake(Root(), global.options); }

void Context::SayNoIndex() const {
  streams.err << "no index under " << Root();
  const std::string uri = source::CanonicalUri(Root());
  std::error_code ignored;
  if (uri.starts_with("file://") &&
      !std::filesystem::is_directory(source::DecodedUrl(uri).substr(7), ignored)) {
    streams.err << ": there is no such folder (`create` makes it)";
  }
  streams.err << "\n";
}

int RunCommandLine(const std::vector<std::string>& words, Streams& streams,
                   const std::stop_token& stop) noexcept {
  const bool json = AsksForJson(words);
  try {
    return RunOrThrow(words, streams, stop);
  } catch (const Error& error) {
    return Report(streams, json, error.kind(), WithFlags(error.what()), error.exit_code());
  } catch (const std::bad_alloc&) {
    return Report(streams, json, "OutOfMemory",
                  "the machine's memory does not suffice: give a smaller --memory",
                  ExitCode::kFailed);
  } catch (const std::exception& error) {
    return Report(streams, json, "InternalError",
                  std::string("unexpected error, please report it: ") + error.what(),
                  ExitCode::kFailed);
  } catch (...) {
    return Report(streams, json, "InternalError", "unexpected error, please report it",
                  ExitCode::kFailed);
  }
}

}  // namespace ariadne::cli
