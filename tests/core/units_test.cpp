// SPDX-License-Identifier: Apache-2.0
#include "core/units.h"

#include <doctest/doctest.h>

#include <clocale>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "tests/core/support.h"

namespace roofcast {
namespace {

using testing::MessageOf;

constexpr std::array kNamed = {Seconds::kDim,
                               Hertz::kDim,
                               Bytes::kDim,
                               Bandwidth::kDim,
                               Flops::kDim,
                               FlopRate::kDim,
                               Joules::kDim,
                               Watts::kDim,
                               Dollars::kDim,
                               DollarRate::kDim};

std::string Refusal(Dim dim, std::string_view text) {
  return MessageOf([&] { ParseQuantity(dim, text); });
}

TEST_CASE("Every unit of every dimension is read and written back as the same value") {
  for (const Dim dim : kNamed) {
    CHECK(UnitsOf(dim).front().size == 1);
    CHECK(!UnitSuffix(dim).empty());
    for (const Unit& unit : UnitsOf(dim)) {
      CAPTURE(unit.symbol);
      for (const char* number : {"1", "0.1", "3.35", "989.4", "1e-3", "123456.789"}) {
        const std::string text = std::string(number) + " " + std::string(unit.symbol);
        const double value = ParseQuantity(dim, text);
        CHECK(value == doctest::Approx(std::stod(number) * unit.size).epsilon(1e-15));
        CHECK(ParseQuantity(dim, FormatQuantity(dim, value)) == value);
      }
    }
  }
}

TEST_CASE("Decimal and binary units differ, and bits are an eighth of bytes") {
  CHECK(Parse<Bytes::kDim>("80 GB").value() == 80e9);
  CHECK(Parse<Bytes::kDim>("80 GiB").value() == 85899345920.0);
  CHECK(Parse<Bytes::kDim>("81559 MiB").value() == 81559.0 * 1048576.0);
  CHECK(Parse<Bandwidth::kDim>("400 Gbit/s").value() == 50e9);
  CHECK(Parse<Bandwidth::kDim>("50 GB/s").value() == 50e9);
  CHECK(Parse<Joules::kDim>("1 kWh").value() == 3.6e6);
  CHECK(Parse<DollarRate::kDim>("3.6 USD/h").value() == doctest::Approx(1e-3));
}

TEST_CASE("Small units give the double nearest to what is written") {
  CHECK(Parse<Seconds::kDim>("30 ms").value() == 0.03);
  CHECK(Parse<Seconds::kDim>("560 ns").value() == 560e-9);
  CHECK(Parse<Seconds::kDim>("7 us").value() == 7e-6);
  CHECK(Parse<Watts::kDim>("30 mW").value() == 0.03);
  CHECK(Parse<Seconds::kDim>("2s").value() == 2);
  CHECK(Parse<Seconds::kDim>("  1.5e3   ms ").value() == 1.5);
  CHECK(Parse<Seconds::kDim>("-1 s").value() == -1);
}

TEST_CASE("A number without a unit, a unit without a number and rubbish are refused") {
  const std::string units = " needs a number and one of the units s, ms, us, ns, min, h, d";
  for (const char* text :
       {"",       "5",       "s",       "5 x",     "5 s extra", "5 s s",      "nan",
        "nan s",  "inf s",   "1e999 s", "1e308 d", "- 5 s",     "+5 s",       "1,000 s",
        "0x10 s", "1_000 s", "5e s",    "1..2 s",  "--1 s",     "5 \xCE\xBCs"}) {
    CAPTURE(text);
    CHECK(Refusal(Seconds::kDim, text) == "'" + std::string(text) + "'" + units);
  }
  CHECK(Refusal(Seconds::kDim, std::string("5\0s", 3)) == "'5\\x00s'" + units);
}

TEST_CASE("A unit that is read both ways is refused with the cure") {
  const std::string units =
      " needs a number and one of the units B/s, kB/s, MB/s, GB/s, TB/s, MiB/s, GiB/s, TiB/s, "
      "Mbit/s, Gbit/s, Tbit/s";
  for (const char* unit : {"Gb/s", "gbps", "GBps", "Gbps", "gb/s"}) {
    CAPTURE(unit);
    CHECK(Refusal(Bandwidth::kDim, std::string("5 ") + unit) ==
          "'5 " + std::string(unit) + "'" + units + "; write GB/s for bytes or Gbit/s for bits");
  }
  CHECK(Refusal(Bandwidth::kDim, "5 tbps") ==
        "'5 tbps'" + units + "; write TB/s for bytes or Tbit/s for bits");
  CHECK(Refusal(Bandwidth::kDim, "5 GB/s extra") == "'5 GB/s extra'" + units);
  CHECK(Refusal(Bandwidth::kDim, "5 gib/s") == "'5 gib/s'" + units + "; write GiB/s");
  CHECK(Refusal(Bandwidth::kDim, "5 TFLOP/s") == "'5 TFLOP/s'" + units);
  const std::string rates =
      " needs a number and one of the units FLOP/s, MFLOP/s, GFLOP/s, TFLOP/s, PFLOP/s, EFLOP/s";
  CHECK(Refusal(FlopRate::kDim, "5 TFLOPS") == "'5 TFLOPS'" + rates + "; write TFLOP/s");
  CHECK(Refusal(FlopRate::kDim, "5 GB/s") == "'5 GB/s'" + rates);
  CHECK(Refusal(Bytes::kDim, "80 Gb") ==
        "'80 Gb' needs a number and one of the units B, kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB; "
        "write GB for powers of 1000 or GiB for powers of 1024");
  CHECK(Refusal(Seconds::kDim, "5 MS") ==
        "'5 MS' needs a number and one of the units s, ms, us, ns, min, h, d; write ms");
}

TEST_CASE("A long or hostile text is cut and made visible in the message") {
  const std::string message = Refusal(Seconds::kDim, std::string(1000000, 'x'));
  CHECK(message.size() < 200);
  CHECK(message.find("xxx...'") != std::string::npos);
  CHECK(Refusal(Seconds::kDim, "5 \x1B[31m").find('\x1B') == std::string::npos);
}

TEST_CASE("FormatQuantity writes the shortest exact text") {
  const auto format = [](Dim dim, const char* text) {
    return FormatQuantity(dim, ParseQuantity(dim, text));
  };
  CHECK(format(Bandwidth::kDim, "3.35 TB/s") == "3.35 TB/s");
  CHECK(format(Bandwidth::kDim, "450 GB/s") == "450 GB/s");
  CHECK(format(Bytes::kDim, "80 GB") == "80 GB");
  CHECK(format(Bytes::kDim, "81559 MiB") == "81559 MiB");
  CHECK(format(Bytes::kDim, "50 MiB") == "50 MiB");
  CHECK(format(FlopRate::kDim, "989.4 TFLOP/s") == "989.4 TFLOP/s");
  CHECK(format(Seconds::kDim, "30 ms") == "30 ms");
  CHECK(format(DollarRate::kDim, "2.99 USD/h") == "2.99 USD/h");
  CHECK(format(DollarRate::kDim, "6.88 USD/h") == "6.88 USD/h");
  CHECK(format(Hertz::kDim, "1830 MHz") == "1.83 GHz");
  CHECK(format(Seconds::kDim, "0 s") == "0 s");
}

TEST_CASE("FormatQuantity survives what is no finite number, and dimensions without a name") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(FormatQuantity(Seconds::kDim, infinity) == "inf");
  CHECK(FormatQuantity(Seconds::kDim, 1e300) == "1e+300 s");
  CHECK(FormatQuantity(Seconds::kDim, 5e-324).substr(0, 2) == "5e");
  CHECK(FormatQuantity(Dim{.s = 3}, 2.5) == "2.5");
  CHECK(UnitsOf(Dim{.s = 3}).empty());
  CHECK(UnitSuffix(Dim{.s = 3}).empty());
  CHECK(FormatRounded(Dim{.s = 3}, 2.5) == "2.50");
  CHECK(FormatRounded(Seconds::kDim, infinity) == "inf");
}

TEST_CASE("FormatRounded shows three digits in a unit that people use") {
  struct Row {
    Dim dim;
    double value;
    const char* text;
  };
  const std::array rows = {Row{Seconds::kDim, 0.0143, "14.3 ms"},
                           Row{Seconds::kDim, 0, "0 s"},
                           Row{Seconds::kDim, 1e-12, "0.00100 ns"},
                           Row{Seconds::kDim, 59.94, "59.9 s"},
                           Row{Seconds::kDim, 90, "1.50 min"},
                           Row{Seconds::kDim, 7200, "2.00 h"},
                           Row{Seconds::kDim, 864000, "10.0 d"},
                           Row{Seconds::kDim, -0.5, "-500 ms"},
                           Row{Bytes::kDim, 70.55e9, "70.5 GB"},
                           Row{Bytes::kDim, 999.96e6, "1.00 GB"},
                           Row{Bytes::kDim, 9.996e9, "10.0 GB"},
                           Row{Bandwidth::kDim, 3.35e12, "3.35 TB/s"},
                           Row{FlopRate::kDim, 989.4e12, "989 TFLOP/s"},
                           Row{Flops::kDim, 6.3e24, "6300 ZFLOP"},
                           Row{Joules::kDim, 0.25, "250 mJ"},
                           Row{Joules::kDim, 7.2e6, "2.00 kWh"},
                           Row{Dollars::kDim, 12345, "12345 USD"},
                           Row{DollarRate::kDim, 4000 / 3600.0, "4000 USD/h"},
                           Row{DollarRate::kDim, 0, "0 USD/h"}};
  for (const Row& row : rows) CHECK(FormatRounded(row.dim, row.value) == row.text);
  CHECK(FormatGib(Bytes(70.55e9)) == "65.7 GiB");
  CHECK(FormatGib(Bytes(512)) == "512 B");
  CHECK(FormatGib(Bytes(-3 * 1048576.0)) == "-3.00 MiB");
  CHECK(FormatCount(70553706496.0) == "70.6 B");
  CHECK(FormatCount(999.96e6) == "1.00 B");
  CHECK(FormatCount(355e6) == "355 M");
  CHECK(FormatCount(12) == "12");
}

TEST_CASE("Numbers look the same in a locale with a decimal comma") {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C"}) {
    if (std::setlocale(LC_NUMERIC, name) != nullptr) break;
  }
  CHECK(FormatRounded(Seconds::kDim, 0.0143) == "14.3 ms");
  CHECK(FormatQuantity(Seconds::kDim, 0.0015) == "1.5 ms");
  CHECK(ParseQuantity(Seconds::kDim, "1.5 ms") == 0.0015);
  std::setlocale(LC_NUMERIC, before.c_str());
}

}  // namespace
}  // namespace roofcast
