package test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestImagesRunAsUser reads the Dockerfile: an image that starts the program
// starts it as a user.
func TestImagesRunAsUser(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
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

// TestComposeGivesTheNodeNoRights reads docker-compose.yml: our node is a user
// without capabilities, on a file system that it can only read.
func TestComposeGivesTheNodeNoRights(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct {
			User        string   `yaml:"user"`
			ReadOnly    bool     `yaml:"read_only"`
			CapDrop     []string `yaml:"cap_drop"`
			SecurityOpt []string `yaml:"security_opt"`
			Privileged  bool     `yaml:"privileged"`
		} `yaml:"services"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatalf("docker-compose.yml: %v", err)
	}
	node, ok := file.Services["node"]
	if !ok {
		t.Fatal("docker-compose.yml has no service node")
	}
	if node.User == "" || strings.HasPrefix(node.User, "0") || strings.HasPrefix(node.User, "root") {
		t.Errorf("docker-compose.yml: the node's user is %q", node.User)
	}
	if !node.ReadOnly || node.Privileged || !slices.Contains(node.CapDrop, "ALL") || !slices.Contains(node.SecurityOpt, "no-new-privileges:true") {
		t.Errorf("docker-compose.yml: the node has rights that it doesn't need: %+v", node)
	}
}
