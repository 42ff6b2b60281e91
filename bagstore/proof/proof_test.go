package proof

import (
	"bytes"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"
	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/scrypt"

	"rsros/test/need"
)

func testKey(t testing.TB) *Key {
	t.Helper()
	_, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Key{private}
}

// writeLog writes a log with some leaves and roots.
func writeLog(t testing.TB, recording string, k *Key) {
	t.Helper()
	l, err := Create(recording, k, true, true)
	if err != nil {
		t.Fatal(err)
	}
	l.Connection(Connection{ID: 3, Topic: "/imu", Type: "test/Imu", Digest: DigestOf([]byte("imu"))})
	l.Chunk(&Chunk{Pos: 4117, Compression: "none", Size: 100, Stored: 100, IndexSize: 60,
		Messages: []Message{{3, 1_700_000_000_000_000_000, DigestOf(nil)}, {3, 1_600_000_000_000_000_000, DigestOf([]byte{1})}}})
	m := l.Mark(4300)
	if err := l.Sign(m, false); err != nil {
		t.Fatal(err)
	}
	l.Chunk(&Chunk{Pos: 4300, Compression: "lz4", Size: 100, Stored: 50})
	l.Rewind(m)
	l.Section(Section{Pos: 4300, Size: 80, Conns: 1, Chunks: 1})
	if err := l.Sign(l.Mark(4380), true); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestLog(t *testing.T) {
	k := testKey(t)
	path := filepath.Join(t.TempDir(), "walk.bag")
	writeLog(t, path+activeExt, k)
	p, err := Open(t.Context(), LogPath(path+activeExt), k.Public())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if !p.Complete || p.Recording != "walk.bag" || p.Leaves != 4 || p.Len() != 4 || p.Chunks != 1 || p.Messages != 2 || p.Bytes != 4380 || p.Unsigned != 0 {
		t.Errorf("%+v", p.Root)
	}
	var c Chunk
	if err := p.Chunk(2, &c); err != nil || c.Messages[1].Time != 1_600_000_000_000_000_000 || c.Messages[1].Data != DigestOf([]byte{1}) || c.IndexSize != 60 {
		t.Errorf("%+v, %v", c, err)
	}
	if s, err := p.Section(3); err != nil || s.Pos != 4300 || p.Leaf(3) != KindSection {
		t.Errorf("%+v, %v", s, err)
	}
	if len(p.Connections) != 1 || p.Connections[0].Topic != "/imu" {
		t.Errorf("%+v", p.Connections)
	}
}

// TestMinisign lets Debian's minisign make keys, and verify what is signed with them.
func TestMinisign(t *testing.T) {
	need.Programs(t, "minisign")
	dir := t.TempDir()
	secret, public, recording := filepath.Join(dir, "s.key"), filepath.Join(dir, "p.pub"), filepath.Join(dir, "walk.bag")
	run := func(in string, args ...string) {
		t.Helper()
		cmd := exec.Command("minisign", args...)
		cmd.Stdin = strings.NewReader(in)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("minisign %q: %v: %s", args, err, out)
		}
	}
	run("", "-G", "-W", "-p", public, "-s", secret)
	k, err := ReadKey(secret, nil)
	if err != nil {
		t.Fatal(err)
	}
	writeLog(t, recording, k)
	run("", "-V", "-m", recording+RootExt, "-p", public)
	pub, err := ReadPublicKey(public)
	if err != nil || pub.String() != k.Public().String() {
		t.Errorf("%v, %v", pub, err)
	}
	text, err := os.ReadFile(public)
	if err != nil {
		t.Fatal(err)
	}
	if pub, err = ReadPublicKey(strings.Split(string(text), "\n")[1]); err != nil || pub.String() != k.Public().String() {
		t.Errorf("the text of the key: %v, %v", pub, err)
	}
	if err := os.WriteFile(recording+RootExt, []byte("something else"), 0o666); err != nil {
		t.Fatal(err)
	}
	if exec.Command("minisign", "-V", "-m", recording+RootExt, "-p", public).Run() == nil {
		t.Error("minisign accepts another root")
	}
}

// encrypted returns a key with a password, as minisign writes it but with little work.
func encrypted(t *testing.T, k *Key, password string) []byte {
	t.Helper()
	plain, err := k.private.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := bytes.Cut(plain, []byte("\n"))
	b, err := base64.StdEncoding.DecodeString(string(line))
	if err != nil {
		t.Fatal(err)
	}
	copy(b[2:], "Sc")
	binary.LittleEndian.PutUint64(b[38:], 1<<15)
	binary.LittleEndian.PutUint64(b[46:], 1<<24)
	sum := blake2b.Sum256(append([]byte("Ed"), b[54:126]...))
	copy(b[126:], sum[:])
	stream, err := scrypt.Key([]byte(password), b[6:38], 1<<10, 8, 1, 104)
	if err != nil {
		t.Fatal(err)
	}
	subtle.XORBytes(b[54:], b[54:], stream)
	return []byte("untrusted comment: minisign encrypted secret key\n" + base64.StdEncoding.EncodeToString(b) + "\n")
}

func TestPassword(t *testing.T) {
	k := testKey(t)
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, encrypted(t, k, "good"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ReadKey(path, func() (string, error) { return "good", nil })
	if err != nil || !got.private.Equal(k.private) {
		t.Errorf("%v", err)
	}
	if _, err := ReadKey(path, func() (string, error) { return "bad", nil }); !errors.Is(err, ErrPassword) {
		t.Errorf("a wrong password: %v", err)
	}
}

func TestRoot(t *testing.T) {
	r := &Root{Recording: "a \"walk\"\n.bag", ID: [16]byte{1, 2}, Leaves: 5, Hash: [32]byte{9}, Bytes: 1 << 40, Chunks: 3, Messages: 4, Complete: true, Time: time.Unix(5, 6).UTC()}
	got, err := ParseRoot(r.Text())
	if err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := ParseRoot(append(r.Text(), ' ')); err == nil {
		t.Error("a root with more is accepted")
	}
}

type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

// FuzzLog opens logs that others wrote, signed or not, and decodes all leaves.
func FuzzLog(f *testing.F) {
	k := testKey(f)
	path := filepath.Join(f.TempDir(), "walk.bag")
	writeLog(f, path, k)
	whole, err := os.ReadFile(LogPath(path))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Fuzz(func(_ *testing.T, b []byte) {
		p := &Proof{f: memory{bytes.NewReader(b)}}
		if p.open(int64(len(b)), k.Public()) != nil {
			return
		}
		var c Chunk
		for i := range p.Len() {
			_ = p.Chunk(i, &c)
			_, _ = p.Section(i)
		}
	})
}

// FuzzLeaf decodes leaves of all kinds. What can be decoded is encoded to as many bytes at most.
func FuzzLeaf(f *testing.F) {
	var e encoder
	e.Chunk(&Chunk{Pos: 4117, Compression: "none", Messages: []Message{{3, 17, Digest{}}}})
	f.Add(e.b)
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, decode := range []func(d *decoder){
			func(d *decoder) { d.Header() },
			func(d *decoder) { d.Connection() },
			func(d *decoder) { d.Section() },
		} {
			decode(&decoder{b: b})
		}
		var c Chunk
		d := decoder{b: b}
		if d.Chunk(&c); d.end() != nil {
			return
		}
		var e encoder
		if e.Chunk(&c); len(e.b) > len(b) {
			t.Errorf("%d bytes from %d", len(e.b), len(b))
		}
	})
}

// FuzzRoot parses roots: what is accepted has only one form.
func FuzzRoot(f *testing.F) {
	f.Add((&Root{Recording: "walk.bag", Time: time.Unix(5, 6)}).Text())
	f.Fuzz(func(t *testing.T, text []byte) {
		if r, err := ParseRoot(text); err == nil && !bytes.Equal(r.Text(), text) {
			t.Errorf("%q is parsed as %q", text, r.Text())
		}
	})
}

// FuzzKey reads keys. No password is asked for, as decrypting may take 1 GiB.
func FuzzKey(f *testing.F) {
	k := testKey(f)
	secret, err := k.private.MarshalText()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(secret)
	f.Add([]byte(k.Public().public.String()))
	f.Fuzz(func(_ *testing.T, text []byte) {
		_, _ = parseKey("key", text, func() (string, error) { return "", os.ErrDeadlineExceeded })
		var p PublicKey
		_ = p.public.UnmarshalText(text)
		k.Public().verify([]byte("root"), text)
	})
}

// TestBrokenLog lets writing the log fail: Close says so, and every other method goes on.
func TestBrokenLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "walk.bag")
	l, err := Create(path, testKey(t), false, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.f.Close(); err != nil {
		t.Fatal(err)
	}
	l.Chunk(&Chunk{Pos: 4117, Compression: "none"})
	if l.Sign(l.Mark(5000), true) == nil {
		t.Error("a root is signed that can't be written")
	}
	l.Section(Section{})
	l.Rewind(Mark{leaves: 1})
	if err := l.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(path + RootExt); err == nil {
		t.Error("there is a root")
	}
	if _, err := Create(path, testKey(t), false, true); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second log: %v", err)
	}
}

// TestSlowDisk adds leaves while Sign waits for the disk: a recorder must not wait with it.
func TestSlowDisk(t *testing.T) {
	l, err := Create(filepath.Join(t.TempDir(), "walk.bag"), testKey(t), false, true)
	if err != nil {
		t.Fatal(err)
	}
	file := l.f
	defer file.Close()
	slow, f, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	l.f = f
	large := Chunk{Pos: 4117, Compression: "none", Messages: make([]Message, 20_000)} // more than a pipe holds
	l.Chunk(&large)
	signed := make(chan error)
	go func() { signed <- l.Sign(l.Mark(5000), false) }()
	if _, err := slow.Read(make([]byte, 1)); err != nil { // now Sign writes
		t.Fatal(err)
	}
	l.Chunk(&Chunk{Pos: 5000, Compression: "none"})
	l.Mark(6000)
	go func() { _, _ = io.Copy(io.Discard, slow) }()
	if err := errors.Join(<-signed, l.Close()); err != nil {
		t.Error(err)
	}
}
