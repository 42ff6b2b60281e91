// Package pyexpr evaluates the Python expressions of rosbag filter (docs/internals/decisions/0019). It
// decodes only the fields that an expression uses.
//
// It supports topic, t, and m with fields and constants; numbers, strings, True, False, None, lists, tuples and sets;
// comprehensions and generator expressions; if-else, and, or, not; chained comparisons, in and is; + - * / // % and **;
// indexes and slices; the common functions and methods. Parse names anything else in an error. As with genpy, an array
// of uint8 or char is a bytes object, an array of other numbers a tuple, and any other array a list.
//
// Expressions and messages aren't trusted: length, nesting, steps and memory are bounded. An Expr is immutable.
package pyexpr
