// Icons: lines on a 16 × 16 grid.
const paths = {
  menu: 'M2 4h12M2 8h12M2 12h12',
  info: 'M8 7v5M8 4.2v.3M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z',
  table: 'M2 3h12v10H2zM2 6.5h12M2 10h12M6.5 3v10',
  ruler: 'M5 2h6v12H5zM5 5h3M5 8h4M5 11h3',
  camera: 'M2 5h3l1-2h4l1 2h3v8H2zM8 11.3a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z',
  maximise: 'M6 2H2v4M10 2h4v4M6 14H2v-4M10 14h4v-4',
  restore: 'M2 6h4V2M14 6h-4V2M2 10h4v4M14 10h-4v4',
  close: 'M4 4l8 8M12 4l-8 8',
  play: 'M4 2.5v11L13 8z',
  pause: 'M4.5 3v10M11.5 3v10',
  back: 'M12 3v10L6 8zM4 3v10',
  forward: 'M4 3v10l6-5zM12 3v10',
  repeat: 'M3 8V6.5A2.5 2.5 0 0 1 5.500 4H13M11 2l2 2-2 2M13 8v1.500a2.500 2.500 0 0 1-2.500 2.500H3M5 14l-2-2 2-2',
  gear: 'M8 10.2a2.200 2.200 0 1 0 0-4.400 2.200 2.200 0 0 0 0 4.400ZM8 1.800v2M8 12.200v2M1.800 8h2M12.200 8h2M3.600 3.600l1.400 1.400M11 11l1.400 1.400M12.400 3.600 11 5M5 11l-1.400 1.400',
  keys: 'M6 6a2 2 0 1 1 2.800 1.800c-.5.3-.8.7-.8 1.200v.5M8 11.800v.2M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z',
  log: 'M2 3h12v10H2zM4.500 6l2 2-2 2M8 10h3.500',
  reset: 'M3 8a5 5 0 1 0 1.500-3.500L3 6M3 3v3h3',
  undo: 'M6 3 3 6l3 3M3 6h6.500a3.500 3.500 0 0 1 0 7H6',
  download: 'M8 2v8M4.500 7 8 10.500 11.500 7M2.500 13.500h11',
  split: 'M8 2v12M3 5h2M3 11h2M11 5h2M11 11h2',
  chevron: 'M6 4l4 4-4 4',
  pencil: 'M3 13l.6-2.600L11 3l2 2-7.400 7.400zM9.500 4.500l2 2',
  refresh: 'M13 8a5 5 0 1 1-1.500-3.500L13 6M13 3v3h-3',
  right: 'M2 3h12v10H2zM10 3v10',
  pin: 'M5.500 2h5M6.500 2v4.500L4 9h8L9.500 6.500V2M8 9v5',
} as const

export type IconName = keyof typeof paths

export function Icon({ name }: { name: IconName }) {
  return <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d={paths[name]} /></svg>
}
