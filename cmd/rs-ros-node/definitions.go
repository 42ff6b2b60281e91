package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rsros/msgs"
	"rsros/program"
	"rsros/program/localfile"
)

func newDefinitionsCommand(a *app) *cobra.Command {
	var folder string
	cmd, f := newCommand("definitions -o FOLDER", withOutput(cobra.NoArgs),
		func(context.Context, []string) error { return a.definitions(folder) })
	outputFlag(f, &folder, "`FOLDER` to write into")
	_ = cmd.MarkFlagDirname("output") // the flag exists
	return cmd
}

func (a *app) definitions(folder string) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	for _, pkg := range msgs.MissingPackages {
		files, err := msgs.PackageFiles(pkg)
		if err == nil {
			err = writePackage(filepath.Join(folder, pkg), files)
		}
		if err != nil {
			return err
		}
	}
	quoted := "'" + strings.ReplaceAll(folder, "'", `'\''`) + "'"
	fmt.Fprintf(a.out, "export ROS_PACKAGE_PATH=%s:${ROS_PACKAGE_PATH:-/usr/share}\n", quoted)
	a.made(program.Summary{Paths: []string{folder},
		Counts: []string{"the packages " + strings.Join(msgs.MissingPackages, " and ")},
		Next:   "run the line that begins with export in each shell, or add it to ~/.bashrc"})
	return nil
}

// writePackage writes the files of a ROS package. It replaces only a package that it has written.
func writePackage(folder string, files map[string]string) error {
	_, err := os.Lstat(folder)
	text, _ := localfile.Read(filepath.Join(folder, "manifest.xml"), 1<<20)
	if err == nil && !bytes.Contains(text, []byte("definitions of rs-ros-node")) {
		return fmt.Errorf("%s is another package of this name; choose another folder with --output", folder)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) { // the manifest first, so that it can be done again
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := cmp.Or(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(files[name]), 0o644)); err != nil {
			return err
		}
	}
	return nil
}
