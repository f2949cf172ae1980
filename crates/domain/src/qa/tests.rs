//! Reports, conclusions and comparisons.
