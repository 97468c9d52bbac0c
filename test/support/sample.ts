import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PathEntry } from 'agent-apps'
import { temporary } from './temporary.js'

export const SAMPLES = fileURLToPath(new URL('../samples', import.meta.url))

export interface Sample {
  /** `<phase>/<case>` */
  id: string
  /** The sample's own folder, not to be written to. */
  folder: string
}

/** What a sample needs that version control or an editor would not keep; paths relative to the sample. */
interface Setup {
  files?: Record<string, SetupFile>
  /** Path of each link → its target. */
  links?: Record<string, string>
  /** The namespace of the path entries. */
  namespace?: string
}

interface SetupFile {
  text?: string
  base64?: string
  /** `text`, then this often `unit`, then `end`. */
  repeat?: { unit: string; times: number; end?: string }
  /** Octal. */
  mode?: string
}

/** The folder of the samples that are repositories, whose skills are to be found; test/read/discovery.test.ts has them. */
const REPOSITORIES = 'discovery'

/** Projects among the samples: scripts/run-mcp-conformance.js serves one, and test/cli/eval-collection.test.ts evaluates the other. */
const PROJECTS = ['mcp-conformance', 'eval']

export function samples(): Sample[] {
  return readdirSync(SAMPLES)
    .filter(phase => phase !== REPOSITORIES && !PROJECTS.includes(phase))
    .flatMap(phase => readdirSync(join(SAMPLES, phase)).map(name => `${phase}/${name}`))
    .sort()
    .map(id => ({ id, folder: join(SAMPLES, id) }))
}

/** The samples that are repositories. */
export function repositories(): Sample[] {
  return readdirSync(join(SAMPLES, REPOSITORIES))
    .sort()
    .map(id => ({ id, folder: join(SAMPLES, REPOSITORIES, id) }))
}

/** Lays a sample out in a directory of its own. The path entries are its folders `skills`, `skills-2`, … that exist. */
export function layOut({ folder }: Sample): { cwd: string; paths: PathEntry[] } {
  const cwd = temporary()
  for (const name of readdirSync(folder)) {
    if (name !== 'expected.json' && name !== 'setup.json')
      cpSync(join(folder, name), join(cwd, name), { recursive: true })
  }
  const file = join(folder, 'setup.json')
  const setup: Setup = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  setUp(cwd, setup)
  const { namespace } = setup
  const dirs = ['skills', 'skills-2'].filter(path => existsSync(join(cwd, path)))
  return { cwd, paths: namespace === undefined ? dirs : dirs.map(dir => ({ dir, namespace })) }
}

function setUp(cwd: string, { files = {}, links = {} }: Setup): void {
  for (const [path, { text = '', base64, repeat, mode }] of Object.entries(files)) {
    const file = join(cwd, path)
    mkdirSync(dirname(file), { recursive: true })
    const repeated = repeat ? repeat.unit.repeat(repeat.times) + (repeat.end ?? '') : ''
    writeFileSync(file, base64 === undefined ? text + repeated : Buffer.from(base64, 'base64'))
    if (mode !== undefined) chmodSync(file, Number.parseInt(mode, 8))
  }
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    symlinkSync(target, join(cwd, path))
  }
}
