package process

import "rsros/camdriver"

// mean writes the mean of each patch by channel.
func mean[T uint8 | uint16](d *Decimation, out []T, y, channels int) {
	all := uint32(d.by * d.by)
	for i := range out {
		x, channel := i/channels, i%channels
		sum := uint32(0)
		for k := range d.by {
			in := rowOf[T](&d.in, y+k)[x*d.by*channels+channel:]
			for m := range d.by {
				sum += uint32(in[m*channels])
			}
		}
		out[i] = T(sum / all)
	}
}

// pairs is mean for YUYV and UYVY.
func (d *Decimation) pairs(out []byte, y int) {
	by, half, all := d.by, d.by/2, uint32(d.by*d.by)
	light, colour := 0, 1
	if d.format == camdriver.UYVY {
		light, colour = 1, 0
	}
	second := half*4 + light // offset of the second pixel's luma
	if by%2 == 1 {
		second += 2
	}
	for i := 0; i+3 < len(out); i += 4 {
		var first, next, u, v uint32
		for k := range by {
			in := d.in.row(y + k)[i*by:]
			for m := range by {
				first += uint32(in[2*m+light])
				next += uint32(in[2*m+second])
			}
			for m := range half {
				u += 2 * uint32(in[4*m+colour])
				v += 2 * uint32(in[4*m+colour+2])
			}
			if by%2 == 1 {
				u += uint32(in[4*half+colour])
				v += uint32(in[4*half+colour+2])
			}
		}
		out[i+light], out[i+light+2] = byte(first/all), byte(next/all)
		out[i+colour], out[i+colour+2] = byte(u/all), byte(v/all)
	}
}
