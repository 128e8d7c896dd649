// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
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

// Reads a table of measured operators, recognised by its header, and appends its rows: those of
// `device`, or, when it is null, of every device of the catalog that the column `gpu` names. Other
// rows, and rows without a value, are skipped and counted with the reason; a value that can't be
// right throws SpecError with every such cell.
void ReadRows(std::string_view text,
              const std::string& file,
              const std::shared_ptr<const Device>& device,
              MeasuredRows& out);
// The same from a file. Throws NotFoundError when it can't be read.
void LoadRows(const std::string& path,
              const std::shared_ptr<const Device>& device,
              MeasuredRows& out);

}  // namespace roofcast
