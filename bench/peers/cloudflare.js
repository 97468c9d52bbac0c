// What it reads is a workspace of Cloudflare's; here that is the disk.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadSkillCatalog, workspace } from 'agents/skills'

const [directory, wanted] = process.argv.slice(2)
const fs = {
  find: async root =>
    readdirSync(root, { withFileTypes: true, recursive: true }).map(item => ({
      path: join(item.parentPath, item.name),
      type: item.isDirectory() ? 'directory' : 'file',
    })),
  readFile: async path => new Blob([readFileSync(path)]).stream(),
}
const catalog = await loadSkillCatalog([workspace({ fs }, { root: directory })])
const activated = catalog.activate(wanted)
console.log(
  JSON.stringify({ seen: catalog.skills.length, loaded: activated.ok ? activated.value.length : 0 }),
)
