// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/options.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "core/error.h"
#include "core/text.h"

namespace roofcast::bench::cuda {
namespace {

constexpr std::int64_t kMostCopies = 1000;
constexpr std::int64_t kMostReplays = 100'000;
constexpr double kMostSeconds = 3600;

// One flag: its name, what its value is called (nothing: it has none) and what it does.
struct Flag {
  std::string_view name;
  std::string_view value;
  std::string_view help;
  std::function<void(Options&, const std::string&)> set;
};

[[noreturn]] void Refuse(std::string_view flag, const std::string& value, const std::string& cure) {
  throw ArgumentError(std::string(flag) + ": " + Quoted(value) + ": " + cure);
}

std::int64_t IntegerOf(std::string_view flag,
                       const std::string& value,
                       std::int64_t least,
                       std::int64_t most) {
  const std::optional<std::int64_t> number = ParseInteger(value);
  if (!number || *number < least || *number > most) {
    Refuse(flag,
           value,
           "is not a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
               "; give one");
  }
  return *number;
}

template <class E>
E EnumOf(std::string_view flag, const std::string& value) {
  const std::optional<E> found = FindEnum<E>(value);
  if (!found) Refuse(flag, value, "is not known; use " + JoinWithOr(EnumWords<E>()));
  return *found;
}

template <class E>
std::set<E> EnumsOf(std::string_view flag, const std::string& value) {
  std::set<E> found;
  for (const std::string& word : Split(value, ',')) found.insert(EnumOf<E>(flag, word));
  return found;
}

const std::vector<Flag>& Flags() {
  static const std::vector<Flag> kFlags = {
      {"--output",
       "DIR",
       "folder of the tables (default: this one)",
       [](Options& o, const std::string& v) { o.output = v; }},
      {"--families",
       "LIST",
       "any of gemm, attention_prefill, attention_decode, elementwise, host, "
       "collectives (default: all)",
       [](Options& o, const std::string& v) { o.families = EnumsOf<Family>("--families", v); }},
      {"--dtypes",
       "LIST",
       "of the GEMMs: any of bf16, fp16, fp8, int8, tf32, fp32 (default: all "
       "that the GPU has)",
       [](Options& o, const std::string& v) { o.formats = EnumsOf<GemmFormat>("--dtypes", v); }},
      {"--grid",
       "quick|full",
       "how many shapes (default: quick)",
       [](Options& o, const std::string& v) { o.grid = EnumOf<GridSize>("--grid", v); }},
      {"--copies",
       "N",
       "of weights, caches and inputs, taken in turn so that they come from memory; "
       "1 leaves them in the cache (default: 5)",
       [](Options& o, const std::string& v) {
         o.copies = IntegerOf("--copies", v, 1, kMostCopies);
       }},
      {"--warm-ups",
       "N",
       "replays before those that are timed (default: 3)",
       [](Options& o, const std::string& v) {
         o.warm_ups = IntegerOf("--warm-ups", v, 0, kMostReplays);
       }},
      {"--replays",
       "N",
       "that are timed, of which the median counts (default: 6)",
       [](Options& o, const std::string& v) {
         o.replays = IntegerOf("--replays", v, 1, kMostReplays);
       }},
      {"--seconds",
       "S",
       "of load before each operator is timed: 1 gives the clock that the power "
       "limit sustains (default: 0)",
       [](Options& o, const std::string& v) {
         const std::optional<double> seconds = ParseNumber(v);
         if (!seconds || *seconds < 0 || *seconds > kMostSeconds) {
           Refuse("--seconds", v, "is not a number from 0 to 3600; give one");
         }
         o.seconds = *seconds;
       }},
      {"--device",
       "N",
       "number of the GPU (default: 0)",
       [](Options& o, const std::string& v) {
         o.device = static_cast<int>(IntegerOf("--device", v, 0, 1023));
       }},
      {"--gpus",
       "LIST",
       "how many GPUs collectives run on (default: 2, 4 and 8 of those there are)",
       [](Options& o, const std::string& v) {
         o.gpus.clear();
         for (const std::string& word : Split(v, ',')) {
           o.gpus.push_back(static_cast<int>(IntegerOf("--gpus", word, 2, 1024)));
         }
       }},
      {"--gpu",
       "NAME",
       "what the column gpu says (default: the catalog's name)",
       [](Options& o, const std::string& v) { o.gpu = v; }},
      {"--interconnect",
       "TEXT",
       "what that column of collectives says (default: whether the GPUs "
       "reach each other's memory)",
       [](Options& o, const std::string& v) { o.interconnect = v; }},
      {"--verify",
       "",
       "first hold the results of every kernel against a reference",
       [](Options& o, const std::string&) { o.verify = true; }},
      {"--list",
       "",
       "print how many operators would be measured; needs no GPU",
       [](Options& o, const std::string&) { o.list = true; }},
      {"--help", "", "print this", [](Options& o, const std::string&) { o.help = true; }},
  };
  return kFlags;
}

const Flag& FlagOf(const std::string& name) {
  std::vector<std::string> names;
  names.reserve(Flags().size());
  for (const Flag& flag : Flags()) {
    if (flag.name == name) return flag;
    names.emplace_back(flag.name);
  }
  throw ArgumentError("arguments: " + Quoted(name) + ": is no flag" + DidYouMean(name, names) +
                      "; --help lists them");
}

std::size_t CountOf(Family family, const Options& options) {
  switch (family) {
    case Family::kGemm: {
      const std::size_t formats =
          options.formats.empty() ? EnumWords<GemmFormat>().size() : options.formats.size();
      return GemmGrid(options.grid).size() * formats;
    }
    case Family::kPrefill:
      return PrefillGrid(options.grid).size();
    case Family::kDecode:
      return DecodeGrid(options.grid).size();
    case Family::kElementwise:
      return RowGrid(options.grid).size();
    case Family::kHost:
      return HostGrid(options.grid).size();
    case Family::kCollectives:
      return CollectiveGrid(options.grid).size() * EnumWords<Collective>().size();
  }
  return 0;
}

}  // namespace

Options ParseOptions(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].starts_with("--") ? words[i].find('=') : std::string::npos;
    const Flag& flag = FlagOf(words[i].substr(0, equals));
    std::string value;
    if (flag.value.empty()) {
      if (equals != std::string::npos) Refuse(flag.name, words[i], "takes no value; leave it out");
    } else if (equals != std::string::npos) {
      value = words[i].substr(equals + 1);
    } else if (i + 1 < words.size()) {
      value = words[++i];
    } else {
      throw ArgumentError(std::string(flag.name) + ": has no value; give " +
                          std::string(flag.value));
    }
    if (!flag.value.empty() && value.empty()) {
      throw ArgumentError(std::string(flag.name) + ": is empty; give " + std::string(flag.value));
    }
    flag.set(options, value);
  }
  return options;
}

std::vector<int> GpuCounts(const Options& options, int available) {
  std::vector<int> counts;
  for (const int count : options.gpus.empty() ? std::vector<int>{2, 4, 8} : options.gpus) {
    if (count <= available) {
      counts.push_back(count);
    } else if (!options.gpus.empty()) {
      Refuse("--gpus",
             std::to_string(count),
             "there are " + std::to_string(available) + "; ask for no more");
    }
  }
  return counts;
}

std::string Help() {
  std::string text =
      "roofcast-bench-cuda: measures an NVIDIA GPU and writes tables for `roofcast calibrate`\n\n";
  for (const Flag& flag : Flags()) {
    std::string head = "  " + std::string(flag.name) + " " + std::string(flag.value);
    head.resize(std::max<std::size_t>(head.size() + 2, 22), ' ');
    text += head + std::string(flag.help) + "\n";
  }
  return text;
}

std::string ListGrid(const Options& options) {
  std::string text;
  for (const auto& [family, name] : EnumNames<Family>::kNames) {
    if (!options.Wants(family)) continue;
    text += std::string(name) + ": " + std::to_string(CountOf(family, options)) + " operators";
    if (family == Family::kCollectives) text += " for each number of GPUs";
    text += "\n";
  }
  return text;
}

}  // namespace roofcast::bench::cuda
