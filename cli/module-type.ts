import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * True for a file that Node treats as an ES module: by its extension, or by the `type` of the nearest
 * package.json above it.
 */
export function isModuleFile(file: string): boolean {
  if (file.endsWith('.mjs')) return true
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const type = typeIn(folder)
    if (type !== null || folder === dirname(folder)) return type === 'module'
  }
}

/**
 * Returns the `type` of a folder's package.json, an empty string if it has none; null if there is no such
 * file.
 */
function typeIn(folder: string): string | null {
  try {
    const { type = '' } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return String(type)
  } catch (error) {
    return error instanceof SyntaxError ? '' : null
  }
}
