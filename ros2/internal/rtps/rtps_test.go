package rtps

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/test/need"
)

// captured returns the datagrams of real peers in testdata, by name.
func captured(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/*.bin")
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata: %d files, %v", len(files), err)
	}
	list := map[string][]byte{}
	for _, name := range files {
		b, err := os.ReadFile(name)
		need.Must(t, err)
		list[strings.TrimSuffix(filepath.Base(name), ".bin")] = b
	}
	return list
}

func scan(t testing.TB, b []byte) (list []Submessage) {
	t.Helper()
	s, ok := Scan(b)
	if !ok {
		t.Fatal("no header of RTPS")
	}
	var m Submessage
	for s.Next(&m) {
		list = append(list, m)
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return list
}

// describe returns what a test compares of a submessage.
func describe(m *Submessage) string {
	switch m.Kind {
	case Data:
		return fmt.Sprintf("DATA %x #%d status %d, %d bytes", m.Writer, m.Number, m.Inline.Status(), len(m.Payload))
	case DataFrag:
		return fmt.Sprintf("DATA_FRAG %x #%d fragment %d of %d bytes, %d of %d bytes", m.Writer, m.Number, m.Fragment, m.FragmentSize, len(m.Payload), m.SampleSize)
	case Heartbeat:
		return fmt.Sprintf("HEARTBEAT %x %d..%d final %v", m.Writer, m.Number, m.Last, m.Final)
	case Gap:
		return fmt.Sprintf("GAP %x %d..%d", m.Writer, m.Number, m.Set.Base)
	}
	var missing []int64
	for n := range m.Set.All() {
		missing = append(missing, n)
	}
	if m.Kind == NackFrag {
		return fmt.Sprintf("NACK_FRAG %x #%d %d", m.Writer, m.Number, missing)
	}
	return fmt.Sprintf("ACKNACK %x base %d missing %d final %v", m.Writer, m.Set.Base, missing, m.Final)
}

func TestCaptures(t *testing.T) {
	want := map[string][]string{
		"acknack-info-jazzy":        {"HEARTBEAT 00000103 4..4 final false"},
		"acknack-jazzy":             {"ACKNACK 000003c2 base 0 missing [] final false"},
		"acknack-missing-jazzy":     {"ACKNACK 00000603 base 3 missing [3] final false"},
		"dispose-endpoint-jazzy":    {"DATA 000003c2 #5 status 3, 0 bytes"},
		"dispose-participant-jazzy": {"DATA 000100c2 #2 status 3, 0 bytes"},
		"fragment-jazzy":            {"DATA_FRAG 00000603 #1 fragment 2 of 65324 bytes, 3848 of 69172 bytes", "HEARTBEAT 00000603 1..1 final false"},
		"heartbeat-jazzy":           {"HEARTBEAT 000003c2 1..3 final false"},
		"info-jazzy":                {"DATA 00000103 #4 status 0, 120 bytes"},
		"latched-jazzy":             {"DATA 00000603 #1 status 0, 24 bytes", "HEARTBEAT 00000603 1..1 final false"},
		"nackfrag-kilted":           {"NACK_FRAG 00000603 #2 [1]", "ACKNACK 00000603 base 1 missing [1] final false"},
		"reply-jazzy":               {"DATA 00000703 #1 status 0, 28 bytes"},
		"request-jazzy":             {"DATA 00000703 #1 status 0, 8 bytes"},
		"sedp-jazzy":                {"DATA 000003c2 #1 status 0, 520 bytes", "DATA 000003c2 #2 status 0, 512 bytes", "DATA 000003c2 #3 status 0, 568 bytes"},
		"sedp-kilted":               {"DATA 000003c2 #1 status 0, 604 bytes", "DATA 000003c2 #2 status 0, 596 bytes", "DATA 000003c2 #3 status 0, 648 bytes", "DATA 000003c2 #4 status 0, 580 bytes"},
		"sedp-service-jazzy":        {"DATA 000003c2 #1 status 0, 520 bytes", "DATA 000003c2 #2 status 0, 512 bytes", "DATA 000003c2 #3 status 0, 564 bytes", "DATA 000003c2 #4 status 0, 512 bytes"},
		"spdp-jazzy":                {"DATA 000100c2 #1 status 0, 384 bytes"},
		"spdp-kilted":               {"DATA 000100c2 #1 status 0, 456 bytes"},
		"spdp-realdds":              {"DATA 000100c2 #1 status 0, 184 bytes"},
	}
	all := captured(t)
	if len(all) != len(want) {
		t.Errorf("%d captures, want %d", len(all), len(want))
	}
	for name, b := range all {
		var got []string
		for _, m := range scan(t, b) {
			got = append(got, describe(&m))
		}
		if !slices.Equal(got, want[name]) {
			t.Errorf("%s: %q, want %q", name, got, want[name])
		}
	}
}

func TestParametersOfCaptures(t *testing.T) {
	all := captured(t)
	list, ok := ParseParameters(scan(t, all["spdp-jazzy"])[0].Payload)
	if !ok {
		t.Fatal("no parameters")
	}
	name, data := list.Get(PIDEntityName).Text(), list.Get(PIDUserData).Octets()
	if name != "/" || string(data) != "enclave=/;\x00" {
		t.Errorf("name %q, user data %q", name, data)
	}
	if a := list.Get(PIDMetaLocator).Locator(); a != netip.MustParseAddrPort("10.9.0.1:7410") {
		t.Errorf("locator %s", a)
	}
	if q := list.Get(PIDDefaultLocator); len(q.Value) != 24 || q.Locator().IsValid() {
		t.Errorf("the locator of shared memory, of %d bytes, is taken for %s", len(q.Value), q.Locator())
	}
	inline := scan(t, all["request-jazzy"])[0].Inline
	if g, n, ok := inline.Get(PIDRelatedSample).Sample(); !ok || g.Entity()[3] != KindReader || n != -1<<32 {
		t.Errorf("related sample %s #%d, %v", g, n, ok)
	}
}

func TestWrittenIsRead(t *testing.T) {
	source, dest := Prefix{1, 2, 3}, Prefix{4, 5, 6}
	reader, writer := UserEntity(0x10203, KindReader), UserEntity(0x40506, KindWriter)
	set := Set{Base: 7}
	set.Add(7)
	set.Add(7 + 70)
	payload := []byte("\x00\x01\x00\x00 six")
	padded := append(payload[:len(payload):len(payload)], make([]byte, Padding(len(payload)))...)
	b := AppendHeader(nil, source, dest)
	b = AppendTime(b, 1700000000123456789)
	inline := AppendSentinel(AppendSample(nil, PIDRelatedSample, source.GUID(reader), 1<<40+5))
	b = append(AppendData(b, &Sample{Reader: reader, Writer: writer, Number: 1<<33 + 1, Inline: inline}, len(payload)), padded...)
	b = append(AppendDataFrag(b, &Sample{Reader: reader, Writer: writer, Number: 3}, 2, 7, 8, 15), padded...)
	b = AppendHeartbeat(b, reader, writer, 1, 9, 4, true)
	b = AppendAckNack(b, reader, writer, &set, 5, false)
	b = AppendGap(b, reader, writer, 3, 6)
	b = AppendNackFrag(b, reader, writer, 3, &set, 6)
	list := scan(t, b)
	want := []string{
		"DATA 04050603 #8589934593 status 0, 8 bytes",
		"DATA_FRAG 04050603 #3 fragment 2 of 8 bytes, 7 of 15 bytes",
		"HEARTBEAT 04050603 1..9 final true",
		"ACKNACK 04050603 base 7 missing [7 77] final false",
		"GAP 04050603 3..6",
		"NACK_FRAG 04050603 #3 [7 77]",
	}
	for i, m := range list {
		if m.Source != source || m.Dest != dest || m.Reader != reader || m.Time/1000 != 1700000000123456 {
			t.Errorf("%d: from %s to %s, reader %x, time %d", i, m.Source, m.Dest, m.Reader, m.Time)
		}
		if got := describe(&m); i >= len(want) || got != want[i] {
			t.Errorf("%d: %s", i, got)
		}
	}
	if len(list) != len(want) {
		t.Errorf("%d submessages", len(list))
	} else if g, n, _ := list[0].Inline.Get(PIDRelatedSample).Sample(); g != source.GUID(reader) || n != 1<<40+5 {
		t.Errorf("related sample %s #%d", g, n)
	}
}

func TestMalformed(t *testing.T) {
	reader, writer := UserEntity(1, KindReader), UserEntity(2, KindWriter)
	head := AppendHeader(nil, Prefix{1}, Prefix{})
	frag := func(fragment uint32, size, sample int) []byte {
		return append(AppendDataFrag(head[:len(head):len(head)], &Sample{Reader: reader, Writer: writer, Number: 3}, fragment, 8, size, sample), make([]byte, 8)...)
	}
	change := func(b []byte, at int, v byte) []byte { b = slices.Clone(b); b[len(head)+at] = v; return b }
	ack := AppendAckNack(head[:len(head):len(head)], reader, writer, &Set{Base: 1}, 1, true)
	for name, b := range map[string][]byte{
		"longer than the datagram":  change(ack, 2, 200),
		"set above 256 bits":        change(ack, 4+8+8+1, 2),
		"heartbeat from 0":          AppendHeartbeat(head[:len(head):len(head)], reader, writer, 0, 4, 1, true),
		"heartbeat that runs back":  AppendHeartbeat(head[:len(head):len(head)], reader, writer, 9, 4, 1, true),
		"gap that runs back":        AppendGap(head[:len(head):len(head)], reader, writer, 9, 4),
		"fragment 0":                frag(0, 8, 16),
		"fragment after the end":    frag(4, 8, 16),
		"fragments without size":    frag(1, 0, 16),
		"sample without size":       frag(1, 8, 0),
		"fragment that is cut":      frag(1, 64, 128),
		"inline QoS beyond the end": change(frag(1, 8, 16), 6, 200),
	} {
		s, ok := Scan(b)
		var m Submessage
		if !ok || s.Next(&m) || s.Err() == nil {
			t.Errorf("%s: %+v, error %v", name, m, s.Err())
		}
	}
}

// FuzzScan reads datagrams with all that is in them.
func FuzzScan(f *testing.F) {
	for _, b := range captured(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, ok := Scan(b)
		if !ok {
			return
		}
		var m Submessage
		for s.Next(&m) {
			if int64(len(m.Payload)) > int64(len(b)) || m.Kind == DataFrag && int64(m.Fragment-1)*int64(m.FragmentSize)+int64(len(m.Payload)) > m.SampleSize {
				t.Fatalf("payload of %d bytes: %+v", len(m.Payload), m)
			}
			for n := range m.Set.All() {
				if n < m.Set.Base || n >= m.Set.Base+MaxSet {
					t.Fatalf("set %+v has %d", m.Set, n)
				}
			}
			list, _ := ParseParameters(m.Payload)
			for _, p := range []Parameters{m.Inline, list} {
				p.Status()
				for q := range p.All() {
					q.Text()
					q.U32()
					q.GUID()
					q.Sample()
					q.Locator()
					q.Duration(4)
				}
			}
		}
	})
}
