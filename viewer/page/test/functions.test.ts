// What the page computes, without a browser: TestFunctions bundles this file, and node runs it.
import './browser'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeBands, decodeList } from '../src/depth/rvl'
import { bytes, clock, distance, seconds, shortName, stepText } from '../src/format'
import { at, next, spots } from '../src/marks'
import { imperial } from '../src/prefs'
import { restore, type FromProgram, type Source } from '../src/proto/messages'
import * as store from '../src/store'
import { childrenOf, cutOf, summaryOf, timeText, type JSONValue } from '../src/topics/tree'

/** plain has usual spaces in place of those that don't break. */
const plain = (text: string) => text.replace(/\s/g, ' ')

test('numbers have their digits', () => {
  for (const [value, step, want] of [
    [0.001, 0, '0.001'], [0.0001, 0.000001, '0.000100'], [0.1, 0.01, '0.10'], [0.125, 0.1, '0.125'], [30, 30, '30'], [1, 0.01, '1'], [8500, 1, '8500'],
    [49.5, 1, '49.5'], [-0.25, 0.25, '-0.25'], [0.30000000000000004, 0.1, '0.3'], [NaN, 1, 'NaN'],
  ] as const) assert.equal(stepText(value, step), want, `${value} in steps of ${step}`)
  for (const [value, want] of [
    [412345.678912, '412345.678912'], [48.137154321, '48.137154321'], [0.1, '0.1'], [5, '5'], [{ '#': '9007199254740993' }, '9007199254740993'],
    [{ '#': '-9223372036854775808' }, '-9223372036854775808'], ['a"b', '"a\\"b"'], [null, 'none'], [true, 'true'], [{}, '{}'], [[], '[]'],
    [{ secs: 1700000000, nsecs: 5 }, '1700000000.000000005'], [[1.5, null, { '#': '18446744073709551615' }], '[1.5, none, 18446744073709551615]'],
    [[1, 2, { '…': 34 }], '[1, 2, … 34 more]'], [['a'], null], [{ x: 1 }, null], [Array(65).fill(0), null],
  ] as [JSONValue, string | null][]) assert.equal(summaryOf(value), want, JSON.stringify(value))
})

test('trees', () => {
  assert.deepEqual(childrenOf({ a: 1, b: 'x' }), [['a', 1], ['b', 'x']])
  assert.deepEqual(childrenOf([{ x: 1 }, { '…': 3 }]), [['0', { x: 1 }]])
  assert.deepEqual(childrenOf(7), [])
  assert.equal(cutOf([{ x: 1 }, { '…': 3 }]), 3)
  assert.equal(cutOf([{ x: 1 }]), 0)
  assert.equal(timeText({ secs: 1700000000, nsecs: 0 }), '2023-11-14 22:13:20 UTC')
  assert.equal(timeText({ secs: 5, nsecs: 0 }), null)
})

test('texts', () => {
  for (const [ns, decimals, want] of [
    [0n, 3, '0:00:00.000'], [61_002_999_999n, 3, '0:01:01.002'], [3_600_000_000_000n, 0, '1:00:00'], [-1_500_000_000n, 1, '−0:00:01.5'],
  ] as const) assert.equal(clock(ns, decimals), want)
  for (const [n, want] of [[999, '999 B'], [1000, '1.00 kB'], [45_600_000, '45.6 MB'], [2.5e15, '2500 TB']] as const) assert.equal(plain(bytes(n)), want)
  assert.equal(seconds(75.9), '01:15')
  assert.equal(shortName('Infrared_1') + shortName('Depth_0') + shortName('/a_0'), 'Infrared 1Depth/a_0')
  assert.equal(plain(distance(0.2) + distance(0.25) + distance(0.26, true)), '200 mm0.250 m260 mm')
  imperial.value = true
  assert.equal(plain(distance(0.3048)), '1.000 ft')
  imperial.value = false
})

test('marks of the time line', () => {
  store.source.value = { start: '1000000000', end: '11000000000' } as Source
  store.marks.value = [
    { time: '2000000000', kind: 'option', text: 'a' }, { time: '2000000001', kind: 'loss', text: 'b' }, { time: '5000000000', kind: 'notification', text: 'c' },
    ...Array.from({ length: 7 }, () => ({ time: '9000000000', kind: 'option' as const, text: 'd' })),
  ]
  assert.deepEqual(spots.value.map((s) => [s.time, s.kind, s.lines.length]), [[2_000_000_000n, 'loss', 3], [5_000_000_000n, 'notification', 2], [9_000_000_000n, 'option', 7]])
  assert.equal(spots.value[2]!.lines.at(-1), 'and 2 more')
  assert.deepEqual([next(2_000_000_000n, 1)?.time, next(5_000_000_000n, -1)?.time, next(9_000_000_000n, 1)], [5_000_000_000n, 2_000_000_000n, undefined])
  assert.deepEqual([at(5_000_000_100n, 100n)?.time, at(5_000_000_101n, 100n), at(2_000_000_000n, 0n)?.time], [5_000_000_000n, undefined, 2_000_000_000n])
})

test('null is NaN where a number belongs', () => {
  const m = {
    op: 'source', state: null,
    source: {
      device: null, sensors: [{ id: 0, name: 's', options: [{ id: 'a', value: null, min: 0, max: null, step: 1, default: 0 }] }],
      streams: [{ id: 1, intrinsics: { fx: null, fy: 1, ppx: 2, ppy: 3, coeffs: [0, null] }, extrinsics: { 2: { rotation: [null], translation: [1] } } }, { id: 2 }],
    },
  } as unknown as Extract<FromProgram, { op: 'source' }>
  restore(m)
  const s = m.source!, o = s.sensors![0]!.options![0]!, { intrinsics, extrinsics } = s.streams![0]!
  assert.deepEqual([o.value, o.min, o.max, intrinsics!.fx, intrinsics!.fy, ...intrinsics!.coeffs, ...extrinsics!['2']!.rotation, s.device], [NaN, 0, NaN, NaN, 1, 0, NaN, NaN, null])
})

/** rvl encodes pixels, whose runs of zeros and others alternate. */
function rvl(pixels: Uint16Array): Uint8Array {
  const nibbles: number[] = []
  const write = (n: number) => {
    do nibbles.push((n & 7) | (n > 7 ? 8 : 0))
    while ((n >>>= 3) > 0)
  }
  for (let i = 0, last = 0; i < pixels.length;) {
    const run = (zero: boolean) => {
      const from = i
      while (i < pixels.length && (pixels[i] === 0) === zero) i++
      write(i - from)
      return from
    }
    run(true)
    for (let j = run(false); j < i; last = pixels[j++]!) {
      const d = pixels[j]! - last
      write(d < 0 ? -2 * d - 1 : 2 * d)
    }
  }
  while (nibbles.length % 8) nibbles.push(0)
  const words = new DataView(new ArrayBuffer(nibbles.length / 2))
  for (let w = 0; w < nibbles.length / 8; w++) words.setUint32(4 * w, nibbles.slice(8 * w, 8 * w + 8).reduce((n, x) => n * 16 + x, 0), true)
  return new Uint8Array(words.buffer)
}

test('RVL', () => {
  const pixels = Uint16Array.from({ length: 999 }, (_, i) => (i % 7 < 2 ? 0 : (i * 7919) % (i % 5 ? 300 : 65536)))
  const words = rvl(pixels), view = (b: Uint8Array) => new DataView(b.buffer, b.byteOffset, b.byteLength)
  const out = new Uint16Array(pixels.length)
  decodeList(view(words), 0, words.length, out, 0, out.length)
  assert.deepEqual(out, pixels)
  const head = new DataView(new ArrayBuffer(6))
  head.setUint16(0, 1, true)
  head.setUint32(2, words.length, true)
  const body = new Uint8Array([...new Uint8Array(head.buffer), ...words])
  decodeBands(body, 37, 27, out.fill(0))
  assert.deepEqual(out, pixels)
  for (const broken of [words.subarray(0, 0), words.subarray(0, words.length - 4)]) {
    assert.throws(() => decodeList(view(broken), 0, broken.length, out, 0, out.length), /RVL/)
  }
  assert.throws(() => decodeList(view(words), 0, words.length, out, 0, 10), /RVL run/)
  assert.throws(() => decodeBands(body.subarray(0, 5), 37, 27, out), /RVL body/)
  assert.throws(() => decodeList(view(new Uint8Array(8)), 0, 8, out, 0, 5), /no pixels/)
})
