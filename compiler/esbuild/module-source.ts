/** Code to be made a module: a file, or a text that stands in a file. */
export type ModuleSource = { file: string } | { code: string; from: string }

/** A reason why a source gives no module. `file` is absolute, or null where the fault is not in a file. */
export interface ModuleFailure {
  message: string
  file: string | null
  line: number
  column: number
}

/**
 * Where modules will lie when they are imported: beside the index, anywhere (then nothing in them is relative), or in a `data:` URL
 * (then nothing of them is in another file either).
 */
export type Placement = 'index' | 'anywhere' | 'url'

/** The directory that is bundled, and the project that its code may take files from. Real, absolute. */
export interface BundlePlace {
  directory: string
  root: string
}
