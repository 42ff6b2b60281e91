// Package orbbec reads the bags of release 2.4.3 and later of Orbbec's SDK (docs/format-orbbec.md).
//
// Their messages have the names and MD5 sums of stock types, and fields after the stock ones that the
// definitions in the file describe wrongly or not at all. Decoders here check that a message ends where
// the recorder's layout does.
package orbbec
