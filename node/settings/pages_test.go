package settings

import (
	"cmp"
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rsros/test/need"
)

var update = flag.Bool("update", false, "write the tables of docs/settings.md")

const settingsPage = "../../docs/settings.md"

// The tables of the page are those of the declarations.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(settingsPage)
	need.Must(t, err)
	made := regexp.MustCompile(`(?s)<!-- settings: .*?<!-- end -->`).ReplaceAllStringFunc(string(text), func(part string) string {
		name, _, _ := strings.Cut(strings.TrimPrefix(part, "<!-- settings: "), " -->")
		table := unusedTable()
		switch name {
		case "live":
			table = settingsTable(Live)
		case "flags only":
			table = flagsOnly(Live)
		}
		return "<!-- settings: " + name + " -->\n" + table + "<!-- end -->"
	})
	if *update {
		need.Must(t, os.WriteFile(settingsPage, []byte(made), 0o644))
	} else if made != string(text) {
		t.Errorf("%s isn't what the settings say: go test ./node/settings -run TestPage -update", settingsPage)
	}
}

// settingsTable lists the settings whose parameters aren't named after their flags, or that can be changed
// while the node runs.
func settingsTable(set Set) string {
	var b strings.Builder
	row := func(cells ...string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	row("parameter", "flag", "default", "meaning", "running")
	row("---", "---", "---", "---", "---")
	frames := false
	for _, s := range set {
		if strings.HasSuffix(s.Name(), "_frame_id") {
			if !frames {
				row("`base_frame_id`, `color_optical_frame_id`, …", "", "prefix and name", "names of single frames", "")
			}
			frames = true
			continue
		}
		if s.Running == "" && (s.Params == nil || slices.Equal(s.Params, []string{strings.ReplaceAll(s.Flag, "-", "_")})) {
			continue
		}
		var list []string
		for _, p := range s.Params {
			list = append(list, code(p, ""))
		}
		help, standard := s.Help, cmp.Or(s.Auto, code(s.Default, ""))
		if s.Choices != nil && s.Flag == "" {
			standard += " of `" + strings.Join(s.Choices, "`, `") + "`"
		}
		if s.Flag != "" {
			help = "" // --help has it
		}
		row(strings.Join(list, ", "), code(s.Flag, "--"), standard, help, code(s.Running, ""))
	}
	return b.String()
}

// flagsOnly lists the flags of settings without parameters.
func flagsOnly(set Set) string {
	var names []string
	for _, s := range set {
		if s.Params == nil && s.Flag != "" {
			names = append(names, code(s.Flag, "--"))
		}
	}
	return strings.Join(names, ", ") + ".\n"
}

func code(name, prefix string) string {
	if name == "" {
		return ""
	}
	return "`" + prefix + name + "`"
}

func unusedTable() string {
	var b strings.Builder
	b.WriteString("| parameter | why |\n| --- | --- |\n")
	for i := 0; i < len(WithoutEffect); {
		u := WithoutEffect[i]
		var names []string
		for ; i < len(WithoutEffect) && WithoutEffect[i].Why == u.Why; i++ {
			for _, name := range WithoutEffect[i].Params {
				names = append(names, code(name, ""))
			}
		}
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(names, ", "), u.Why)
	}
	return b.String()
}

type launchFile struct {
	Args   []launchValue `xml:"arg"`
	Params []launchValue `xml:"node>param"`
	Groups []launchValue `xml:"group>param"`
}

type launchValue struct {
	Name    string `xml:"name,attr"`
	Type    string `xml:"type,attr"`
	Default string `xml:"default,attr"`
}

func readLaunch(t *testing.T, file string) (l launchFile) {
	t.Helper()
	text, err := os.ReadFile("../../launch/" + file)
	if err == nil {
		err = xml.Unmarshal(text, &l)
	}
	need.Must(t, err)
	return l
}

// ofParam returns the setting of a parameter, and its kind, which for the parts of a profile
// are those of each.
func ofParam(name string) (s *Setting, k Kind) {
	for i := range Live {
		if at := slices.Index(Live[i].Params, name); at >= 0 {
			if s, k = &Live[i], Live[i].Kind; k == Profile {
				k = [...]Kind{Bool, Whole, Whole, Whole}[at]
			}
			return s, k
		}
	}
	return nil, 0
}

// The launch files set parameters that exist, with the types that they have.
func TestLaunchFilesSetParameters(t *testing.T) {
	types := map[Kind][]string{
		Bool: {"bool"}, Whole: {"int"}, Number: {"double"}, Positive: {"double"}, Time: {"double", "str"}, Wait: {"double", "str"},
	}
	for _, file := range []string{"camera.launch", "rs_rgbd.launch", "includes/nodelet.launch.xml"} {
		launch := readLaunch(t, file)
		for _, p := range append(launch.Params, launch.Groups...) {
			if slices.ContainsFunc(WithoutEffect, func(u Unused) bool { return slices.Contains(u.Params, p.Name) }) || p.Name == "rgbd_launch/depth_registered_processing" {
				continue // the latter is rgbd
			}
			s, kind := ofParam(p.Name)
			if s == nil {
				t.Errorf("%s sets %s, which is no setting", file, p.Name)
				continue
			}
			want, ok := types[kind]
			if !ok {
				want = []string{"str"}
			}
			if !slices.Contains(want, p.Type) {
				t.Errorf("%s: %s is of type %s, want %v", file, p.Name, p.Type, want)
			}
		}
	}
}

// The arguments of camera.launch have the settings' defaults, and each has its parameter.
func TestCameraLaunchHasDefaults(t *testing.T) {
	launch := readLaunch(t, "camera.launch")
	for _, a := range launch.Args {
		s, kind := ofParam(a.Name)
		if s == nil || s.Name() == "device" { // which has none
			continue
		}
		zero := a.Default == "" || a.Default == "-1" || a.Default == "0"
		switch {
		case s.Kind == Profile && kind == Bool:
			zero = a.Default == "true"
		case kind == Bool:
			zero = a.Default == cmp.Or(s.Default, "false")
		}
		if !zero && a.Default != s.Default {
			t.Errorf("%s is %q by default, want %q", a.Name, a.Default, s.Default)
		}
	}
	for _, name := range []string{"depth", "color", "infra1", "gyro", "serial", "record", "split-size", "naming", "lz4", "db3"} {
		if !slices.ContainsFunc(launch.Args, func(a launchValue) bool { return slices.Contains(Live.Find(name).Params, a.Name) }) {
			t.Errorf("camera.launch has no argument for %s", name)
		}
	}
}

// realsense2_camera's launch file with all parameters has all that are settings here, too.
func TestNodeletLaunchIsWhole(t *testing.T) {
	var names []string
	for _, p := range readLaunch(t, "includes/nodelet.launch.xml").Params {
		names = append(names, p.Name)
	}
	for _, u := range WithoutEffect {
		for _, name := range u.Params {
			if !strings.Contains(name, "rgbd_launch/") && name != "hold_back_imu_for_frames" && !slices.Contains(names, name) {
				t.Errorf("nodelet.launch.xml doesn't set %s", name)
			}
		}
	}
	for _, name := range []string{"serial", "port", "type", "json-file-path", "align-depth", "pointcloud", "filters", "clip-distance", "sync", "unite-imu", "depth", "color"} {
		if s := Live.Find(name); !slices.Contains(names, s.Params[0]) {
			t.Errorf("nodelet.launch.xml doesn't set %s", s.Params[0])
		}
	}
}
