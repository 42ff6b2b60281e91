package main

import (
	"debug/buildinfo"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// billOfMaterials writes a CycloneDX document of the modules in the programs, as recorded by the linker, and of the
// page's npm packages.
func (r *release) billOfMaterials(programs []string) error {
	modules, compiler := map[string]*debug.Module{}, ""
	for _, program := range programs {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			return err
		}
		compiler = info.GoVersion
		for _, m := range info.Deps {
			modules[m.Path+"@"+m.Version] = m
		}
	}
	self := fmt.Sprintf("pkg:generic/rs-ros-node@%s", r.version)
	list := []cyclonedx.Component{{
		BOMRef: "pkg:golang/std@" + compiler, PackageURL: "pkg:golang/std@" + compiler,
		Type: cyclonedx.ComponentTypeLibrary, Name: "std", Version: compiler,
	}}
	refs := []string{list[0].BOMRef}
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		m := modules[name]
		url := "pkg:golang/" + m.Path + "@" + m.Version
		list = append(list, cyclonedx.Component{
			BOMRef: url, PackageURL: url, Type: cyclonedx.ComponentTypeLibrary, Name: m.Path, Version: m.Version,
			// A go.sum hash is over a list of files. CycloneDX has no such type of hash.
			Properties: &[]cyclonedx.Property{{Name: "go:sum", Value: m.Sum}},
		})
		refs = append(refs, url)
	}
	page, err := r.pageComponents()
	if err != nil {
		return err
	}
	for _, c := range page {
		list, refs = append(list, c), append(refs, c.BOMRef)
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: r.time.Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef: self, PackageURL: self, Type: cyclonedx.ComponentTypeApplication, Name: "rs-ros-node", Version: r.version,
			Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}},
		},
	}
	bom.Components = &list
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: self, Dependencies: &refs}}
	return create(r.path("sbom.cdx.json"), func(w io.Writer) error {
		return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	})
}

// pageComponents returns the npm packages in the page.
func (r *release) pageComponents() ([]cyclonedx.Component, error) {
	const file = "web/third_party/SUMS"
	text, err := os.ReadFile(r.source(file))
	if err != nil {
		return nil, err
	}
	var list []cyclonedx.Component
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 4 || f[0] != "package" {
			continue
		}
		url := "pkg:npm/" + strings.Replace(f[1], "@", "%40", 1) + "@" + f[2]
		list = append(list, cyclonedx.Component{
			BOMRef: url, PackageURL: url, Type: cyclonedx.ComponentTypeLibrary, Name: f[1], Version: f[2],
		})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s names no package", file)
	}
	return list, nil
}
