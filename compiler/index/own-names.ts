import { INDEX_DIRECTORY, INDEX_FILE } from '../../src/index/index-format.js'
import { nameToBe } from '../files/temporary-name.js'

/** True for the name of what compiling writes itself, which is not a change to whoever watches. */
export function isOwnName(name: string): boolean {
  return name === INDEX_DIRECTORY || name === INDEX_FILE || isPassing(name)
}

/** An index on its way, and a configuration in TypeScript for as long as it is read. */
function isPassing(name: string): boolean {
  return nameToBe(name) === INDEX_FILE || nameToBe(name, 'mjs') === 'agent-apps.config.ts'
}
