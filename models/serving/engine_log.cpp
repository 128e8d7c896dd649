// SPDX-License-Identifier: Apache-2.0
#include "models/serving/engine_log.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>

namespace roofcast {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 10U;
constexpr std::size_t kLongestName = 256;
constexpr double kGib = 1024.0 * 1024 * 1024;
constexpr double kMostGib = 1e6;
constexpr double kMostCount = 1e15;

// The line without terminal colours and control characters.
std::string Plain(std::string_view line) {
  std::string plain;
  plain.reserve(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b') {
      while (i + 1 < line.size() && !(line[i] >= 'a' && line[i] <= 'z') &&
             !(line[i] >= 'A' && line[i] <= 'Z')) {
        ++i;
      }
    } else if (static_cast<unsigned char>(line[i]) >= ' ' || line[i] == '\t') {
      plain += line[i];
    }
  }
  return plain;
}

// What stands after `key`, from the first character that is neither blank nor one of ":=('".
std::optional<std::string_view> After(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  line.remove_prefix(at + key.size());
  const std::size_t start = line.find_first_not_of(" \t:=('\"");
  if (start == std::string_view::npos) return std::nullopt;
  return line.substr(start);
}

struct Measured {
  double number = 0;
  std::string_view rest;  // what stands behind it
};
// "12,345.5 GiB": digits with commas, and a sign.
std::optional<Measured> ReadNumber(std::string_view text) {
  std::string digits;
  std::size_t end = 0;
  constexpr std::size_t kMostDigits = 32;
  for (; end < text.size() && digits.size() < kMostDigits; ++end) {
    const char c = text[end];
    const bool thousands = c == ',' && end + 1 < text.size() && text[end + 1] >= '0' &&
                           text[end + 1] <= '9' && !digits.empty();
    if (thousands) continue;
    if ((c >= '0' && c <= '9') || c == '.' || (c == '-' && digits.empty())) {
      digits += c;
    } else {
      break;
    }
  }
  Measured measured;
  const auto [stop, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), measured.number);
  if (error != std::errc() || !std::isfinite(measured.number) || stop == digits.data()) {
    return std::nullopt;
  }
  measured.rest = text.substr(end);
  return measured;
}

std::optional<double> NumberAfter(std::string_view line, std::string_view key) {
  const auto text = After(line, key);
  const auto measured = text ? ReadNumber(*text) : std::nullopt;
  return measured ? std::optional(measured->number) : std::nullopt;
}

std::optional<std::int64_t> CountAfter(std::string_view line, std::string_view key) {
  const auto text = After(line, key);
  const auto count = text ? ReadNumber(*text) : std::nullopt;
  if (!count || count->number < 0 || count->number > kMostCount ||
      count->number != std::floor(count->number)) {
    return std::nullopt;
  }
  // "1e9" and what is longer than any count are none.
  const char next = count->rest.empty() ? ' ' : count->rest.front();
  if ((next >= '0' && next <= '9') || next == 'e' || next == 'E') return std::nullopt;
  return static_cast<std::int64_t>(count->number);
}

// Both engines divide by 2^30 whether they then write GB or GiB.
std::optional<Bytes> BytesAfter(std::string_view line, std::string_view key) {
  const auto text = After(line, key);
  const auto measured = text ? ReadNumber(*text) : std::nullopt;
  if (!measured || std::fabs(measured->number) > kMostGib) return std::nullopt;
  const std::size_t unit = measured->rest.find_first_not_of(" \t");
  const std::string_view name =
      unit == std::string_view::npos ? std::string_view() : measured->rest.substr(unit);
  if (name.starts_with("GiB") || name.starts_with("GB")) return Bytes(measured->number * kGib);
  if (name.starts_with("MiB") || name.starts_with("MB")) {
    return Bytes(measured->number * kGib / 1024);
  }
  return std::nullopt;
}

// A quoted or bare word: up to a quote, comma, blank or bracket.
std::optional<std::string> WordAfter(std::string_view line, std::string_view key) {
  const auto text = After(line, key);
  if (!text) return std::nullopt;
  const std::string_view word = text->substr(0, text->find_first_of("'\", )}\t"));
  if (word.empty() || word.size() > kLongestName || word == "None") return std::nullopt;
  return std::string(word);
}

// Collects what lines say.
class Reader {
 public:
  void Read(std::string_view line) {
    Settings(line);
    Vllm(line);
    VllmProfile(line);
    Sglang(line);
  }
  EngineLog Finish() {
    for (const auto& [name, there] :
         {std::pair("weights", log_.weights.has_value()),
          std::pair("memory of the KV cache", log_.kv_cache.has_value()),
          std::pair("tokens of the KV cache",
                    log_.kv_tokens.has_value() || log_.kv_blocks.has_value())}) {
      if (!there) log_.missing.emplace_back(name);
    }
    return std::move(log_);
  }

 private:
  template <class T>
  static void Least(std::optional<T>& kept, const std::optional<T>& found) {
    if (found && (!kept || *found < *kept)) kept = found;
  }
  template <class T>
  static void Most(std::optional<T>& kept, const std::optional<T>& found) {
    if (found && (!kept || *found > *kept)) kept = found;
  }
  // A setting that two lines say differently is none.
  template <class T>
  void Set(const char* name, std::optional<T>& kept, const std::optional<T>& found) {
    auto& contradictions = log_.contradictions;
    const bool contradicted =
        std::find(contradictions.begin(), contradictions.end(), name) != contradictions.end();
    if (!found || contradicted) return;
    if (kept && *kept != *found) {
      contradictions.emplace_back(name);
      kept.reset();
    } else {
      kept = found;
    }
  }
  void Is(std::string_view product, bool found) {
    if (found && log_.product.empty()) log_.product = product;
  }

  void Settings(std::string_view line) {
    const bool config = line.find("with config: ") != std::string_view::npos;
    const bool arguments = line.find("non-default args: ") != std::string_view::npos;
    const bool server = line.find("ServerArgs(") != std::string_view::npos;
    Is("vllm", config || arguments);
    Is("sglang", server);
    if (config) {
      Set("version", log_.version, WordAfter(line, "LLM engine (v"));
      Set("model", log_.model, WordAfter(line, "model='"));
      Set("max length", log_.max_length, CountAfter(line, "max_seq_len="));
      Set("tp", log_.tp, CountAfter(line, "tensor_parallel_size="));
      Set("pp", log_.pp, CountAfter(line, "pipeline_parallel_size="));
    }
    if (arguments) {
      Set("tp", log_.tp, CountAfter(line, "'tensor_parallel_size': "));
      Set("pp", log_.pp, CountAfter(line, "'pipeline_parallel_size': "));
      Set("batched tokens", log_.batched_tokens, CountAfter(line, "'max_num_batched_tokens': "));
      Set("sequences", log_.sequences, CountAfter(line, "'max_num_seqs': "));
      Set("memory fraction", log_.memory_fraction, NumberAfter(line, "'gpu_memory_utilization': "));
    }
    if (server) {
      Set("model", log_.model, WordAfter(line, "model_path='"));
      Set("tp", log_.tp, CountAfter(line, " tp_size="));
      Set("pp", log_.pp, CountAfter(line, " pp_size="));
      Set("max length", log_.max_length, CountAfter(line, " context_length="));
      Set("batched tokens", log_.batched_tokens, CountAfter(line, " chunked_prefill_size="));
      Set("memory fraction", log_.memory_fraction, NumberAfter(line, " mem_fraction_static="));
    }
    Set("version", log_.version, WordAfter(line, "vLLM API server version "));
    Set("batched tokens",
        log_.batched_tokens,
        CountAfter(line, "Chunked prefill is enabled with max_num_batched_tokens="));
  }

  void Vllm(std::string_view line) {
    for (const std::string_view key : {"Loading model weights took ",
                                       "Model loading took ",
                                       "Model weights take ",
                                       "model weights take "}) {
      const auto weights = BytesAfter(line, key);
      Is("vllm", weights.has_value());
      Most(log_.weights, weights);
    }
    const auto available = BytesAfter(line, "Available KV cache memory: ");
    Is("vllm", available.has_value());
    Least(log_.kv_cache, available);
    const auto tokens = CountAfter(line, "GPU KV cache size: ");
    Is("vllm", tokens.has_value());
    Least(log_.kv_tokens, tokens);
    for (const std::string_view key : {"# GPU blocks: ", "# cuda blocks: "}) {
      Least(log_.kv_blocks, CountAfter(line, key));
    }
    if (const auto text = After(line, "Maximum concurrency for "); text.has_value()) {
      Set("length of the concurrency",
          log_.concurrency_length,
          CountAfter(line, "Maximum concurrency for "));
      Least(log_.concurrency, NumberAfter(*text, "tokens per request: "));
    }
    if (const auto text = After(line, "Graph capturing finished in "); text.has_value()) {
      Most(log_.graphs, BytesAfter(*text, "took "));
    }
    Most(log_.graphs, BytesAfter(line, "Estimated CUDA graph memory: "));
    log_.mixed_layers = log_.mixed_layers ||
                        line.find("Setting attention block size to ") != std::string_view::npos ||
                        line.find(" padding layers, may waste ") != std::string_view::npos;
  }

  // The lines of a profiled pass, in three generations of wording.
  void VllmProfile(std::string_view line) {
    Most(log_.total, BytesAfter(line, "total_gpu_memory "));
    if (line.find("total_gpu_memory (") != std::string_view::npos) {
      Set("memory fraction", log_.memory_fraction, NumberAfter(line, "gpu_memory_utilization ("));
    }
    if (const auto text = After(line, "Free memory on device ("); text.has_value()) {
      const auto free = ReadNumber(*text);
      if (free && free->rest.starts_with('/')) Most(log_.total, BytesAfter(free->rest, "/"));
      Set("memory fraction", log_.memory_fraction, NumberAfter(line, "utilization is ("));
    }
    for (const std::string_view key : {"non_torch_memory takes ", "non_torch_memory "}) {
      Most(log_.libraries, BytesAfter(line, key));
    }
    for (const std::string_view key :
         {"PyTorch activation peak memory takes ", "PyTorch activation peak memory "}) {
      Most(log_.activation_peak, BytesAfter(line, key));
    }
    for (const std::string_view key :
         {"the rest of the memory reserved for KV Cache is ", "available_kv_cache_memory "}) {
      Least(log_.kv_cache, BytesAfter(line, key));
    }
    if (const auto text = After(line, "Actual usage is "); text.has_value()) {
      Most(log_.weights, BytesAfter(line, "Actual usage is "));
      Most(log_.activation_peak, BytesAfter(*text, "for weight, "));
      Most(log_.libraries, BytesAfter(*text, "for peak activation, "));
      Most(log_.graphs, BytesAfter(*text, "for non-torch memory, and "));
    }
  }

  void Sglang(std::string_view line) {
    const auto start = BytesAfter(line, "Load weight begin. avail mem=");
    Is("sglang", start.has_value());
    Least(log_.free_at_start, start);
    if (const auto text = After(line, "Load weight end"); text.has_value()) {
      Is("sglang", true);
      const auto used = BytesAfter(*text, "mem usage=");
      Most(log_.weights, used);
      const auto left = BytesAfter(*text, "avail mem=");
      if (used && left && !log_.free_at_start) log_.free_at_start = *used + *left;
    }
    if (const auto text = After(line, "KV Cache is allocated"); text.has_value()) {
      Is("sglang", true);
      Least(log_.kv_tokens, CountAfter(*text, "#tokens: "));
      const auto keys = BytesAfter(*text, "K size: ");
      const auto values = BytesAfter(*text, "V size: ");
      const auto both = BytesAfter(*text, "KV size: ");
      Least(log_.kv_cache, both ? both : keys && values ? std::optional(*keys + *values) : both);
    }
    if (const auto text = After(line, "Capture cuda graph end"); text.has_value()) {
      Is("sglang", true);
      Most(log_.graphs, BytesAfter(*text, "mem usage="));
    }
    Least(log_.kv_tokens, CountAfter(line, "max_total_num_tokens="));
    if (line.find("max_total_num_tokens=") != std::string_view::npos) {
      Set("max length", log_.max_length, CountAfter(line, "context_len="));
    }
    log_.mixed_layers = log_.mixed_layers ||
                        line.find("Use sliding window memory pool") != std::string_view::npos ||
                        line.find("Mamba Cache is allocated") != std::string_view::npos;
  }

  EngineLog log_;
};

}  // namespace

EngineLog ReadEngineLog(std::string_view text) {
  Reader reader;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\n\r");
    reader.Read(Plain(text.substr(0, std::min(end, kLongestLine))));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return reader.Finish();
}

}  // namespace roofcast
