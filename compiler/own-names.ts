import { INDEX_DIRECTORY, INDEX_FILE } from '../src/index-format.js'

/** An index on its way, and a configuration in TypeScript for as long as it is read. */
const PASSING = /^(?:\.agent-apps\.json\.\d+\.tmp|agent-apps\.config\.ts\.\d+\.mjs)$/

/** True for the name of what compiling writes itself, which is no change to whoever watches. */
export function isOwnName(name: string): boolean {
  return name === INDEX_DIRECTORY || name === INDEX_FILE || PASSING.test(name)
}
