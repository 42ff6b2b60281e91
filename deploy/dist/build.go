package main

import (
	"os"
	"path/filepath"
	"strings"
)

// platform is one that programs are made for.
type platform struct {
	os, arch, arm string
	debian        string // its name in Debian; "" if no package is made
}

var platforms = []platform{
	{os: "linux", arch: "amd64", debian: "amd64"},
	{os: "linux", arch: "arm64", debian: "arm64"},
	{os: "linux", arch: "arm", arm: "7", debian: "armhf"},
	{os: "linux", arch: "arm", arm: "6"},
	{os: "linux", arch: "riscv64"},
	{os: "darwin", arch: "amd64"},
	{os: "darwin", arch: "arm64"},
	{os: "windows", arch: "amd64"},
	{os: "windows", arch: "arm64"},
	{os: "freebsd", arch: "amd64"},
}

// String is the platform as the command line names it: linux/arm/7.
func (p platform) String() string { return strings.TrimSuffix(p.os+"/"+p.arch+"/"+p.arm, "/") }

// name is the platform as files are named after it: linux_armv7.
func (p platform) name() string {
	if p.arm != "" {
		return p.os + "_armv" + p.arm
	}
	return p.os + "_" + p.arch
}

func (p platform) program() string {
	if p.os == "windows" {
		return "rs-ros-node.exe"
	}
	return "rs-ros-node"
}

// env says to Go what to build for.
func (p platform) env() []string {
	return []string{"CGO_ENABLED=0", "GOOS=" + p.os, "GOARCH=" + p.arch, "GOARM=" + p.arm}
}

// stamp are the linker's flags of a release: its version and commit, nothing that differs between two builds, and no
// tables for debuggers.
func (r *release) stamp() string {
	return "-s -w -buildid= -X rsros/program.Version=" + r.version + " -X rsros/program.Commit=" + r.commit
}

// build makes the program for one platform and returns its path.
func (r *release) build(p platform) (string, error) {
	program := filepath.Join(r.work, p.name(), p.program())
	_, err := r.run("go", p.env(),
		"build", "-trimpath", "-buildvcs=false", "-ldflags", r.stamp(), "-o", program, "./cmd/rs-ros-node")
	return program, err
}

// documents makes the manual pages, the scripts of completion, and the licenses of what is linked. It returns their
// folder, with man, completions and licenses.txt.
func (r *release) documents() (string, error) {
	folder := filepath.Join(r.work, "documents")
	program := filepath.Join(r.work, "manual")
	if _, err := r.run("go", []string{"CGO_ENABLED=0"},
		"build", "-trimpath", "-buildvcs=false", "-tags", "manual", "-ldflags", r.stamp(), "-o", program, "./cmd/rs-ros-node"); err != nil {
		return "", err
	}
	if _, err := r.run(program, nil, "manual", filepath.Join(folder, "man")); err != nil {
		return "", err
	}
	scripts := filepath.Join(folder, "completions")
	if err := os.MkdirAll(scripts, 0o755); err != nil {
		return "", err
	}
	for shell, file := range map[string]string{"bash": "rs-ros-node", "zsh": "_rs-ros-node", "fish": "rs-ros-node.fish", "powershell": "rs-ros-node.ps1"} {
		script, err := r.run(program, nil, "completion", shell)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(scripts, file), []byte(script+"\n"), 0o644); err != nil {
			return "", err
		}
	}
	text, err := r.licenses()
	if err != nil {
		return "", err
	}
	return folder, os.WriteFile(filepath.Join(folder, licensesFile), []byte(text), 0o644)
}
