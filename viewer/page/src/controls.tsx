// Small controls that all panels share.
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { Icon, type IconName } from './icons'
import { stored } from './prefs'
import type { Sensor } from './proto/messages'

interface ButtonProps {
  icon: IconName
  label: string
  /** The equivalent key, shown in the tooltip. */
  hotkey?: string
  pressed?: boolean
  disabled?: boolean
  onClick(): void
}

export function IconButton({ icon, label, hotkey, pressed, disabled, onClick }: ButtonProps) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={hotkey ? `${label} (${hotkey})` : label}
      aria-pressed={pressed} aria-keyshortcuts={hotkey} disabled={disabled} onClick={onClick}>
      <Icon name={icon} />
    </button>
  )
}

const openSections = stored<Record<string, boolean>>('sections', {})

/** Section is a collapsible part of a panel; it remembers whether it is open. */
export function Section({ name, title, aside, children }: { name: string; title: string; aside?: ComponentChildren; children: ComponentChildren }) {
  const open = openSections.value[name] ?? true
  const id = useId()
  return (
    <section class="section">
      <header>
        <h2>
          <button type="button" class="fold" aria-expanded={open} aria-controls={id}
            onClick={() => { openSections.value = { ...openSections.value, [name]: !open } }}>
            <Icon name="chevron" />{title}
          </button>
        </h2>
        {aside}
      </header>
      {open && <div id={id} class="section-body">{children}</div>}
    </section>
  )
}

/** SensorName is the heading of a sensor's rows, with its camera if there are several. */
export function SensorName({ of }: { of?: Sensor }) {
  return of ? <legend>{of.camera && <b>{of.camera} </b>}{of.name}</legend> : null
}

export function Check({ label, checked, disabled, onChange, aside, title }: {
  label: ComponentChildren; checked: boolean; disabled?: boolean; aside?: ComponentChildren; title?: string; onChange(on: boolean): void
}) {
  return (
    <label class="row check" title={title}>
      <input type="checkbox" checked={checked} disabled={disabled} onChange={(e) => onChange(e.currentTarget.checked)} />
      <span class="grow">{label}</span>{aside}
    </label>
  )
}

export function Choice({ label, value, items, disabled, onChange }: {
  label: string; value: string; items: [string, string][]; disabled?: boolean; onChange(value: string): void
}) {
  return (
    <label class="row">
      <span class="grow">{label}</span>
      <select value={value} disabled={disabled} onChange={(e) => onChange(e.currentTarget.value)}>
        {items.map(([v, t]) => <option key={v} value={v}>{t}</option>)}
      </select>
    </label>
  )
}

/** Segments is a choice whose few options are all visible. */
export function Segments({ label, value, items, onChange }: { label: string; value: string; items: [string, string][]; onChange(value: string): void }) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {items.map(([v, t]) => <button key={v} type="button" aria-pressed={v === value} onClick={() => onChange(v)}>{t}</button>)}
    </div>
  )
}
