// Package bucket runs an S3 server for tests, behind a proxy that counts requests and injects faults.
package bucket

import (
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"rsros/bagstore/place"
	"rsros/bagstore/place/s3"
	"rsros/test/need"
	"rsros/test/peer"
)

// Secret is the server's secret key. It must not be in any output.
const Secret = "secret-of-the-test-bucket"

// Bucket is an empty bucket of a server that stops with the test.
type Bucket struct {
	*Proxy
	Env    []string // of programs that use it
	Folder string   // with the files that the server serves
	Server string   // its URL, without the Proxy
	t      testing.TB
}

// server builds versitygw, once.
var server = sync.OnceValues(func() (string, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "tool", "-n", "-modfile="+filepath.Join(strings.TrimSpace(string(root)), "test/bucket/server/go.mod"), "versitygw")
	build.Stderr = os.Stderr
	path, err := build.Output()
	return strings.TrimSpace(string(path)), err
})

// Start starts versitygw with a bucket, for programs and for the test's own process.
func Start(t testing.TB) *Bucket {
	t.Helper()
	need.Long(t)
	program, err := server()
	if err != nil {
		t.Fatalf("build the S3 server: %v", err)
	}
	address := free(t)
	folder, side := filepath.Join(t.TempDir(), "data"), t.TempDir()
	need.Must(t, os.MkdirAll(filepath.Join(folder, "walks"), 0o777))
	peer.Start(t, append(os.Environ(), "ROOT_ACCESS_KEY=tester", "ROOT_SECRET_KEY="+Secret), program, "--quiet", "--port", address, "posix", "--sidecar", side, folder)
	peer.Await(t, "the S3 server", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	b := &Bucket{Folder: filepath.Join(folder, "walks"), Server: "http://" + address, t: t}
	b.Proxy = NewProxy(t, b.Server)
	b.use()
	return b
}

// use makes programs and the test's own process use the bucket.
func (b *Bucket) use() {
	variables := []string{"AWS_ENDPOINT_URL", b.URL, "AWS_ENDPOINT_URL_S3", "", "AWS_REGION", "us-east-1", "AWS_ACCESS_KEY_ID", "tester", "AWS_SECRET_ACCESS_KEY", Secret, "AWS_SESSION_TOKEN", ""}
	b.Env = os.Environ()
	for i := 0; i < len(variables); i += 2 {
		b.t.Setenv(variables[i], variables[i+1])
		b.Env = append(b.Env, variables[i]+"="+variables[i+1])
	}
	place.Register(s3.Scheme, &s3.Store{})
}

// Address returns the address of a key.
func (b *Bucket) Address(key string) string { return s3.Scheme + "://walks/" + key }

// Put writes a file, or the files of a folder, and returns the address. The proxy doesn't count it.
func (b *Bucket) Put(key, path string) string {
	b.t.Helper()
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close() //nolint:errcheck // only read
		st, err := f.Stat()
		if err != nil {
			return err
		}
		to := b.Address(key)
		if name != path {
			to = place.Join(to, filepath.ToSlash(strings.TrimPrefix(name, path)))
		}
		_, err = place.Put(b.t.Context(), to, f, st.Size(), place.PutOptions{})
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.Forget()
	return b.Address(key)
}

// Signed returns an http address of a key, signed for an hour.
func (b *Bucket) Signed(t testing.TB, key string) string {
	t.Helper()
	client, err := minio.New(strings.TrimPrefix(b.URL, "http://"), &minio.Options{Creds: credentials.NewEnvAWS(), Region: "us-east-1"})
	need.Must(t, err)
	signed, err := client.PresignedGetObject(t.Context(), "walks", key, time.Hour, nil)
	need.Must(t, err)
	return signed.String()
}

// free returns a free address of this machine.
func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	defer l.Close()
	return l.Addr().String()
}
