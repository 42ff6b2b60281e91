import { leftWidth } from '../prefs'
import { text } from '../strings'
import { Sources } from './sources'
import { Streams } from './streams'
import { DepthColours } from './depth'
import { Options } from './options'

export function Left() {
  return (
    <nav class="panel left" aria-label={text.menu} style={{ width: `${leftWidth.value}px` }}>
      <Sources />
      <Streams />
      <DepthColours />
      <Options />
    </nav>
  )
}
