package main

import (
	"debug/buildinfo"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// billOfMaterials writes which modules, in which versions, the programs were linked from: a CycloneDX document, from
// what the linker wrote into them.
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
			// The sum of go.sum is over a list of files; no type of hash of the format means that.
			Properties: &[]cyclonedx.Property{{Name: "go:sum", Value: m.Sum}},
		})
		refs = append(refs, url)
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
