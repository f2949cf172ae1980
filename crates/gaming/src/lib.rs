//! Finds what looks like gaming in a change.
