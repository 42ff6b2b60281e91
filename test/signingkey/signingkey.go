// Package signingkey makes keys of minisign for tests.
package signingkey

import (
	"os"
	"path/filepath"
	"testing"

	"aead.dev/minisign"
)

// Pair writes the two halves of a new key, the secret one without a password, and returns their paths.
func Pair(t testing.TB) (secret, public string) {
	t.Helper()
	pub, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	secret, public = filepath.Join(dir, "secret"), filepath.Join(dir, "public")
	for path, key := range map[string]interface{ MarshalText() ([]byte, error) }{secret: private, public: pub} {
		text, err := key.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return secret, public
}
