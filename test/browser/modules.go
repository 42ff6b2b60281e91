package browser

import (
	"path/filepath"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// libraries are the modules in third_party, beside the sources, of any version.
var libraries = map[string]string{
	"preact":               "preact@*/preact.mjs",
	"preact/hooks":         "preact@*/hooks.mjs",
	"preact/jsx-runtime":   "preact@*/jsxRuntime.mjs",
	"@preact/signals":      "signals@*/signals.mjs",
	"@preact/signals-core": "signals-core@*/signals-core.mjs",
}

// Modules opens an empty page that has TypeScript modules below a folder, named
// without their ending, as objects of the global object m: by the last part of
// their names.
func Modules(t testing.TB, folder string, names ...string) *Page {
	t.Helper()
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	aliases := map[string]string{}
	for name, file := range libraries {
		found, err := filepath.Glob(filepath.Join(folder, "..", "third_party", file))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s in third_party: %v %v", file, found, err)
		}
		aliases[name] = found[0]
	}
	entry := ""
	for _, name := range names {
		entry += "export * as " + filepath.Base(name) + " from './" + name + "';\n"
	}
	built := api.Build(api.BuildOptions{
		Stdin:  &api.StdinOptions{Contents: entry, ResolveDir: folder, Loader: api.LoaderTS},
		Alias:  aliases,
		Bundle: true,
		JSX:    api.JSXAutomatic, JSXImportSource: "preact",
		Format:     api.FormatIIFE,
		GlobalName: "m",
		Target:     api.ES2022,
	})
	for _, e := range built.Errors {
		t.Fatalf("bundle %v: %s %+v", names, e.Text, e.Location)
	}
	p := Open(t, 640, 480)
	Eval[bool](p, string(built.OutputFiles[0].Contents)+"\nglobalThis.m = m;\ntrue")
	return p
}
