package attack

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/samplebag"
)

const (
	// maxMemory bounds what a command may keep resident for a file of some KB.
	maxMemory = 400 << 20
	// shortRun is how many mutations CI tries, the same each time; RS_ATTACK says another number.
	shortRun = 16
)

type fileCommand struct {
	line string
	made string // a bag that must be sound if the command ends with 0 or 3
}

// fileCommands are all that read a bag. IN is the damaged one, OUT a fresh name. A
// command that says that a bag is sound must have made a sound one.
var fileCommands = []fileCommand{
	{"info IN", ""}, {"info --freq --sizes --realsense IN", ""}, {"info -y IN", ""}, {"info --json --realsense IN", ""},
	{"check IN", ""}, {"check --json IN", ""},
	{"recover --log-level=debug -o OUT.bag IN", "OUT.bag"}, {"recover --lz4 --direct -o OUT.bag IN", "OUT.bag"}, {"reindex -o OUT/ IN", "OUT/in.bag"},
	{"compress -o OUT/ IN", "OUT/in.bag"}, {"decompress -o OUT/ IN", "OUT/in.bag"},
	{"filter IN -o OUT.bag", "OUT.bag"}, {"filter -p m IN -o OUT.bag t.secs>=0", "OUT.bag"}, {"filter --start 0.1 --end 0.5 IN -o OUT.bag", "OUT.bag"},
	{"split --split-count 40 -o OUT IN", "OUT_000.bag"}, {"merge -o OUT.bag IN IN", "OUT.bag"},
	{"cat IN", ""}, {"cat --json IN", ""}, {"export --ply -o OUT IN", ""}, {"convert -o OUT.mcap IN", ""},
}

// TestDamagedFiles mutates bags of all kinds, and lets every file command read each:
// none may panic, hang, take much memory or change its input, and what it makes is
// sound.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	need.Programs(t, "go")
	program := peer.Released(t)
	damageFiles(t, program, bags(t, program), shortRun)
}

// TestDamagedRecordings is the same for the other formats that are read.
func TestDamagedRecordings(t *testing.T) {
	t.Parallel()
	need.Programs(t, "go")
	program := peer.Released(t)
	damageFiles(t, program, recordings(t, program), shortRun/2)
}

// damageFiles mutates files; RS_ATTACK replaces the number of mutations.
func damageFiles(t *testing.T, program string, kinds [][]byte, mutations int) {
	t.Helper()
	if text := os.Getenv("RS_ATTACK"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("RS_ATTACK=%s: %v", text, err)
		}
		mutations = n
	}
	most := int64(0)
	for i := range mutations {
		a := attack{t: t, program: program, seed: uint64(i)}
		random := rand.New(rand.NewPCG(a.seed, 2026))
		a.bag, a.what = mutate(random, kinds[i%len(kinds)])
		commands := fileCommands
		if mutations <= shortRun { // each mutation meets some of them, each command many
			commands = someCommands(i)
		}
		for _, c := range commands {
			most = max(most, a.run(c.line, c.made))
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d mutations; at most %d MB resident", mutations, most>>20)
}

// someCommands are a fourth of fileCommands: those of any four numbers in a row are all.
func someCommands(number int) (some []fileCommand) {
	for i := number % 4; i < len(fileCommands); i += 4 {
		some = append(some, fileCommands[i])
	}
	return some
}

// attack is one damaged file.
type attack struct {
	t       *testing.T
	program string
	seed    uint64
	what    string // was done to it
	bag     []byte
}

// run lets a command read the file and returns the memory that it took.
func (a attack) run(line, made string) (resident int64) {
	dir := a.t.TempDir()
	defer os.RemoveAll(dir) //nolint:errcheck // the test's folder goes in the end
	in, out := filepath.Join(dir, "in.bag"), filepath.Join(dir, "out")
	if err := os.WriteFile(in, a.bag, 0o666); err != nil {
		a.t.Fatal(err)
	}
	place := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "IN", in), "OUT", out) }
	var args []string
	for _, word := range strings.Fields(line) {
		args = append(args, place(word))
	}
	log, code, resident := a.execute(args)
	complain := func(format string, more ...any) {
		a.t.Helper()
		a.t.Errorf("seed %d, %s: %s: %s\n%.3000s", a.seed, a.what, line, fmt.Sprintf(format, more...), log)
	}
	if !slices.Contains([]int{0, 1, 3}, code) || strings.Contains(log, "goroutine ") {
		complain("exit code %d", code)
	}
	if resident > maxMemory {
		complain("%d MB resident", resident>>20)
	}
	if after, err := os.ReadFile(in); err != nil || !bytes.Equal(after, a.bag) {
		complain("the input was changed: %v", err)
	}
	if _, err := os.Stat(place(made)); made != "" && err == nil && code != 1 {
		if why := a.unsound(place(made)); why != "" {
			complain("what it made isn't sound: %s", why)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.partial")); err != nil || len(left) > 0 {
		complain("it left %q, %v", left, err)
	}
	return resident
}

// unsound is what check finds in a bag that was made; empty if it is sound. Messages
// are copied as they are: one whose own content was damaged may not fit its type.
func (a attack) unsound(path string) string {
	out, err := exec.CommandContext(a.t.Context(), a.program, "check", path).Output()
	if strings.Contains(string(out), " at byte ") || err != nil && !strings.Contains(string(out), "don't fit their topic") {
		return fmt.Sprintf("%v\n%s", err, out)
	}
	return ""
}

// measured starts a program and writes its peak memory, in KiB, to the file 3. A process
// that this test started itself would begin with this test's peak.
const measured = `import os, sys
null = os.open(os.devnull, os.O_WRONLY)
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
_, status, used = os.wait4(pid, 0)
os.write(3, b"%d" % used.ru_maxrss)
code = os.waitstatus_to_exitcode(status)
sys.exit(code if code >= 0 else 128 - code)`

// execute runs the program until it ends.
func (a attack) execute(args []string) (log string, code int, resident int64) {
	ctx, cancel := context.WithTimeout(a.t.Context(), peer.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, need.Python(a.t), append([]string{"-I", "-S", "-c", measured, a.program}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	peak, err := os.CreateTemp(a.t.TempDir(), "peak")
	if err != nil {
		a.t.Fatal(err)
	}
	defer peak.Close()
	cmd.ExtraFiles = []*os.File{peak}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr // standard output may be long, and is not of interest
	err = cmd.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended || ctx.Err() != nil {
		a.t.Fatalf("seed %d, %s: %q: %v, %v\n%.3000s", a.seed, a.what, args, err, ctx.Err(), &stderr)
	}
	if _, err := peak.Seek(0, io.SeekStart); err != nil {
		a.t.Fatal(err)
	}
	if _, err := fmt.Fscan(peak, &resident); err != nil {
		a.t.Fatalf("%q: peak memory: %v\n%.3000s", args, err, &stderr)
	}
	return stderr.String(), cmd.ProcessState.ExitCode(), resident << 10
}

// bags are the files that are mutated: small ones, of every kind that is read.
func bags(t *testing.T, program string) (list [][]byte) {
	t.Helper()
	run := func(args ...string) {
		if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	walk := samplebag.Walk(t, "walk.bag")
	dir := filepath.Dir(walk)
	camera := filepath.Join(dir, "camera.bag")
	run("filter", samplebag.Data(t, "sw_small_raw.bag"), "-o", camera, "--end", "0.08", "--chunksize", "64")
	paths := []string{walk, camera}
	for _, path := range paths {
		for _, compression := range []string{"--lz4", "--bz2"} {
			packed := path + compression + ".bag"
			run("filter", path, "-o", packed, compression, "--chunksize", "16")
			paths = append(paths, packed)
		}
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		need.Must(t, err)
		list = append(list, b)
	}
	return list
}

const smallDB3 = "../../bagstore/db3/testdata/small.db3"

// recordings are small files of the formats beside bags: .db3, and MCAP of three kinds.
func recordings(t *testing.T, program string) (list [][]byte) {
	t.Helper()
	paths := []string{smallDB3}
	dir := t.TempDir()
	for _, flags := range [][]string{{"--lz4", "--ros", "1", smallDB3}, {"--ros", "1", smallDB3}, {"--lz4", samplebag.Walk(t, "walk.bag")}} {
		path := filepath.Join(dir, fmt.Sprintf("%d.mcap", len(paths)))
		args := append([]string{"convert", "-o", path}, flags...)
		if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		paths = append(paths, path, smallDB3)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		need.Must(t, err)
		list = append(list, b)
	}
	return list
}

// mutate damages a bag in a few places, and says how.
func mutate(random *rand.Rand, from []byte) (bag []byte, what string) {
	bag = bytes.Clone(from)
	var done []string
	for range 1 + random.IntN(4) {
		at := random.IntN(len(bag))
		if random.IntN(3) == 0 {
			at = random.IntN(min(len(bag), 4200)) // the file header and its padding
		}
		length := min(1+random.IntN(64), len(bag)-at)
		name := ""
		switch random.IntN(9) {
		case 0:
			name, bag = "cut", bag[:max(at, 14)]
		case 1:
			name = "bit"
			bag[at] ^= 1 << random.IntN(8)
		case 2, 3: // lengths and counts are 4 bytes
			name = "number"
			extreme := []uint32{0, 1, 0x7fffffff, 0x80000000, 0xffffffff, uint32(len(bag)), uint32(random.Uint32N(1 << 20))}
			copy(bag[at:], binary.LittleEndian.AppendUint32(nil, extreme[random.IntN(len(extreme))]))
		case 4:
			name = "zeros"
			clear(bag[at : at+length])
		case 5:
			name = "noise"
			for i := range length {
				bag[at+i] = byte(random.Uint32())
			}
		case 6:
			name, bag = "twice", slices.Insert(bag, at, bag[at:at+length]...)
		case 7:
			name, bag = "out", slices.Delete(bag, at, at+length)
		case 8: // fields of records, whose values follow
			name = "field"
			field := []string{"index_pos=", "conn_count=", "chunk_count=", "size=", "count=", "conn=", "time=", "chunk_pos=", "offset", "compression=", "topic=", "op="}[random.IntN(12)]
			if i := bytes.Index(bag[at:], []byte(field)); i >= 0 {
				at += i + len(field)
				for j := range min(1+random.IntN(8), len(bag)-at) {
					bag[at+j] = []byte{0, 1, 0x7f, 0x80, 0xff, byte(random.Uint32())}[random.IntN(6)]
				}
			}
		}
		done = append(done, fmt.Sprintf("%s at byte %d", name, at))
	}
	return bag, strings.Join(done, ", ")
}

// TestPipes: a named pipe in place of a recording, or of a file that belongs to one, is
// refused or left out by every command, and blocks none.
func TestPipes(t *testing.T) {
	t.Parallel()
	need.Programs(t, "go")
	small, err := os.ReadFile(smallDB3)
	need.Must(t, err)
	a := attack{t: t, program: peer.Released(t)}
	dir := t.TempDir()
	folder := func(name string, files map[string]string) string {
		path := filepath.Join(dir, name)
		need.Must(t, os.Mkdir(path, 0o700))
		for name, content := range files {
			if name = filepath.Join(path, name); content == "" {
				need.Pipe(t, name)
			} else if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	files := map[string]string{"pipe.bag": "", "pipe.db3": "", "pipe.mcap": "", "w_0.db3": string(small), "w_0.db3-journal": "", "w_0.db3-wal": ""}
	alone := folder("alone", files)
	inputs := map[string][]int{ // exit codes
		folder("metadata", map[string]string{"metadata.yaml": "", "w_0.db3": string(small)}):                                                                                      {0, 1, 3},
		folder("named", map[string]string{"metadata.yaml": "rosbag2_bagfile_information:\n  relative_file_paths: [w_0.db3, w_1.db3]\n", "w_0.db3": string(small), "w_1.db3": ""}): {1, 3},
	}
	for name, content := range files {
		if content == "" && filepath.Ext(name) != ".db3-journal" && filepath.Ext(name) != ".db3-wal" {
			inputs[filepath.Join(alone, name)] = []int{1}
		}
	}
	inputs[filepath.Join(alone, "w_0.db3")] = []int{0, 1, 3}
	for in, codes := range inputs {
		for _, c := range fileCommands {
			out := filepath.Join(t.TempDir(), "out")
			line := strings.NewReplacer("IN", in, "OUT", out).Replace(c.line)
			if log, code, _ := a.execute(strings.Fields(line)); !slices.Contains(codes, code) {
				t.Errorf("%s: exit code %d, want one of %d\n%s", line, code, codes, log)
			}
		}
	}
}

// TestDeepMetadata: YAML that once took 10 GB.
func TestDeepMetadata(t *testing.T) {
	t.Parallel()
	need.Programs(t, "go")
	small, err := os.ReadFile(smallDB3)
	need.Must(t, err)
	a := attack{t: t, program: peer.Released(t)}
	for _, text := range []string{strings.Repeat("[", 100<<10), strings.Repeat("{a: ", 30000), "[" + strings.Repeat("[],", 700_000)} {
		dir := t.TempDir()
		need.Must(t, errors.Join(os.WriteFile(filepath.Join(dir, "x_0.db3"), small, 0o600), os.WriteFile(filepath.Join(dir, "metadata.yaml"), []byte(text), 0o600)))
		if log, code, resident := a.execute([]string{"info", dir}); code != 0 || resident > 300<<20 || !strings.Contains(log, "metadata.yaml is invalid") {
			t.Errorf("%.10s…: exit code %d, %d MB\n%s", text, code, resident>>20, log)
		}
	}
}

// TestInterrupted: a signal ends a command that scans a terabyte of nothing.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	need.Programs(t, "go")
	program := peer.Released(t)
	path := filepath.Join(t.TempDir(), "long.bag")
	need.Must(t, errors.Join(os.WriteFile(path, []byte("#ROSBAG V2.0\n"), 0o600), os.Truncate(path, 1<<40)))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	l.Close()
	env := append(os.Environ(), "ROS_MASTER_URI=http://"+l.Addr().String())
	for command, want := range map[string]int{"info": 1, "check": 1, "cat": 1, "view": 0, "play --master embedded": 0, "live --master embedded --device": 0} { // a node's end is no failure
		p := peer.Start(t, env, program, append(strings.Fields(command), path)...)
		peer.Await(t, command+" scans", func() bool {
			text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid()))
			fields := strings.Fields(string(text))
			if len(fields) < 14 {
				return false
			}
			ticks, _ := strconv.Atoi(fields[13]) // of the processor, 100 a second: starting takes a few
			return ticks > 50
		})
		p.Signal(syscall.SIGTERM)
		if code := p.Wait(); code != want {
			t.Errorf("%s: exit code %d, want %d", command, code, want)
		}
	}
}

// TestMany: a definition of 700,000 fields, which once took hours, 200 of 16,000 fields, which took
// 1 GB, and 70,000 connections, of which convert made files that it refused to read.
func TestMany(t *testing.T) {
	t.Parallel()
	need.Programs(t, "go")
	a := attack{t: t, program: peer.Released(t)}
	dir := t.TempDir()
	write := func(name string, conns int, typ func(conn int) (name, definition string)) string {
		path := filepath.Join(dir, name)
		w, err := rosbag.Create(path, bagstore.Options{})
		need.Must(t, err)
		for i := range conns {
			c := bagstore.Connection{Topic: fmt.Sprint("/t", i), MD5: "*"}
			c.Type, c.Definition = typ(i)
			id, err := w.AddConnection(c)
			if err == nil {
				err = w.Write(id, bagstore.Time(1e9), []byte{1})
			}
			need.Must(t, err)
		}
		need.Must(t, w.Close())
		return path
	}
	same := func(definition string) func(int) (name, text string) {
		return func(int) (name, text string) { return "a/B", definition }
	}
	fields, many := write("fields.bag", 1, same(strings.Repeat("uint8 some_long_name_of_a_field\n", 700_000))), write("many.bag", 70_000, same("uint8 x\n"))
	lines := strings.Repeat("uint8 a_name_of_a_field\n", 16_000)
	types := write("types.bag", 200, func(i int) (name, text string) { return fmt.Sprint("a/T", i), fmt.Sprint(lines, "uint8 f", i) })
	for i, c := range []struct {
		in, out string
		code    int
	}{{fields, ".db3", 3}, {fields, ".mcap", 0}, {types, ".db3", 3}, {types, ".mcap", 3}, {many, ".db3", 1}, {many, ".mcap", 1}, {many, "", 1}} {
		out := filepath.Join(dir, fmt.Sprint("out", i)+c.out)
		log, code, resident := a.execute([]string{"convert", c.in, "-o", out})
		if code != c.code || resident > 300<<20 {
			t.Errorf("convert %s to %s: exit code %d, want %d; %d MB\n%s", filepath.Base(c.in), filepath.Base(out), code, c.code, resident>>20, log)
		}
		if _, err := os.Stat(out); (err == nil) != (code != 1) {
			t.Errorf("convert %s to %s: %v", filepath.Base(c.in), filepath.Base(out), err)
		}
	}
}
