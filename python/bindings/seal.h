// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <string>

// What pybind11 leaves open in each class: pickling by the old protocols ends the process, and an
// object that `__new__` made without `__init__` has no value, of which pybind11 would allocate one
// that nothing constructed.
namespace roofcast::python {

// Stands in for the allocation of such a value, which nothing else uses.
[[noreturn]] inline void* NoValue(std::size_t /*size*/) {
  throw pybind11::type_error("the object was never constructed; __new__ alone makes no value");
}

inline std::string UnpicklableText(const pybind11::module_& m, const pybind11::handle& type) {
  const pybind11::object name = type.attr("__name__");
  const auto load = "load_" + name.attr("lower")().cast<std::string>();
  std::string text = name.cast<std::string>() + " can't be pickled";
  if (pybind11::hasattr(m, load.c_str())) return text + "; load it again by name with " + load;
  if (pybind11::hasattr(type, "to_dict")) return text + "; pickle what its to_dict() returns";
  return text;
}

// Once all classes of the module are bound; those with a __reduce__ of their own keep it.
inline void SealClasses(const pybind11::module_& m) {
  const pybind11::object members = m.attr("__dict__").attr("copy")();
  for (const auto& [unused, member] : pybind11::reinterpret_borrow<pybind11::dict>(members)) {
    if (!PyType_Check(member.ptr())) continue;
    auto* info = pybind11::detail::get_type_info(reinterpret_cast<PyTypeObject*>(member.ptr()));
    if (info == nullptr) continue;  // an exception
    info->operator_new = &NoValue;
    if (member.attr("__dict__").contains("__reduce__")) continue;
    // object.__reduce_ex__ calls it, whatever the protocol.
    member.attr("__reduce__") = pybind11::cpp_function(
        [text = UnpicklableText(m, member)](const pybind11::object& /*self*/) {
          throw pybind11::type_error(text);
        },
        pybind11::name("__reduce__"),
        pybind11::is_method(member));
  }
}

}  // namespace roofcast::python
