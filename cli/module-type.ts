import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** True for a file that Node treats as an ES module, by its extension or the nearest package.json above it. */
export function isModuleFile(file: string): boolean {
  if (file.endsWith('.mjs')) return true
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const type = typeIn(folder)
    if (type !== null || folder === dirname(folder)) return type === 'module'
  }
}

/** The `type` of a folder's package.json, empty if it has none; null without a package.json. */
function typeIn(folder: string): string | null {
  try {
    const { type = '' } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return String(type)
  } catch (error) {
    return error instanceof SyntaxError ? '' : null
  }
}
