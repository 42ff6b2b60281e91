package main

import (
	"os"
	"path/filepath"
	"strings"
)

type platform struct {
	os, arch, arm string
	debian        string // Debian's name of the architecture; "" for no package
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

// String returns the name on the command line, such as linux/arm/7.
func (p platform) String() string { return strings.TrimSuffix(p.os+"/"+p.arch+"/"+p.arm, "/") }

// name returns the name in file names, such as linux_armv7.
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

// env returns the environment of the go command for the platform.
func (p platform) env() []string {
	return []string{"CGO_ENABLED=0", "GOOS=" + p.os, "GOARCH=" + p.arch, "GOARM=" + p.arm}
}

// stamp returns the linker's flags: version and commit, no build ID, no debugging tables.
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

// documents writes manual pages, completion scripts and the licenses of linked code. It returns their folder, with man,
// completions and licenses.txt.
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
