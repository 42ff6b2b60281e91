package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const licensesFile = "licenses.txt"

// licenses maps sources to the license texts that copies must include: Go's library, linked modules, the page.
type licenses map[string]string

var licenseName = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|notice)`)

// licenses returns one text with the licenses of all platforms' programs.
func (r *release) licenses() (string, error) {
	goroot, err := r.run("go", nil, "env", "GOROOT")
	if err != nil {
		return "", err
	}
	all := licenses{}
	if err := all.need("Go", goroot); err != nil {
		return "", err
	}
	for _, p := range platforms {
		list, err := r.run("go", p.env(), "list", "-deps",
			"-f", "{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", "./cmd/rs-ros-node")
		if err != nil {
			return "", err
		}
		for line := range strings.Lines(list) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if len(f) != 3 {
				continue // a package of Go's library or of this module
			}
			if err := all.addModule(f[0], f[1], f[2]); err != nil {
				return "", err
			}
		}
	}
	page, err := os.ReadFile(r.source("web/dist/licenses.txt"))
	if err != nil {
		return "", err
	}
	all["the viewer's page"] = string(page)
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&text, "== %s ==\n\n%s\n\n", name, strings.TrimSpace(all[name]))
	}
	return text.String(), nil
}

// addModule adds the texts of a module and of the folders from its root down to a package.
func (l licenses) addModule(name, root, folder string) error {
	if err := l.need(name, root); err != nil {
		return err
	}
	for ; len(folder) > len(root); folder = filepath.Dir(folder) {
		if _, err := l.add(name+filepath.ToSlash(folder[len(root):]), folder); err != nil {
			return err
		}
	}
	return nil
}

// need adds the texts in a folder. No text is an error.
func (l licenses) need(name, folder string) error {
	n, err := l.add(name, folder)
	if err == nil && n == 0 {
		err = errors.New("no file is named like one")
	}
	if err != nil {
		return fmt.Errorf("license of %s in %s: %w", name, folder, err)
	}
	return nil
}

// add adds the texts in a folder and returns how many it found.
func (l licenses) add(name, folder string) (n int, err error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		if f.IsDir() || !licenseName.MatchString(f.Name()) || filepath.Ext(f.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			return n, err
		}
		l[name+", "+f.Name()] = strings.ReplaceAll(string(text), "\r\n", "\n")
		n++
	}
	return n, nil
}
