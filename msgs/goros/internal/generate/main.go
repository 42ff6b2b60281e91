// Generate writes the packages of msgs/goros from msgs/definitions, with goroslib's converter.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/bluenviron/goroslib/v2/pkg/conversion"
)

// packages are the ROS packages that goroslib lacks.
var packages = []string{"dynamic_reconfigure", "realsense2_camera", "realsense_msgs", "roscpp"}

const generated = "// Code generated from msgs/definitions by msgs/goros/internal/generate. DO NOT EDIT.\n\n"

func main() {
	definitions := flag.String("definitions", "", "folder of the definitions")
	out := flag.String("out", "", "folder of the packages")
	flag.Parse()
	for _, name := range packages {
		if err := writePackage(*definitions, *out, name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// writePackage writes one file for each message and service of a ROS package, and one for the package itself.
func writePackage(definitions, out, name string) error {
	text, err := os.ReadFile(filepath.Join(definitions, name+".txt"))
	if err != nil {
		return err
	}
	folder := filepath.Join(out, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	doc := fmt.Sprintf("%s// Package %s has the messages and services of ROS's %s as goroslib's types.\npackage %s\n",
		generated, name, name, name)
	if err := os.WriteFile(filepath.Join(folder, "doc.go"), []byte(doc), 0o644); err != nil {
		return err
	}
	for _, part := range strings.Split("\n"+string(text), "\n== ")[1:] {
		title, body, _ := strings.Cut(part, "\n")
		kind, typ, _ := strings.Cut(title, " ")
		source, err := convert(name, kind, typ, body)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", name, typ, err)
		}
		file := filepath.Join(folder, kind+"_"+strings.ToLower(typ)+".go")
		if err := os.WriteFile(file, source, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// convert returns the Go file of a message (kind "msg") or a service ("srv"). goroslib's converter reads files,
// and takes a type's name from the file's.
func convert(pkg, kind, typ, body string) ([]byte, error) {
	scratch, err := os.MkdirTemp("", "rs-ros-node-generate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // nothing depends on it
	file := filepath.Join(scratch, typ+"."+kind)
	if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
		return nil, err
	}
	importer := map[string]func(path, goPackage, rosPackage string, w io.Writer) error{
		"msg": conversion.ImportMessage, "srv": conversion.ImportService,
	}[kind]
	if importer == nil {
		return nil, fmt.Errorf("kind %q is neither msg nor srv", kind)
	}
	var b bytes.Buffer
	if err := importer(file, pkg, pkg, &b); err != nil {
		return nil, err
	}
	_, source, _ := strings.Cut(b.String(), "package ") // its header isn't in the form that Go's tools know
	return format.Source([]byte(generated + "package " + source))
}
