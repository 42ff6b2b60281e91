// Command dist makes what is released: static programs for all platforms with their documents as archives, Debian
// packages, a list of what they consist of (CycloneDX), and checksums. The same commit gives the same bytes.
//
// It is a module of its own, because the libraries for packages are many and the program needs none of them.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	root := flag.String("root", "../..", "the repository")
	out := flag.String("out", "../../build/dist", "folder for what is made; it is emptied")
	only := flag.String("platforms", "", "platforms with commas, such as linux/amd64,linux/arm/7; the default is all")
	flag.Parse()
	if err := run(*root, *out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func run(root, out, only string) error {
	platforms, err := choose(only)
	if err != nil {
		return err
	}
	r, err := newRelease(root, out)
	if err != nil {
		return err
	}
	defer os.RemoveAll(r.work) //nolint:errcheck // nothing depends on it
	fmt.Printf("rs-ros-node %s, commit %s\n", r.version, r.commit)
	documents, err := r.documents()
	if err != nil {
		return err
	}
	var programs []string
	for _, p := range platforms {
		fmt.Println(p)
		program, err := r.build(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		programs = append(programs, program)
		if err := r.archive(p, program, documents); err != nil {
			return fmt.Errorf("%s: archive: %w", p, err)
		}
		if p.debian == "" {
			continue
		}
		if err := r.debianPackage(p, program, documents); err != nil {
			return fmt.Errorf("%s: Debian package: %w", p, err)
		}
	}
	if err := r.billOfMaterials(programs); err != nil {
		return err
	}
	return r.checksums()
}

// choose returns the platforms that a list names, or all.
func choose(list string) ([]platform, error) {
	if list == "" {
		return platforms, nil
	}
	var chosen []platform
	for name := range strings.SplitSeq(list, ",") {
		found := false
		for _, p := range platforms {
			if p.String() == name {
				chosen, found = append(chosen, p), true
			}
		}
		if !found {
			return nil, fmt.Errorf("platform %q: want one of %v", name, platforms)
		}
	}
	return chosen, nil
}

// path is the path of a file that is made, from what follows the program's name and version.
func (r *release) path(suffix string) string {
	return filepath.Join(r.out, "rs-ros-node_"+r.version+"_"+suffix)
}
