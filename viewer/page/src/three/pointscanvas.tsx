import { useEffect, useRef, useState } from 'preact/hooks'
import { imperial } from '../prefs'
import { text } from '../strings'
import { mount } from './mount'
import { Space } from './space'
import { Surroundings } from './surroundings'

/** PointsView shows points of messages. */
export interface PointsView {
  readonly space: Space
  /** setPoints takes x, y, z, red, green, blue, alpha of each. */
  setPoints(values: Float32Array): void
}

interface Props {
  /** The label for screen readers. */
  label: string
  /** ready receives the view once; the function it returns is called when the view is unmounted. */
  ready(view: PointsView): (() => void) | void
}

/** PointsCanvas is a 3D view of points on its own canvas. */
export function PointsCanvas({ label, ready }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [error, setError] = useState('')
  useEffect(() => {
    const element = canvas.current!
    const gl = element.getContext('webgl2', { antialias: true, preserveDrawingBuffer: true })
    if (!gl) {
      setError(text.noGL)
      return
    }
    let surroundings = new Surroundings(gl)
    let values = new Float32Array(0)
    let asked = 0
    const draw = () => {
      asked = 0
      const { camera } = space, scale = devicePixelRatio
      camera.width = element.clientWidth || 1
      camera.height = element.clientHeight || 1
      element.width = Math.round(camera.width * scale)
      element.height = Math.round(camera.height * scale)
      gl.viewport(0, 0, element.width, element.height)
      gl.enable(gl.DEPTH_TEST)
      gl.clearColor(0, 0, 0, 0)
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT)
      surroundings.furnish(imperial.peek(), null)
      surroundings.draw(camera.matrix(), 2 * scale)
    }
    const space = new Space(() => null, { changed: () => { asked ||= requestAnimationFrame(draw) } })
    const setPoints = (v: Float32Array) => {
      values = v as Float32Array<ArrayBuffer>
      surroundings.setPoints(v)
      space.changed()
    }
    const stop = new AbortController()
    element.addEventListener('webglcontextlost', (e) => e.preventDefault(), { signal: stop.signal })
    element.addEventListener('webglcontextrestored', () => {
      surroundings = new Surroundings(gl)
      setPoints(values)
    }, { signal: stop.signal })
    const size = new ResizeObserver(() => space.changed())
    size.observe(element)
    const unmount = mount(space, element)
    const done = ready({ space, setPoints })
    return () => {
      done?.()
      unmount()
      stop.abort()
      size.disconnect()
      cancelAnimationFrame(asked)
      gl.getExtension('WEBGL_lose_context')?.loseContext()
    }
  }, [])
  return (
    <>
      <canvas ref={canvas} class="space" tabIndex={0} role="application" aria-label={label} />
      {error && <p class="notice" role="alert">{error}</p>}
    </>
  )
}
