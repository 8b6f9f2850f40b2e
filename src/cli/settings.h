#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ariadne/options.h"

namespace ariadne::cli {

/// A setting of the command line's surroundings. In a file it is called `ariadne.{name}` (or
/// `spark.ariadne.{name}`, as the JVM library has it), in the environment
/// ARIADNE_{NAME_IN_CAPITALS}, on the command line by its flag.
struct Setting {
  std::string name;        ///< "largeIndexLimit"
  std::string flag;        ///< "--large-index-limit"; empty: none that every command has.
  std::string type;        ///< What the help writes for the flag's value; empty: it needs none.
  std::string help;        ///< What the flag does.
  std::string note;        ///< What a reader of `ariadne config` should know beside the value.
  bool is_common = false;  ///< Its flag stands among the first in the help.
};

/// All of them, in the order in which `ariadne config` shows them.
const std::vector<Setting>& Settings();

/// A setting with its value and where that came from.
struct SettingValue {
  Setting setting;
  std::string value;   ///< As text; empty: not set.
  std::string origin;  ///< "default", "file PATH", "environment NAME", "flag --x"
};

/// What file and environment say, and the flags once they have been taken.
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

/// What flags say, by the setting's name; nullopt: not given.
using SettingFlags = std::map<std::string, std::optional<std::string>>;
/// Flags win. Throws InvalidArgument for a value that cannot be meant.
void TakeFlags(const SettingFlags& flags, Surroundings& surroundings);

}  // namespace ariadne::cli
