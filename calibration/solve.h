// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "calibration/form_rows.h"

namespace roofcast {

// Rows of one form that share its coefficients, but for those of `group_fields`: each group of
// rows (a framework) but the first multiplies these by a factor of its own. Logarithms are what
// moves, so a factor is one more parameter that is added to its coefficient's.
struct FitTask {
  const FormRows* rows = nullptr;
  std::vector<double> log_times;   // of the measured microseconds, for each row
  std::vector<double> weights;     // of the residuals; empty: all 1
  std::vector<std::size_t> group;  // of each row, an index of `groups`
  std::vector<std::string> groups;
  std::vector<std::size_t> group_fields;  // coefficients, as indices of FormRows::Infos()

  // Width a of the robust loss: a residual well below it counts squared, above it linearly.
  double robust_width = 0.06;
  // Pull towards the prior in units of a residual: this much for a factor of e.
  double prior_weight = 0.2;
  double factor_weight = 0.2;  // the same of the factors between groups
  std::vector<double> prior;   // logarithms; empty: the forms' own

  std::size_t ParameterCount() const;
  // Of the coefficients in a group, from all parameters.
  std::vector<double> LogCoefficients(const std::vector<double>& parameters,
                                      std::size_t in_group) const;
};

struct Solution {
  std::vector<double> parameters;  // coefficients, then group by group the factors; logarithms
  double cost = 0;                 // Ceres' robust cost with the priors
  bool usable = false;
  int starts = 1;
  int agreeing = 1;  // starts that ended within 1 % of the least cost
};

// Least cost  sum a^2 (sqrt(1 + (r/a)^2) - 1) + prior  over the rows `use`, r = log predicted -
// log measured, within the bounds, from the prior and `starts - 1` places around it (always the
// same ones), or from `first` when that is given.
Solution Solve(const FitTask& task,
               const std::vector<std::size_t>& use,
               int starts,
               const std::vector<double>* first = nullptr);

// What Solve reaches from each of `starts` random places within a factor of `spread` of the prior.
std::vector<Solution> SolveFromRandom(const FitTask& task,
                                      const std::vector<std::size_t>& use,
                                      int starts,
                                      double spread);

// Covariance of the parameters of an M-estimate at its minimum, the prior counted as a row:
//   V = B^-1 M B^-1, B = sum psi'(r) g g^T + prior, M = G/(G-1) sum over keys of s s^T,
// with s = sum psi g of a key's rows, so that rows of a shape err together. Parameters at a bound
// have no spread. Row by row, all of the matrix. Source: Huber, Robust Statistics (1981),
// section 7.6; Liang and Zeger (1986).
std::vector<double> CovarianceAt(const FitTask& task,
                                 const std::vector<std::size_t>& use,
                                 const std::vector<std::string>& keys,
                                 const std::vector<double>& parameters);

}  // namespace roofcast
