// Package nearest finds the name that somebody meant who wrote another one.
package nearest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Hint returns "; did you mean NAME?" for the name that is most like a word, "" if none is like it.
func Hint(word string, names []string) string {
	if name := Name(word, names); name != "" {
		return "; did you mean " + name + "?"
	}
	return ""
}

// Name returns the name that is most like a word, or begins with it; "" if none is like it. Upper
// and lower case, and _ and -, are the same.
func Name(word string, names []string) string {
	if len(word) > 100 {
		return "" // nobody misspelt it
	}
	word = plain(word)
	best, least := "", 1+min((len(word)+1)/3, 3)
	for _, name := range names {
		if n := distance(word, plain(name)); n < least {
			best, least = name, n
		}
	}
	if i := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(plain(name), word) }); best == "" &&
		i >= 0 && word != "" {
		return names[i]
	}
	return best
}

// File is Hint for the name of a file that doesn't exist, and those in its folder.
func File(path string) string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return "; there is no folder " + filepath.Dir(path)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if name := Name(filepath.Base(path), names); name != "" {
		return "; did you mean " + filepath.Join(filepath.Dir(path), name) + "?"
	}
	return ""
}

func plain(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "-")) }

// distance returns how many letters must be replaced, added or removed, or neighbours swapped, to turn a into b.
func distance(a, b string) int {
	var before []int
	last, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+1)
			if a[i] == b[j] {
				row[j+1] = min(row[j+1], last[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
