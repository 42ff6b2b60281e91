/** keyList is the list of keys: what they are, and what they do. */
export const keyList: [string, [string, string][]][] = [
  ['Playback', [
    ['Space', 'Play or pause; freeze a live camera'],
    [', .', 'One frame set back, forward'],
    ['← →', '5 s back, forward; with Shift 1 s'],
    ['↓ ↑', '60 s back, forward'],
    ['Home End', 'To the start, the end'],
    ['N', 'To the next mark; with Shift the one before'],
    ['+ −', 'Faster, slower; Backspace: ×1'],
    ['L', 'Repeat on or off'],
    ['I O', 'Loop starts, ends here'],
  ]],
  ['View', [
    ['2 3', '2D, 3D'],
    ['Alt+1…9', 'Maximise a tile; Esc: back'],
    ['C', 'Next colour map; with Shift the one before'],
    ['V', 'Next device; with Shift the one before'],
    ['E', 'Equalise on or off'],
    ['P', 'Snapshot of the tile under the pointer'],
    ['F', 'Full screen'],
    ['[ ]', 'Left, right panel'],
    ['`', 'Log'],
    ['/', 'Search options'],
    ['?', 'This list'],
  ]],
  ['3D', [
    ['W A S D', 'Move the camera'],
    ['R', 'Reset the camera'],
    ['M', 'Measure; Shift makes a chain'],
    ['Z', 'Undo a point'],
  ]],
  ['Recording', [['Ctrl+Enter', 'Start or stop recording']]],
]
