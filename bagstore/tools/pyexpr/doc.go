// Package pyexpr evaluates the Python expressions of rosbag filter, as far as
// they are commonly used, over messages that are decoded only where an
// expression looks.
//
// It understands topic, t and m with fields, indexes and constants; numbers,
// strings, True, False, None, lists, tuples and sets; and, or, not, if-else; all
// comparisons, chained ones too, in and not in; + - * / // %; the methods of
// times and the common ones of strings; len, abs, min, max, int, float, str and
// bool. Everything else is refused by name when the expression is parsed: no
// Python runs, and no expression calls anything outside this package.
//
// Expressions come from command lines and scripts, messages from files: the
// length and depth of an expression are bounded, and nothing that it computes is
// larger than what it is computed from. An Expr is immutable and may be used
// concurrently.
package pyexpr
