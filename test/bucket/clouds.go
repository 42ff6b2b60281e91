package bucket

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
)

// GCS starts fake-gcs-server with an empty bucket, and returns the bucket's address.
func GCS(t testing.TB) string {
	t.Helper()
	need.Long(t)
	program, err := tool("gcs", "fake-gcs-server")
	if err != nil {
		t.Fatalf("build the GCS server: %v", err)
	}
	folder, address := t.TempDir(), free(t)
	host, port, _ := net.SplitHostPort(address)
	if err := os.Mkdir(filepath.Join(folder, "walks"), 0o777); err != nil {
		t.Fatal(err)
	}
	peer.Start(t, nil, program, "-scheme", "http", "-host", host, "-port", port, "-data", folder, "-backend", "memory", "-public-host", address)
	await(t, "the GCS server", address)
	t.Setenv("STORAGE_EMULATOR_HOST", address)
	return "gs://walks"
}

// Azure starts Azurite from the folder of npm's modules, and returns the address of a container.
func Azure(t testing.TB, modules string) string {
	t.Helper()
	need.Programs(t, "node")
	address := free(t)
	host, port, _ := net.SplitHostPort(address)
	peer.Start(t, nil, "node", filepath.Join(modules, "azurite/dist/src/blob/main.js"), "--blobHost", host, "--blobPort", port, "--inMemoryPersistence", "--silent", "--skipApiVersionCheck", "--disableTelemetry")
	await(t, "Azurite", address)
	// The account of every emulator.
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", strings.Join([]string{"DefaultEndpointsProtocol=http", "AccountName=devstoreaccount1",
		"AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==", "BlobEndpoint=http://" + address + "/devstoreaccount1"}, ";"))
	return "azblob://walks"
}

// free returns a free address of this machine.
func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func await(t testing.TB, what, address string) {
	t.Helper()
	peer.Await(t, what, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}
