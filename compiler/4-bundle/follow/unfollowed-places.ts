import { join, relative } from 'node:path'
import { byCodePoint } from '../../../src/base/code-point-order.js'
import { AgentAppsError } from '../../../src/base/error.js'
import { INDEX_DIRECTORY } from '../../../src/index/index-format.js'
import { finding, type Message, toDiagnostic } from '../../diagnostics/diagnostics.js'
import { toMessage } from '../../diagnostics/to-message.js'
import type { LocationKind, Unfollowed, UnfollowedCode } from './follow-urls.js'

/** Code that a bundle cannot follow, with its place. */
export interface PlacedFault {
  what: Unfollowed
  /** Absolute. */
  file: string
  line: number
  column: number
  /** The package that the file is of; null for the directory's own code. */
  package: string | null
}

/** A place in a module of a directory as one in its source. */
export function placedFault({ what, source, line, column }: UnfollowedCode, dir: string): PlacedFault {
  const file = source === '' ? dir : join(dir, INDEX_DIRECTORY, source)
  const own = packageOf(dir)
  const found = packageOf(file)
  return { what, file, line, column, package: found && found.folder !== own?.folder ? found.name : null }
}

/** The package that a file is installed with, by its path. */
function packageOf(file: string): { folder: string; name: string } | null {
  const [folder, name] = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/s.exec(file) ?? []
  return folder === undefined || name === undefined ? null : { folder, name: name.replace('\\', '/') }
}

interface Refusal {
  /** The beginning of a sentence that ends with the places. */
  says: string
  hint: string
}

const PLACE: Refusal = {
  says: 'Code depends on the location of its file, which a bundle cannot follow',
  hint: "Name a file that is there and can be read as `new URL('./file', import.meta.url)`, import it as text, or make it a resource of the skill.",
}
const REFUSALS: Record<Unfollowed, Refusal> = {
  url: PLACE,
  dirname: PLACE,
  filename: PLACE,
  import: {
    says: 'Code imports a path that only running it shows, which a bundle cannot follow',
    hint: "Write the path or the package where it is imported: `import('./file.ts')`. A file that is none of the project's is imported by its whole URL: `import(pathToFileURL(path).href)`.",
  },
  'agent-apps': {
    says: 'Code imports a part of agent-apps that no bundle has',
    hint: 'A bundle has `agent-apps`, `agent-apps/runtime` and `agent-apps/workspace`. Compile in a separate program, or leave the tool out with `keep`.',
  },
}

/** The error for code that no bundle can be made of; null without any. Packages may use their own location. */
export function refusalOf(faults: readonly PlacedFault[], cwd: string): AgentAppsError | null {
  const refused = faults.filter(fault => fault.package === null || fault.what === 'agent-apps')
  const [first] = refused
  if (!first) return null
  const kinds = [...new Set(refused.map(({ what }) => REFUSALS[what]))]
  const sentences = kinds.map(kind => {
    const own = refused.filter(({ what }) => REFUSALS[what] === kind)
    return `${kind.says}: ${shownPlaces(own, cwd)}.`
  })
  const { file, line, column } = first
  return new AgentAppsError('BUNDLE_CODE', sentences.join(' '), {
    hint: REFUSALS[first.what].hint,
    file,
    position: { line, column },
  })
}

/** Places that an error names of each kind. */
const PLACES_SHOWN = 8

function shownPlaces(faults: readonly PlacedFault[], cwd: string): string {
  const places = faults.map(({ file, line, column }) => `${shownFile(file, cwd)}:${line}:${column}`)
  const more = places.length > PLACES_SHOWN ? ` and ${places.length - PLACES_SHOWN} more` : ''
  return places.slice(0, PLACES_SHOWN).join(', ') + more
}

function shownFile(file: string, cwd: string): string {
  return relative(cwd, file).replaceAll('\\', '/')
}

const ASKED: Record<LocationKind, string> = {
  url: 'its own URL',
  dirname: 'its own folder',
  filename: 'its own path',
}

/** The packages in a bundle that ask where they lie: many do it in vain, so that it is a warning, one for each. */
export function packageWarnings(faults: readonly PlacedFault[], cwd: string): Message[] {
  const asking = faults.filter(fault => fault.package !== null && fault.what in ASKED)
  const names = [...new Set(asking.map(fault => fault.package ?? ''))]
  return names.map(name => {
    const places = asking.filter(fault => fault.package === name)
    const { what, file, line, column } = places[0] as PlacedFault
    const more = String(places.length - 1)
    const found = finding('package-place', { line, column }, name, ASKED[what as LocationKind], more)
    return toMessage(toDiagnostic(shownFile(file, cwd), found))
  })
}

/** Sorted by place, without duplicates: a build reads modules in any order, and two directories may have the same package. */
export function distinctFaults(faults: readonly PlacedFault[]): PlacedFault[] {
  const ordered = faults.toSorted(
    (a, b) => byCodePoint(a.file, b.file) || a.line - b.line || a.column - b.column,
  )
  const isFirst = ({ file, line, column }: PlacedFault, before: PlacedFault | undefined): boolean =>
    before?.file !== file || before.line !== line || before.column !== column
  return ordered.filter((fault, index) => isFirst(fault, ordered[index - 1]))
}
