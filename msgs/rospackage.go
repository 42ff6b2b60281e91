package msgs

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed rospackage
var rosPackage embed.FS

// MissingPackages are the ROS packages of which the camera node publishes types and that no
// installation of ROS has by itself.
var MissingPackages = []string{"realsense2_camera", "realsense_msgs"}

// PackageFiles returns the files of a ROS package with the definitions of a known package, for
// rosmsg and rossrv, and Python classes, for rostopic and rosservice. Names have slashes.
func PackageFiles(pkg string) (map[string]string, error) {
	messages, services, err := ReadDefinitions(definitions)
	if err != nil {
		return nil, err
	}
	manifest, err := rosPackage.ReadFile("rospackage/manifest.xml")
	if err != nil {
		return nil, err
	}
	module, err := rosPackage.ReadFile("rospackage/package.py")
	if err != nil {
		return nil, err
	}
	python := "src/" + pkg + "/"
	files := map[string]string{"manifest.xml": string(manifest), python + "__init__.py": string(module)}
	for kind, all := range map[string]Definitions{"msg": messages, "srv": services} {
		for name, text := range all {
			if path.Dir(name) == pkg {
				files[kind+"/"+path.Base(name)+"."+kind] = strings.TrimRight(text, "\n") + "\n"
				files[python+kind+"/__init__.py"] = fmt.Sprintf("import %[1]s\nexec(%[1]s._source(%[2]q))\n", pkg, kind)
			}
		}
	}
	return files, nil
}
