// Package dds is a participant of DDS on raw bytes: it discovers others, and writes and reads topics, whatever they
// hold.
//
//	Write ─► history ─► outlet (one for each reader): fragments, pace, repairs ─► udp
//	udp ─► inlet (one for each writer): assembles, asks again, counts losses ─► the reader's callback
//
// A Writer's history is the queue of all its readers. Each reader has an outlet, whose goroutine sends from the history
// at the reader's own pace; what leaves the history before it was sent is lost to that reader alone. Samples are
// reference-counted and never copied, except for those that late readers get.
//
// Discovery (SPDP, SEDP) uses the same Writers and Readers. Everything that peers make a participant keep is bounded;
// see bounds.go. A participant may be used from several goroutines. Callbacks come from the goroutines that receive:
// they must not block, and must not call Close.
package dds
