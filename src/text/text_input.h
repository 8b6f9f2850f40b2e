#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <arrow/buffer.h>
#include <arrow/io/type_fwd.h>

#include "text/text_format.h"

namespace ariadne::text {

/// Throws InvalidFile, naming the suffixes that there are, for a name whose suffix says that the
/// file is compressed in a way that is not supported.
void CheckCompression(const std::string& uri);
/// True if the suffix of the name says that the file is compressed.
bool IsCompressed(const std::string& uri);

/// The bytes of a text file, decompressed by its suffix (.gz, .bz2, .deflate), as lines or pieces,
/// in UTF-8. Throws InvalidFile, naming `uri`, where the compressed bytes are damaged, StorageError
/// where they cannot be read.
class TextInput {
 public:
  TextInput(const std::shared_ptr<arrow::io::RandomAccessFile>& file, std::string uri,
            const TextOptions& options);
  ~TextInput();

  /// The next line without what ends it; false: there is none left. Valid until the next call.
  /// Text that is not encoded as it should be: in CSV each such character is U+FFFD; in JSON it
  /// makes `malformed()` true where an encoding was asked for, and stays as it is else.
  bool NextLine(std::string_view* line);
  /// The next piece of the text; empty at its end. Valid until the next call.
  std::string_view NextPiece();
  /// Number of the line that NextLine gave last, from 1.
  [[nodiscard]] int64_t line_number() const { return line_number_; }
  [[nodiscard]] bool malformed() const { return malformed_; }

 private:
  bool Fill();
  std::string_view Decode(std::string_view bytes, bool last);

  std::string uri_;
  const TextOptions options_;
  std::shared_ptr<arrow::io::InputStream> stream_;
  std::string buffer_;
  size_t at_ = 0;  // What of `buffer_` was given out.
  bool end_ = false;
  std::string decoded_;
  std::string pending_;  // Bytes of a character that the next piece completes.
  Encoding encoding_ = Encoding::kUtf8;
  bool first_ = true;
  bool malformed_ = false;
  int64_t line_number_ = 0;
};

}  // namespace ariadne::text
