// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/kernels/matmul.h"

#include <dlfcn.h>

#include <algorithm>
#include <oneapi/dnnl/dnnl.hpp>

#include "core/error.h"

namespace roofcast::bench {
namespace {

using dnnl::memory;
using Format = memory::data_type;

// One engine and one stream for all: kernels run one after the other.
const dnnl::engine& Engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}
dnnl::stream& Stream() {
  static dnnl::stream stream(Engine());
  return stream;
}

Format FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kBf16:
      return Format::bf16;
    case DType::kInt8:
      return Format::s8;
    default:
      return Format::f32;
  }
}

[[noreturn]] void Refuse(DType dtype) {
  throw ArgumentError(std::string(NameOf(dtype)) + ": oneDNN " + OneDnnVersion() +
                      " does not multiply it on this processor; leave it out");
}

dnnl::matmul::primitive_desc Describe(
    DType dtype, std::int64_t m, std::int64_t n, std::int64_t k, memory::format_tag order) {
  const bool narrow = dtype == DType::kInt8;
  const memory::desc x({m, k}, narrow ? Format::u8 : FormatOf(dtype), memory::format_tag::ab);
  const memory::desc weights({k, n}, FormatOf(dtype), order);
  const memory::desc out({m, n}, narrow ? Format::f32 : FormatOf(dtype), memory::format_tag::ab);
  return {dnnl::matmul::desc(x, weights, out), Engine()};
}

// With the weights in the order that oneDNN wants. Where that is a plain one (processors without
// AVX-512), it would take k rows of n numbers, whose distance is a power of two in most models, so
// that a block's rows fall on the same lines of the cache and products take twice as long: then
// they stay as W[n,k] is stored.
dnnl::matmul::primitive_desc Describe(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k) {
  try {
    auto chosen = Describe(dtype, m, n, k, memory::format_tag::any);
    const bool plain = chosen.weights_desc().data.format_desc.blocking.inner_nblks == 0;
    return plain ? Describe(dtype, m, n, k, memory::format_tag::ba) : chosen;
  } catch (const dnnl::error&) {
    Refuse(dtype);
  }
}

memory::desc BatchedDescription(std::int64_t batch,
                                std::int64_t rows,
                                std::int64_t columns,
                                const BatchedOperand& operand) {
  return {{batch, rows, columns},
          FormatOf(operand.dtype),
          {operand.batch, operand.row, operand.column}};
}

memory At(const memory::desc& description, const void* data) {
  return {description, Engine(), const_cast<void*>(data)};
}

}  // namespace

struct MatMul::Primitive {
  explicit Primitive(const dnnl::matmul::primitive_desc& chosen)
      : description(chosen),
        multiply(chosen),
        x(At(chosen.src_desc(), nullptr)),
        weights(At(chosen.weights_desc(), nullptr)),
        out(At(chosen.dst_desc(), nullptr)) {}

  dnnl::matmul::primitive_desc description;
  dnnl::matmul multiply;
  memory x;  // only their places change from run to run
  memory weights;
  memory out;
};

MatMul::MatMul(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k)
    : dtype_(dtype),
      m_(m),
      n_(n),
      k_(k),
      primitive_(std::make_unique<Primitive>(Describe(dtype, m, n, k))) {}
MatMul::~MatMul() = default;
MatMul::MatMul(MatMul&&) noexcept = default;
MatMul& MatMul::operator=(MatMul&&) noexcept = default;

std::size_t MatMul::WeightBytes() const {
  return primitive_->description.weights_desc().get_size();
}

std::string MatMul::Layout() const {
  const dnnl_memory_desc_t& layout = primitive_->description.weights_desc().data;
  std::string text = std::to_string(layout.data_type) + ":" + std::to_string(layout.extra.flags);
  const auto add = [&](std::int64_t number) {
    text += ',';
    text += std::to_string(number);
  };
  const dnnl_blocking_desc_t& blocking = layout.format_desc.blocking;
  for (int i = 0; i < layout.ndims; ++i) {
    add(layout.padded_dims[i]);
    add(blocking.strides[i]);
  }
  for (int i = 0; i < blocking.inner_nblks; ++i) {
    add(blocking.inner_blks[i]);
    add(blocking.inner_idxs[i]);
  }
  return text;
}

std::string MatMul::Kernel() const {
  return primitive_->description.impl_info_str();
}

void MatMul::Pack(const void* weights, void* packed) const {
  const memory from = At({{k_, n_}, FormatOf(dtype_), memory::format_tag::ba}, weights);
  memory to = At(primitive_->description.weights_desc(), packed);
  dnnl::reorder(from, to).execute(Stream(), const_cast<memory&>(from), to);
  Stream().wait();
}

void MatMul::Run(const void* x, const void* packed, void* out) const {
  primitive_->x.set_data_handle(const_cast<void*>(x));
  primitive_->weights.set_data_handle(const_cast<void*>(packed));
  primitive_->out.set_data_handle(out);
  primitive_->multiply.execute(Stream(),
                               {{DNNL_ARG_SRC, primitive_->x},
                                {DNNL_ARG_WEIGHTS, primitive_->weights},
                                {DNNL_ARG_DST, primitive_->out}});
  Stream().wait();
}

struct BatchedMatMul::Primitive {
  Primitive(const dnnl::matmul::primitive_desc& chosen)
      : multiply(chosen),
        x(At(chosen.src_desc(), nullptr)),
        y(At(chosen.weights_desc(), nullptr)),
        out(At(chosen.dst_desc(), nullptr)) {}

  dnnl::matmul multiply;
  memory x;
  memory y;
  memory out;
};

BatchedMatMul::BatchedMatMul(std::int64_t batch,
                             std::int64_t m,
                             std::int64_t n,
                             std::int64_t k,
                             const BatchedOperand& x,
                             const BatchedOperand& y,
                             const BatchedOperand& out) {
  try {
    primitive_ = std::make_unique<Primitive>(
        dnnl::matmul::primitive_desc(dnnl::matmul::desc(BatchedDescription(batch, m, k, x),
                                                        BatchedDescription(batch, k, n, y),
                                                        BatchedDescription(batch, m, n, out)),
                                     Engine()));
  } catch (const dnnl::error&) {
    Refuse(x.dtype);
  }
}
BatchedMatMul::~BatchedMatMul() = default;
BatchedMatMul::BatchedMatMul(BatchedMatMul&&) noexcept = default;
BatchedMatMul& BatchedMatMul::operator=(BatchedMatMul&&) noexcept = default;

void BatchedMatMul::Run(const void* x, const void* y, void* out) const {
  primitive_->x.set_data_handle(const_cast<void*>(x));
  primitive_->y.set_data_handle(const_cast<void*>(y));
  primitive_->out.set_data_handle(out);
  primitive_->multiply.execute(Stream(),
                               {{DNNL_ARG_SRC, primitive_->x},
                                {DNNL_ARG_WEIGHTS, primitive_->y},
                                {DNNL_ARG_DST, primitive_->out}});
  Stream().wait();
}

std::vector<DType> MultipliedFormats() {
  std::vector<DType> formats;
  for (const DType dtype : {DType::kFp32, DType::kBf16, DType::kInt8}) {
    try {
      const MatMul probe(dtype, 16, 64, 64);
      formats.push_back(dtype);
    } catch (const ArgumentError&) {
      continue;
    }
  }
  return formats;
}

std::string OneDnnVersion() {
  const dnnl_version_t* version = dnnl_version();
  return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

void SetThreads(int threads) {
  // Whichever OpenMP oneDNN has loaded: the name is the standard's.
  if (void* set = dlsym(RTLD_DEFAULT, "omp_set_num_threads")) {
    reinterpret_cast<void (*)(int)>(set)(threads);
  }
}

}  // namespace roofcast::bench
