package test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"rsros/test/need"
)

// TestImagesRunAsUser checks in the Dockerfile that images don't run the program as root.
func TestImagesRunAsUser(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	need.Must(t, err)
	stage, user, images := "", "", 0
	for line := range strings.SplitSeq(string(text), "\n") {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		switch words[0] {
		case "FROM":
			stage, user = line, ""
		case "USER":
			user = words[1]
		case "ENTRYPOINT":
			images++
			if name, _, _ := strings.Cut(user, ":"); name == "" || name == "root" || name == "0" {
				t.Errorf("Dockerfile: the image of stage %q runs as root; USER is %q", stage, user)
			}
		}
	}
	if images == 0 {
		t.Error("Dockerfile: no image has an ENTRYPOINT")
	}
}

// TestComposeGivesTheNodeNoRights checks in docker-compose.yml that each container of our program runs
// as a user without capabilities, on a read-only file system.
func TestComposeGivesTheNodeNoRights(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	need.Must(t, err)
	type service struct {
		Image       string   `yaml:"image"`
		User        string   `yaml:"user"`
		ReadOnly    bool     `yaml:"read_only"`
		CapDrop     []string `yaml:"cap_drop"`
		SecurityOpt []string `yaml:"security_opt"`
		Privileged  bool     `yaml:"privileged"`
		Volumes     []string `yaml:"volumes"`
	}
	var file struct {
		Services map[string]service `yaml:"services"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatalf("docker-compose.yml: %v", err)
	}
	ours := 0
	for name, s := range file.Services {
		if image, _, _ := strings.Cut(s.Image, ":"); image != "rs-ros-node" {
			continue
		}
		ours++
		if s.User == "" || strings.HasPrefix(s.User, "0") || strings.HasPrefix(s.User, "root") {
			t.Errorf("docker-compose.yml: the user of %s is %q", name, s.User)
		}
		if !s.ReadOnly || s.Privileged || !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("docker-compose.yml: %s has rights that it doesn't need: %+v", name, s)
		}
	}
	if play := file.Services["play"].Volumes; len(play) != 1 || !strings.HasSuffix(play[0], ":/bags:ro") {
		t.Errorf("docker-compose.yml: play, which only reads ./bags, mounts %v", play)
	}
	if ours != 5 { // a camera, one at USB, play, record, view
		t.Errorf("docker-compose.yml has %d services of the program", ours)
	}
}
