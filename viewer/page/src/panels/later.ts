// What the page shows only when it is asked for: one module, because many small ones compress badly.
export { Drawer } from './drawer'
export { HelpDialog, RecordDialog, SettingsDialog } from './dialogs'
