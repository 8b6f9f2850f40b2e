#include "spark_cases.h"

#include <arrow/buffer.h>
#include <arrow/io/compressed.h>
#include <arrow/io/file.h>
#include <arrow/util/compression.h>

namespace ariadne::text {

namespace {

using nlohmann::json;

std::string Unpacked(const std::string& name) {
  const auto file =
      arrow::io::ReadableFile::Open(ARIADNE_TEST_DATA "/" + name + ".jsonl.gz").ValueOrDie();
  const auto codec = arrow::util::Codec::Create(arrow::Compression::GZIP).ValueOrDie();
  const auto stream = arrow::io::CompressedInputStream::Make(codec.get(), file).ValueOrDie();
  std::string text;
  while (true) {
    const auto piece = stream->Read(1 << 20).ValueOrDie();
    if (piece->size() == 0) return text;
    text.append(reinterpret_cast<const char*>(piece->data()), piece->size());
  }
}

}  // namespace

std::vector<json> SparkCases(const std::string& name) {
  const std::string text = Unpacked(name);
  std::vector<json> cases;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    cases.push_back(json::parse(text.substr(at, end - at)));
    at = end + 1;
  }
  return cases;
}

TextFormat FormatOf(const json& test) {
  TextFormat format{test["format"], {}};
  for (const auto& [name, value] : test["options"].items()) {
    format.read_options.emplace_back(name, value);
  }
  return format;
}

std::string FromBase64(const std::string& text) {
  static const std::string kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(kAlphabet.find(c));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xff);
    }
  }
  return bytes;
}

}  // namespace ariadne::text
