import { fileURLToPath } from 'node:url'

// Relative to `dist/compiler/`, where `scripts/bundle-package.js` puts every module of the compiler.

/** What the package was built to: the runtime, the compiler, the command. */
export const BUILT_DIRECTORY: string = fileURLToPath(new URL('../', import.meta.url))
/** The skills that the package ships. */
export const LIBRARY_DIRECTORY: string = fileURLToPath(new URL('../../skills', import.meta.url))
