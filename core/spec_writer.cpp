// SPDX-License-Identifier: Apache-2.0
#include "core/spec_writer.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace roofcast {
namespace {

constexpr std::size_t kWidth = 100;

bool IsPlain(std::string_view text, bool flow) {
  const auto letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  if (text.empty() || Trim(text) != text) return false;
  if (!letter_or_digit(text.front()) && text.front() != '/' && text.front() != '(') return false;
  if (Printable(text) != text || text.find(" #") != std::string_view::npos) return false;
  if (text.back() == ':' || text.find(": ") != std::string_view::npos) return false;
  if (flow && text.find_first_of(",[]{}:") != std::string_view::npos) return false;
  // What other readers of YAML take for something else than text.
  if (ParseNumber(text)) return false;
  const std::string folded = NormaliseName(text);
  constexpr std::array<std::string_view, 9> kWords = {
      "null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  return std::find(kWords.begin(), kWords.end(), folded) == kWords.end();
}

std::string InQuotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\x%02X", static_cast<unsigned>(byte));
      result += escape.data();
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace

std::string YamlScalar(std::string_view text, bool flow) {
  return IsPlain(text, flow) ? std::string(text) : InQuotes(text);
}

SpecWriter::SpecWriter(const Sources& sources, const References& references)
    : sources_(sources), references_(references) {
  std::map<std::string, int> uses;
  for (const auto& [path, source] : sources_) ++uses[source.key];
  int most = 0;
  for (const auto& [key, count] : uses) {
    if (count > most) from_ = key;
    most = std::max(most, count);
  }
  if (!from_.empty()) WriteText("from", from_);
}

std::string SpecWriter::Finish() {
  std::map<std::string, const Reference*> own;
  for (const auto& [path, source] : sources_) {
    if (source.own) own.emplace(source.key, source.own.get());
  }
  if (!own.empty()) Line("references:");
  for (const auto& [key, reference] : own) {
    indent_ = 2;
    Line(YamlScalar(key, false) + ":");
    indent_ = 4;
    WriteText("title", reference->title);
    if (!reference->publisher.empty()) WriteText("publisher", reference->publisher);
    if (reference->year != 0) Line("year: " + std::to_string(reference->year));
    if (!reference->url.empty()) WriteText("url", reference->url);
    WriteText("kind", NameOf(reference->kind));
    if (!reference->note.empty()) WriteText("note", reference->note);
  }
  indent_ = 0;
  return std::move(text_);
}

void SpecWriter::Line(std::string_view text) {
  if (item_) {
    text_.append(indent_ - 2, ' ');
    text_ += "- ";
    item_ = false;
  } else {
    text_.append(indent_, ' ');
  }
  text_ += text;
  text_ += '\n';
}

void SpecWriter::WriteText(std::string_view name, std::string_view text) {
  Line(std::string(name) + ": " + YamlScalar(text, false));
}

void SpecWriter::WriteTexts(std::string_view name, const std::vector<std::string>& texts) {
  std::string line = std::string(name) + ": [";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    line += (i > 0 ? ", " : "") + YamlScalar(texts[i], true);
  }
  line += "]";
  if (indent_ + line.size() <= kWidth) {
    Line(line);
    return;
  }
  Line(std::string(name) + ":");
  for (const std::string& text : texts) Line("  - " + YamlScalar(text, false));
}

void SpecWriter::WriteFigure(std::string_view name, const std::string& text) {
  const std::string start = name.empty() ? "" : YamlScalar(name, false) + ": ";
  const auto found = sources_.find(path_);
  std::vector<std::pair<std::string, std::string>> parts = {{"value", text}};
  if (found != sources_.end()) {
    const Source& source = found->second;
    if (source.key != from_) parts.emplace_back("from", source.key);
    const auto known = references_.find(source.key);
    const Reference* reference = source.own                   ? source.own.get()
                                 : known != references_.end() ? &known->second
                                                              : nullptr;
    if (reference == nullptr || reference->kind != source.kind) {
      parts.emplace_back("kind", NameOf(source.kind));
    }
    if (!source.note.empty()) parts.emplace_back("note", source.note);
  }
  if (parts.size() == 1) {
    Line(start + text);
    return;
  }
  std::string line = start + "{";
  for (const auto& [key, value] : parts) {
    line += (key == "value" ? "value: " + value : ", " + key + ": " + YamlScalar(value, true));
  }
  line += "}";
  if (indent_ + line.size() <= kWidth) {
    Line(line);
    return;
  }
  if (!name.empty()) Line(YamlScalar(name, false) + ":");
  if (!name.empty()) indent_ += 2;
  for (const auto& [key, value] : parts) {
    Line(key + ": " + (key == "value" ? value : YamlScalar(value, false)));
  }
  if (!name.empty()) indent_ -= 2;
}

}  // namespace roofcast
