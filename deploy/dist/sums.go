package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// checksums writes SHA256SUMS, which sha256sum -c reads.
func (r *release) checksums() error {
	names, err := filepath.Glob(filepath.Join(r.out, "*"))
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(text), filepath.Base(name))
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(lines.String()), 0o644)
}
