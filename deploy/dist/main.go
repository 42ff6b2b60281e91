// Command dist builds a release: archives of static programs and documents for all platforms, Debian packages, a
// bill of materials (CycloneDX), and checksums. Builds of a commit are reproducible.
//
// It is a separate module, because it needs many libraries that the program doesn't.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	root := flag.String("root", "../..", "folder of the repository")
	out := flag.String("out", "../../build/dist", "output folder; it is emptied first")
	only := flag.String("platforms", "", "platforms, separated by commas, such as linux/amd64,linux/arm/7 (default all)")
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
	defer os.RemoveAll(r.work) //nolint:errcheck // a leftover does no harm
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

// choose returns the platforms in list, or all if it is empty.
func choose(list string) ([]platform, error) {
	if list == "" {
		return platforms, nil
	}
	var chosen []platform
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("platform %q: want one of %v", name, platforms)
		}
		chosen = append(chosen, platforms[i])
	}
	return chosen, nil
}

// path returns the path of an output file. suffix follows the program's name and version.
func (r *release) path(suffix string) string {
	return filepath.Join(r.out, "rs-ros-node_"+r.version+"_"+suffix)
}
