// SPDX-License-Identifier: Apache-2.0
#include <exception>

#include "core/error.h"
#include "python/bindings/bind.h"
#include "python/bindings/fields.h"

namespace roofcast::python {
namespace {

// Live as long as the interpreter: exception types can't be unloaded.
struct ErrorTypes {
  PyObject* error = nullptr;
  PyObject* spec = nullptr;
  PyObject* not_found = nullptr;
  PyObject* argument = nullptr;
};
ErrorTypes& Types() {
  static ErrorTypes types;
  return types;
}

PyObject* NewError(py::module_& m, const char* name, const char* doc, const py::tuple& bases) {
  PyObject* type = PyErr_NewExceptionWithDoc(
      (std::string("roofcast.") + name).c_str(), doc, bases.ptr(), nullptr);
  if (type == nullptr) throw py::error_already_set();
  m.attr(name) = py::handle(type);
  return type;
}

void RaiseSpecError(const SpecError& error) {
  py::list problems;
  for (const Problem& problem : error.problems()) problems.append(py::cast(problem));
  const py::object exception =
      py::reinterpret_borrow<py::object>(Types().spec)(ForPeople(error.what()));
  exception.attr("problems") = py::tuple(problems);
  PyErr_SetObject(Types().spec, exception.ptr());
}

void BindProblem(py::module_& m) {
  py::class_<Problem> type(m, "Problem", "One thing wrong in a file; see SpecError.problems.");
  Attribute(
      type, "file", [](const Problem& p) { return p.where.file; }, "the file's path");
  Attribute(
      type,
      "line",
      [](const Problem& p) { return static_cast<std::int64_t>(p.where.line); },
      "from 1; 0 stands for the file as a whole");
  Attribute(
      type,
      "column",
      [](const Problem& p) { return static_cast<std::int64_t>(p.where.column); },
      "from 1");
  Attribute(type, "key_path", &Problem::key_path, "the key, as in 'memory.bandwidth'");
  Attribute(type, "text", &Problem::text, "what is wrong");
  Attribute(type, "cure", &Problem::cure, "what to do; may be empty");
  type.def("__str__", [](const Problem& p) { return ForPeople(Format(p)); });
  type.def("__repr__", [](const Problem& p) { return ForPeople("<Problem " + Format(p) + ">"); });
}

}  // namespace

void BindErrors(py::module_& m) {
  BindProblem(m);
  const auto base = [](PyObject* a) { return py::reinterpret_borrow<py::object>(a); };
  Types().error = NewError(m,
                           "Error",
                           "Whatever is wrong with an input; the base of roofcast's errors.",
                           py::make_tuple(base(PyExc_Exception)));
  Types().spec = NewError(
      m,
      "SpecError",
      "A file, or keys of it, are wrong. `problems` is a tuple with one Problem for each of them.",
      py::make_tuple(base(Types().error), base(PyExc_ValueError)));
  base(Types().spec).attr("problems") = py::tuple();
  const py::dict annotations;
  annotations["problems"] = "tuple[Problem, ...]";
  base(Types().spec).attr("__annotations__") = annotations;
  Types().not_found = NewError(m,
                               "NotFoundError",
                               "A name that nothing is called by; the message names the nearest.",
                               py::make_tuple(base(Types().error), base(PyExc_LookupError)));
  Types().argument = NewError(m,
                              "ArgumentError",
                              "A value that can't be used, alone or together with others.",
                              py::make_tuple(base(Types().error), base(PyExc_ValueError)));

  // NOLINTNEXTLINE(performance-unnecessary-value-param): the type that pybind11 asks for
  py::register_exception_translator([](std::exception_ptr raised) {
    try {
      if (raised) std::rethrow_exception(raised);
    } catch (const SpecError& error) {
      RaiseSpecError(error);
    } catch (const NotFoundError& error) {
      PyErr_SetObject(Types().not_found, ForPeople(error.what()).ptr());
    } catch (const ArgumentError& error) {
      PyErr_SetObject(Types().argument, ForPeople(error.what()).ptr());
    } catch (const Error& error) {
      PyErr_SetObject(Types().error, ForPeople(error.what()).ptr());
    } catch (const std::logic_error& error) {
      PyErr_SetString(PyExc_AssertionError, error.what());
    }
  });
}

}  // namespace roofcast::python
