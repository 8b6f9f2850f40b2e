#pragma once

#include <stdexcept>
#include <string>

namespace ariadne {

/// What the command line exits with for an error; scripts rely on the numbers.
enum class ExitCode : int {
  kDone = 0,
  kFailed = 1,
  kUsage = 2,
  kNotFound = 3,
  kLocked = 4,
  kSomeFilesFailed = 5,
  kInterrupted = 130,
};

/// Root of everything that Ariadne throws. The message says what was asked, what was found and
/// what to do about it; it is fit to be shown to a person as it stands.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// Exit code of the command line for this error.
  [[nodiscard]] virtual ExitCode exit_code() const { return ExitCode::kFailed; }
  /// Name of the class, e.g. "IndexNotFound": machines read it in the `--json` form of an error.
  [[nodiscard]] virtual const char* kind() const { return "Error"; }
};

// One class a condition. The macro-free repetition is a template: `Tag` names the class.
namespace internal {
template <const char* Kind, ExitCode Code, typename Base = Error>
class ErrorOf : public Base {
 public:
  using Base::Base;
  [[nodiscard]] ExitCode exit_code() const override { return Code; }
  [[nodiscard]] const char* kind() const override { return Kind; }
};
inline constexpr char kInvalidArgument[] = "InvalidArgument";
inline constexpr char kIndexNotFound[] = "IndexNotFound";
inline constexpr char kIndexAlreadyExists[] = "IndexAlreadyExists";
inline constexpr char kColumnNotFound[] = "ColumnNotFound";
inline constexpr char kFileNotFound[] = "FileNotFound";
inline constexpr char kSchemaMismatch[] = "SchemaMismatch";
inline constexpr char kFormatMismatch[] = "FormatMismatch";
inline constexpr char kIndexTypeConflict[] = "IndexTypeConflict";
inline constexpr char kUnsupportedColumn[] = "UnsupportedColumn";
inline constexpr char kUnsupportedJoin[] = "UnsupportedJoin";
inline constexpr char kMetadataCorrupt[] = "MetadataCorrupt";
inline constexpr char kUnsupportedMetadataVersion[] = "UnsupportedMetadataVersion";
inline constexpr char kUnsupportedStorageVersion[] = "UnsupportedStorageVersion";
inline constexpr char kInvalidDeltaTable[] = "InvalidDeltaTable";
inline constexpr char kCommitConflict[] = "CommitConflict";
inline constexpr char kLockTimeout[] = "LockTimeout";
inline constexpr char kLockLost[] = "LockLost";
inline constexpr char kStorageError[] = "StorageError";
inline constexpr char kInvalidFile[] = "InvalidFile";
inline constexpr char kUnindexedFiles[] = "UnindexedFiles";
inline constexpr char kQueryError[] = "QueryError";
inline constexpr char kCancelled[] = "Cancelled";
}  // namespace internal

/// A value, option or name that cannot be meant: fix the call.
using InvalidArgument = internal::ErrorOf<internal::kInvalidArgument, ExitCode::kUsage>;
/// No index of that name under the root.
using IndexNotFound = internal::ErrorOf<internal::kIndexNotFound, ExitCode::kNotFound>;
/// `create` met an index that exists with another definition.
using IndexAlreadyExists = internal::ErrorOf<internal::kIndexAlreadyExists, ExitCode::kFailed>;
/// No column of that name in the schema, or no index on it.
using ColumnNotFound = internal::ErrorOf<internal::kColumnNotFound, ExitCode::kNotFound>;
/// A path, directory or glob that names no file.
using FileNotFound = internal::ErrorOf<internal::kFileNotFound, ExitCode::kNotFound>;
/// The stored schema and the given one differ.
using SchemaMismatch = internal::ErrorOf<internal::kSchemaMismatch, ExitCode::kFailed>;
/// The stored format and the given one differ.
using FormatMismatch = internal::ErrorOf<internal::kFormatMismatch, ExitCode::kFailed>;
/// A column can carry one kind of index only.
using IndexTypeConflict = internal::ErrorOf<internal::kIndexTypeConflict, ExitCode::kUsage>;
/// The column's type, or its being nested, rules that kind of index out.
using UnsupportedColumn = internal::ErrorOf<internal::kUnsupportedColumn, ExitCode::kUsage>;
/// A join type whose result would depend on rows that match nothing.
using UnsupportedJoin = internal::ErrorOf<internal::kUnsupportedJoin, ExitCode::kUsage>;
/// metadata.json cannot be read as such.
using MetadataCorrupt = internal::ErrorOf<internal::kMetadataCorrupt, ExitCode::kFailed>;
/// metadata.json was written by a newer release.
using UnsupportedMetadataVersion =
    internal::ErrorOf<internal::kUnsupportedMetadataVersion, ExitCode::kFailed>;
/// The index's tables were written by a newer release.
using UnsupportedStorageVersion =
    internal::ErrorOf<internal::kUnsupportedStorageVersion, ExitCode::kFailed>;
/// A non-empty folder that holds no readable Delta table; it is reported, never deleted.
using InvalidDeltaTable = internal::ErrorOf<internal::kInvalidDeltaTable, ExitCode::kFailed>;
/// Another writer took the version: recompute and retry.
using CommitConflict = internal::ErrorOf<internal::kCommitConflict, ExitCode::kFailed>;
/// A lock was not had within the waiting time; the message names its holder.
using LockTimeout = internal::ErrorOf<internal::kLockTimeout, ExitCode::kLocked>;
/// Another process took the lock over while this one held it.
using LockLost = internal::ErrorOf<internal::kLockLost, ExitCode::kLocked>;
/// The object store refused or failed a request.
using StorageError = internal::ErrorOf<internal::kStorageError, ExitCode::kFailed>;
/// The object that a request named is not there.
using ObjectNotFound =
    internal::ErrorOf<internal::kFileNotFound, ExitCode::kNotFound, StorageError>;
/// A data file that is truncated, no Parquet, or lacks what its footer promises.
using InvalidFile = internal::ErrorOf<internal::kInvalidFile, ExitCode::kFailed>;
/// `unindexed=error` and some tracked files are not indexed yet.
using UnindexedFiles = internal::ErrorOf<internal::kUnindexedFiles, ExitCode::kFailed>;
/// The SQL engine refused or failed a query.
using QueryError = internal::ErrorOf<internal::kQueryError, ExitCode::kFailed>;
/// Stopped by the user; what was committed stays.
using Cancelled = internal::ErrorOf<internal::kCancelled, ExitCode::kInterrupted>;

}  // namespace ariadne
