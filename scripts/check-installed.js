// Looks at a project that has installed this package: none of the packages may be there that are only in the modules of
// the library's tools. `node scripts/check-installed.js PROJECT`
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const OWN = fileURLToPath(new URL('..', import.meta.url))
const [project = '.'] = process.argv.slice(2)

const notices = readFileSync(join(project, 'node_modules/agent-apps/dist/THIRD-PARTY.txt'), 'utf8')
const bundled = new Set([...notices.matchAll(/^(\S+) \d\S* \([\w-]+\)$/gm)].map(([, name]) => name))
const needed = namesOf(OWN, ({ dev, devOptional }) => !dev && !devOptional)
const installed = namesOf(project, () => true)

const absent = [...bundled].filter(name => !needed.has(name))
const present = absent.filter(name => installed.has(name))
console.log(`${installed.size} packages are installed, and ${absent.length - present.length} only bundled:`)
console.log(absent.filter(name => !installed.has(name)).join(' '))
if (!absent.includes('undici')) throw new Error('The notices do not name what the tools use.')
if (present.length > 0) throw new Error(`These are installed for the library's tools: ${present.join(', ')}`)

/** The names of the packages of a lock file that are of one kind. */
function namesOf(folder, isKind) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  const paths = Object.keys(packages).filter(path => path !== '' && isKind(packages[path]))
  return new Set(paths.map(path => path.replace(/^.*node_modules\//, '')))
}
