package wire

import (
	"encoding/binary"
	"fmt"
	"net"
	"strconv"
)

// UDPROS splits a message, with its length prefix, into datagrams. Each starts with
//
//	u32 connection id, u8 operation, u8 message id, u16 block
//
// In the first datagram (operation 0), block is the number of datagrams; in the others
// (operation 1) it counts from 1. Losing a datagram loses the message.
const (
	udpHeader = 8
	udpFirst  = 0
	udpOther  = 1

	// Limits of a datagram's size in bytes.
	LeastDatagram   = udpHeader + 64
	LargestDatagram = 65507 // IPv4's limit
)

// ParseDatagramRequest parses a subscriber's protocol parameters in requestTopic:
// ["UDPROS", header, host, port, datagram size].
func ParseDatagramRequest(params []any) (h Header, address string, size int, err error) {
	bad := fmt.Errorf("UDPROS wants [name, header, host, port, datagram size], not %v", params)
	if len(params) < 5 {
		return nil, "", 0, bad
	}
	raw, okHeader := params[1].([]byte)
	host, okHost := params[2].(string)
	port, okPort := params[3].(int)
	size, okSize := params[4].(int)
	if !okHeader || !okHost || !okPort || !okSize || port < 1 || port > 65535 {
		return nil, "", 0, bad
	}
	if size < LeastDatagram || size > LargestDatagram {
		return nil, "", 0, fmt.Errorf("datagrams of %d bytes, want %d to %d", size, LeastDatagram, LargestDatagram)
	}
	h, err = ParseHeader(raw)
	return h, net.JoinHostPort(host, strconv.Itoa(port)), size, err
}

// WriteProbe sends a datagram that every subscriber ignores: a later block of a message that was never started.
func WriteProbe(conn net.Conn, connection uint32) error {
	var probe [udpHeader]byte
	binary.LittleEndian.PutUint32(probe[:], connection)
	probe[4] = udpOther
	_, err := conn.Write(probe[:])
	return err
}

// WriteDatagrams sends one message, the bytes of vec, in datagrams of at most size
// bytes. The kernel gathers each datagram from the parts. vec is consumed.
func WriteDatagrams(conn net.Conn, connection uint32, message uint8, size int, vec [][]byte) error {
	total := 0
	for _, part := range vec {
		total += len(part)
	}
	payload := size - udpHeader
	blocks := (total + payload - 1) / payload
	if blocks > 0xffff {
		return fmt.Errorf("message of %d bytes, more than %d datagrams of %d bytes hold", total, 0xffff, size)
	}
	var head [udpHeader]byte
	var datagram net.Buffers
	for block := range blocks {
		op, number := uint8(udpOther), block
		if block == 0 {
			op, number = udpFirst, blocks
		}
		binary.LittleEndian.PutUint32(head[:], connection)
		head[4], head[5] = op, message
		binary.LittleEndian.PutUint16(head[6:], uint16(number))
		datagram = append(datagram[:0], head[:])
		for room := payload; len(vec) > 0 && room > 0; {
			n := min(room, len(vec[0]))
			datagram, room = append(datagram, vec[0][:n]), room-n
			if vec[0] = vec[0][n:]; len(vec[0]) == 0 {
				vec = vec[1:]
			}
		}
		all := datagram // WriteTo consumes it
		if _, err := all.WriteTo(conn); err != nil {
			return err
		}
	}
	return nil
}
