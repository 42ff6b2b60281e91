// Package firsthour does what README.md, docs/tutorial.md and docs/recipes.md tell a new user to do: it runs their commands as they stand, with
// stock ROS beside, and compares what they print with what the pages promise. It takes a few minutes and needs the tag
// firsthour: make test-firsthour.
package firsthour
