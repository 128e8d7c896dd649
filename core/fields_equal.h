// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <type_traits>

#include "core/fields.h"

namespace roofcast {

// Whether two values agree in every field of their list. Where they were read and from which
// sources doesn't count.
template <class T>
bool SameFields(const T& a, const T& b) {
  if constexpr (IsOptional<T>::value) {
    return a.has_value() == b.has_value() && (!a || SameFields(*a, *b));
  } else if constexpr (IsVector<T>::value) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!SameFields(a[i], b[i])) return false;
    }
    return true;
  } else if constexpr (IsMap<T>::value) {
    if (a.size() != b.size()) return false;
    for (auto left = a.begin(), right = b.begin(); left != a.end(); ++left, ++right) {
      if (left->first != right->first || !SameFields(left->second, right->second)) return false;
    }
    return true;
  } else if constexpr (HasFields<T>) {
    bool same = true;
    auto visitor = [&](std::string_view, auto member, auto...) {
      same = same && SameFields(a.*member, b.*member);
    };
    T::Fields(visitor);
    return same;
  } else {
    return a == b;
  }
}

}  // namespace roofcast
