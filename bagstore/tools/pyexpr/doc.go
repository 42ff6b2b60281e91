// Package pyexpr evaluates the Python expressions of rosbag filter. Only the
// fields that an expression uses are decoded.
//
// It supports topic, t and m with their fields and constants; numbers, strings,
// True, False, None, lists, tuples and sets; comprehensions and generator
// expressions; if-else, and, or, not; all comparisons, chained ones too, in and
// is; + - * / // % and **; indexes and slices; the common functions and methods.
// Parse rejects everything else by name. No Python runs.
//
// As with genpy, an array of uint8 or char is a bytes object, an array of other
// numbers is a tuple, and all other arrays are lists.
//
// Neither expressions nor messages are trusted: the length and the nesting of an
// expression are bounded, and the steps and the memory of an evaluation, too. An Expr
// is immutable and safe for concurrent use.
package pyexpr
