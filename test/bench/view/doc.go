// Package view has benchmarks of what viewers cost the program, and of seeks. How late the
// page draws images is measured in test/page.
package view
