#include "text/text_input.h"

#include <array>
#include <cctype>
#include <cstring>
#include <utility>

#include <arrow/io/compressed.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/compression.h>
#include <arrow/util/utf8.h>

#include "ariadne/errors.h"
#include "text/text_encoding.h"

namespace ariadne::text {

namespace {

constexpr int64_t kPieceBytes = 1 << 20;
constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

std::string Suffix(const std::string& uri) {
  const size_t slash = uri.rfind('/');
  const std::string name = slash == std::string::npos ? uri : uri.substr(slash + 1);
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos) return "";
  // Hadoop, which picks the codec, knows small letters only.
  return name.substr(dot);
}

arrow::Result<std::unique_ptr<arrow::util::Codec>> CodecOf(const std::string& uri) {
  const std::string suffix = Suffix(uri);
  if (suffix == ".gz") return arrow::util::Codec::Create(arrow::Compression::GZIP);
  if (suffix == ".bz2") return arrow::util::Codec::Create(arrow::Compression::BZ2);
  if (suffix == ".zst") return arrow::util::Codec::Create(arrow::Compression::ZSTD);
  if (suffix == ".deflate") {
    arrow::util::GZipCodecOptions options;
    options.gzip_format = arrow::util::GZipFormat::ZLIB;
    return arrow::util::Codec::Create(arrow::Compression::GZIP, options);
  }
  return nullptr;
}

[[noreturn]] void Fail(const std::string& uri, const arrow::Status& status) {
  throw InvalidFile(uri + ": it cannot be read: " + status.message());
}

}  // namespace

void CheckCompression(const std::string& uri) {
  const std::string suffix = Suffix(uri);
  for (const char* unknown : {".lz4", ".snappy", ".lzo", ".lzo_deflate", ".xz", ".zip", ".br"}) {
    if (suffix == unknown) {
      throw InvalidFile(uri + ": files compressed as '" + suffix +
                        "' cannot be read. Supported are .gz, .bz2, .zst, .deflate and no "
                        "compression; write the file again as one of them");
    }
  }
}

bool IsCompressed(const std::string& uri) {
  const std::string suffix = Suffix(uri);
  return suffix == ".gz" || suffix == ".bz2" || suffix == ".zst" || suffix == ".deflate";
}

TextInput::TextInput(const std::shared_ptr<arrow::io::RandomAccessFile>& file, std::string uri,
                     const TextOptions& options)
    : uri_(std::move(uri)),
      options_(options),
      encoding_(options.encoding.value_or(Encoding::kUtf8)) {
  CheckCompression(uri_);
  const auto size = file->GetSize();
  if (!size.ok()) throw StorageError(uri_ + ": " + size.status().message());
  auto stream = arrow::io::RandomAccessFile::GetStream(file, 0, *size);
  if (!stream.ok()) Fail(uri_, stream.status());
  stream_ = *stream;
  auto codec = CodecOf(uri_);
  if (!codec.ok()) Fail(uri_, codec.status());
  // An empty file is no compressed text, and holds no row.
  if (*codec == nullptr || *size == 0) return;
  const std::shared_ptr<arrow::util::Codec> shared = std::move(*codec);
  auto compressed = arrow::io::CompressedInputStream::Make(shared.get(), stream_);
  if (!compressed.ok()) Fail(uri_, compressed.status());
  // The stream borrows the codec.
  stream_ = std::shared_ptr<arrow::io::InputStream>(
      compressed->get(), [shared, kept = *compressed](arrow::io::InputStream*) {});
}

TextInput::~TextInput() = default;

bool TextInput::Fill() {
  if (end_) return false;
  const auto piece = stream_->Read(kPieceBytes);
  if (!piece.ok()) Fail(uri_, piece.status());
  if ((*piece)->size() == 0) {
    end_ = true;
    return false;
  }
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_.append(reinterpret_cast<const char*>((*piece)->data()),
                 static_cast<size_t>((*piece)->size()));
  if (first_) {
    first_ = false;
    while (buffer_.size() < 4) {
      const auto more = stream_->Read(kPieceBytes);
      if (!more.ok()) Fail(uri_, more.status());
      if ((*more)->size() == 0) break;
      buffer_.append(reinterpret_cast<const char*>((*more)->data()),
                     static_cast<size_t>((*more)->size()));
    }
    const std::string_view begin = buffer_;
    if (begin.starts_with(kUtf8Mark)) {
      at_ = kUtf8Mark.size();
      if (options_.multi_line) encoding_ = Encoding::kUtf8;
    } else if (options_.multi_line && begin.starts_with("\xff\xfe")) {
      at_ = 2;
      encoding_ = Encoding::kUtf16Le;
    } else if (options_.multi_line && begin.starts_with("\xfe\xff")) {
      at_ = 2;
      encoding_ = Encoding::kUtf16Be;
    }
  }
  return true;
}

std::string_view TextInput::Decode(std::string_view bytes, bool last) {
  const bool plain = encoding_ == Encoding::kUtf8 && pending_.empty();
  if (plain && !options_.csv && !options_.encoding) return bytes;
  if (encoding_ < Encoding::kUtf16 && pending_.empty() && IsAscii(bytes)) return bytes;
  decoded_.clear();
  const std::string joined = pending_ + std::string(bytes);
  const size_t taken = DecodeText(joined, encoding_, last, &decoded_, &malformed_);
  pending_ = joined.substr(taken);
  return decoded_;
}

bool TextInput::NextLine(std::string_view* line) {
  malformed_ = false;
  const std::string& separator = options_.line_separator;
  size_t searched = 0;
  while (true) {
    const std::string_view rest = std::string_view(buffer_).substr(at_);
    size_t end = std::string_view::npos;
    size_t width = 1;
    if (!separator.empty()) {
      end = rest.find(separator, searched);
      width = separator.size();
    } else {
      const std::string_view unseen = rest.substr(searched);
      end = unseen.find('\n');
      if (const size_t cr = unseen.substr(0, end).find('\r'); cr != std::string_view::npos) {
        end = cr;
        // Whether "\n" follows must be known.
        if (cr + 1 == unseen.size() && !end_) {
          Fill();
          continue;
        }
        if (cr + 1 < unseen.size() && unseen[cr + 1] == '\n') width = 2;
      }
      if (end != std::string_view::npos) end += searched;
    }
    if (end != std::string_view::npos) {
      at_ += end + width;
      ++line_number_;
      *line = Decode(rest.substr(0, end), /*last=*/true);
      return true;
    }
    searched = rest.size() < separator.size() ? 0 : rest.size() - separator.size();
    if (separator.empty()) searched = rest.size();
    const bool was_first = first_;
    if (Fill()) {
      if (was_first) searched = 0;
      continue;
    }
    if (rest.empty()) return false;
    at_ = buffer_.size();
    ++line_number_;
    *line = Decode(rest, /*last=*/true);
    return true;
  }
}

std::string_view TextInput::NextPiece() {
  while (true) {
    if (at_ == buffer_.size() && !Fill()) {
      if (pending_.empty()) return {};
      const std::string_view text = Decode({}, /*last=*/true);
      pending_.clear();
      return text;
    }
    const std::string_view bytes = std::string_view(buffer_).substr(at_);
    at_ = buffer_.size();
    const std::string_view text = Decode(bytes, /*last=*/false);
    if (!text.empty()) return text;
  }
}

}  // namespace ariadne::text
