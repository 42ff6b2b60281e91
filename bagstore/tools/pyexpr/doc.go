// Package pyexpr evaluates the Python expressions of rosbag filter. A message is
// decoded only where an expression looks.
//
// It supports topic, t and m with their fields and constants; numbers, strings,
// True, False, None, lists, tuples and sets; comprehensions and generator
// expressions; if-else, and, or, not; all comparisons, chained ones too, in and
// is; + - * / // % and **; indexes and slices; the common functions and methods.
// Parse refuses everything else by name. No Python runs, and no expression calls
// anything outside this package.
//
// As with genpy, an array of uint8 or char is a bytes object, an array of other
// numbers is a tuple, and all other arrays are lists.
//
// Expressions come from command lines and scripts, messages from files. The
// length and the nesting of an expression are bounded, and so are the steps and
// the memory that it takes to evaluate one. An Expr is immutable and may be used
// concurrently.
package pyexpr
