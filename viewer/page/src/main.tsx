import { effect } from '@preact/signals'
import { render } from 'preact'
import { App } from './app'
import { followKeys } from './keys'
import { followFigures } from './figures'
import { Link } from './link'
import { device, followFragment } from './prefs'
import { newViewer, ViewerContext } from './viewer'
import { registerTiles } from './tiles'
import { registerTopics } from './topics'

registerTiles()
registerTopics()
followFragment()

const url = new URL('api/ws', location.href)
url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
url.hash = ''
const viewer = newViewer(new Link(url.href))
followKeys(viewer)
followFigures()
effect(() => { if (device.value) viewer.link.openWanted() })
Object.assign(window, { viewer })
render(<ViewerContext.Provider value={viewer}><App /></ViewerContext.Provider>, document.getElementById('app')!)
