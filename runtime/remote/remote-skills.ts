import type { RemoteEntry } from '../../src/release/remote-entry.js'
import { isName } from '../../src/skill/names.js'
import type { Globals } from '../state/context.js'
import type { RemoteSkills } from '../state/remote.js'
import { ByteCache } from './byte-cache.js'
import { EntrySkills } from './entry-skills.js'
import { RemoteRelease } from './remote-release.js'

/** The memory that the files of all entries may take. */
const MEMORY = 64 * 1024 * 1024

/** Makes the skills of remote path entries. Fetches nothing before they are asked for. */
export function remoteSkills(entries: readonly RemoteEntry[], globals: Globals): RemoteSkills {
  const memory = new ByteCache(MEMORY)
  const all = entries.map(entry => new EntrySkills(new RemoteRelease(entry, memory), globals))
  return {
    async find(name) {
      if (!isName(name)) return null
      for (const one of all) {
        const tool = await one.find(name)
        if (tool) return tool
      }
      return null
    },
    async list(isOnly = false) {
      const [first] = all
      if (isOnly && first && all.length === 1) return first.list()
      return (await Promise.all(all.map(one => one.listOrNone()))).flat()
    },
    searches: async () => all,
  }
}
