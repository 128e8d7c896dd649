// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/measured_row.h"
#include "hardware/device.h"

namespace roofcast {

struct MeasuredRows {
  std::vector<MeasuredRow> rows;
  std::map<std::string, std::int64_t> skipped;  // why rows can't be used -> how many
};

// Reads a table of measured operators, recognised by its header, and appends its rows. Rows of
// another GPU or without a value are skipped and counted with the reason; a value that can't be
// right throws SpecError with every such cell.
void ReadRows(std::string_view text,
              const std::string& file,
              const Device& device,
              MeasuredRows& out);
// The same from a file. Throws NotFoundError when it can't be read.
void LoadRows(const std::string& path, const Device& device, MeasuredRows& out);

}  // namespace roofcast
