// What the modules use of a browser when they are loaded.
Object.assign(globalThis, { matchMedia: () => ({ matches: false, addEventListener() {} }) })
