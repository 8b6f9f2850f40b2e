#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ariadne/options.h"

namespace ariadne::cli {

/// A setting of the command line's surroundings. In a file it is called `ariadne.{name}` (or
/// `spark.ariadne.{name}`, as the JVM library has it), in the environment
/// ARIADNE_{NAME_IN_CAPITALS}, on the command line by its flag.
struct Setting {
  std::string name;  ///< "largeIndexLimit"
  std::string flag;  ///< "--large-index-limit"; empty: none.
  std::string note;  ///< What a reader of `ariadne config` should know beside the value.
};

/// A setting with its value and where that came from.
struct SettingValue {
  Setting setting;
  std::string value;   ///< As text; empty: not set.
  std::string origin;  ///< "default", "file PATH", "environment NAME", "flag --x"
};

/// What file and environment say, before any flag.
struct Surroundings {
  std::string root;  ///< `storagePath`.
  Options options;
  bool debug = false;
  std::vector<SettingValue> values;
  std::vector<std::string> warnings;  ///< What could not be taken, and what was taken instead.
};

/// Whether a time zone of that name, or such an offset ("+02:00"), is known here.
bool IsTimeZone(const std::string& name);

/// Reads `config_file`, or where it is empty $ARIADNE_CONFIG, or `ariadne.properties` in the
/// working directory, or `~/.config/ariadne/ariadne.properties`; then the environment, which wins.
/// Lines of the file are `key = value`, `#` begins a comment. A value that cannot be meant is
/// warned of, and the default taken, as the reference has it. Throws FileNotFound where a file that
/// was asked for by name is not there.
Surroundings ReadSurroundings(const std::string& config_file,
                              const std::function<const char*(const char*)>& environment);

/// Values as they are once the flags have been read: `given` tells whether a flag was on the
/// command line.
std::vector<SettingValue> FinalValues(const Surroundings& surroundings, const std::string& root,
                                      const Options& options, bool debug,
                                      const std::function<bool(const std::string& flag)>& given);

}  // namespace ariadne::cli
