// Command bundle builds the page: it lets esbuild bundle the sources below src to the folder dist and copy the page
// itself, collects the licences of what is bundled, and compresses each file. It runs in viewer/page, by go generate.
// With an argument it writes to that folder; with more, it lets esbuild bundle those alone.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// aliases are the names by which modules import each other, and where they are.
var aliases = []string{
	"preact/jsx-runtime=./third_party/preact@11.2.0/jsxRuntime.mjs",
	"preact/hooks=./third_party/preact@11.2.0/hooks.mjs",
	"preact=./third_party/preact@11.2.0/preact.mjs",
	"@preact/signals-core=./third_party/signals-core@1.14.5/signals-core.mjs",
	"@preact/signals=./third_party/signals@2.11.4/signals.mjs",
}

func main() {
	dir := "dist"
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	make := build
	if len(os.Args) > 2 {
		make = func(dir string) error { return esbuild(dir, os.Args[2:]...) }
	}
	if err := make(dir); err != nil {
		os.Stderr.WriteString("bundle: " + err.Error() + "\n")
		os.Exit(1)
	}
}

func build(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	// The page is split, so that the 3D view is loaded when it is wanted. The worker is one file.
	split := []string{"app=src/main.tsx", "app=src/app.css", "--splitting", "--chunk-names=[name]-[hash]"}
	if err := esbuild(dir, split...); err != nil {
		return err
	}
	copied := []string{"src/index.html", "src/icon.svg", "--loader:.html=copy", "--loader:.svg=copy"}
	if err := esbuild(dir, append(copied, "src/worker.ts")...); err != nil {
		return err
	}
	if err := licenses(dir); err != nil {
		return err
	}
	return compress(dir)
}

// esbuild bundles entry points to a folder.
func esbuild(dir string, more ...string) error {
	args := append([]string{"tool", "-modfile=../../test/tools/go.mod", "esbuild"}, more...)
	args = append(args, "--outdir="+dir,
		"--bundle", "--minify", "--format=esm", "--target=es2022", "--charset=utf8", "--legal-comments=none",
		"--jsx=automatic", "--jsx-import-source=preact", "--log-level=warning")
	for _, a := range aliases {
		args = append(args, "--alias:"+a)
	}
	run := exec.Command("go", args...)
	run.Stdout, run.Stderr = os.Stderr, os.Stderr
	if err := run.Run(); err != nil {
		return fmt.Errorf("go tool esbuild: %w", err)
	}
	return nil
}

// licenses puts the licences of the bundled modules into one file.
func licenses(dir string) error {
	files, err := filepath.Glob("third_party/*/LICENSE")
	if err != nil {
		return err
	}
	slices.Sort(files)
	var all bytes.Buffer
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&all, "%s\n\n%s\n\n", filepath.Base(filepath.Dir(name)), bytes.TrimSpace(text))
	}
	return os.WriteFile(filepath.Join(dir, "licenses.txt"), all.Bytes(), 0o644)
}

// compress writes each file compressed beside it.
func compress(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		if strings.HasSuffix(name, ".gz") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		if err := os.WriteFile(name+".gz", packed.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
