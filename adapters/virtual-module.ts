import { basename, dirname, join, posix, resolve } from 'node:path'
import { isAgentAppsError } from 'agent-apps'
import {
  type Bundle,
  type CompileBundleOptions,
  compileBundle,
  fromMessage,
  isFollowUp,
  isOwnName,
} from 'agent-apps/compiler'

export const VIRTUAL_MODULE = 'virtual:agent-apps'

/** The options of the plugin `agentApps`. */
export interface AgentAppsOptions
  extends Pick<CompileBundleOptions, 'paths' | 'cwd' | 'config' | 'external' | 'keep' | 'types'> {
  /** Fail on warnings, too. */
  strict?: boolean | undefined
}

/** A fault to report by a bundler. */
export interface Fault {
  text: string
  /** The remedy. */
  note: string
  /** The rule, or the error's code. */
  id: string
  /** Lines and columns count from 1. */
  place?: { file: string; line: number; column: number }
}

/** The result of compiling. */
export interface VirtualModule {
  /** Null if there are errors. */
  bundle: Bundle | null
  errors: Fault[]
  warnings: Fault[]
}

/** The files and directories that compiling reads. */
export interface Places {
  /** The files that affect the result, absolute; they need not exist. */
  files: Set<string>
  /** The directories in which every file affects the result, absolute. */
  directories: Set<string>
}

export function noPlaces(): Places {
  return { files: new Set(), directories: new Set() }
}

/** Compiles a project for a bundler, and adds what it reads to the given places. Returns faults instead of throwing. */
export async function compileVirtualModule(
  { strict = false, ...options }: AgentAppsOptions,
  root: string,
  { files, directories }: Places,
  sourcemap = false,
): Promise<VirtualModule> {
  const cwd = resolve(root, options.cwd ?? '')
  const looks = {
    path: (path: string) => void files.add(path),
    directory: (path: string) => void directories.add(path),
  }
  try {
    const { bundle, diagnostics } = await compileBundle({ ...options, cwd, sourcemap, looks })
    const causes = diagnostics.filter(message => !isFollowUp(message))
    // Bundlers sort messages by file, so that consequences would hide their cause.
    const reported = causes.some(({ severity }) => severity === 'error') ? causes : diagnostics
    const of = (severity: string): Fault[] =>
      reported
        .filter(message => message.severity === severity)
        .map(message => faultOf(fromMessage(message), cwd))
    const errors = strict ? [...of('error'), ...of('warning')] : of('error')
    const warnings = strict ? [] : of('warning')
    return { bundle: errors.length > 0 ? null : bundle, errors, warnings }
  } catch (error) {
    return { bundle: null, errors: [thrownFault(error, cwd)], warnings: [] }
  }
}

function faultOf(
  { file, line, column, rule, reason, note }: ReturnType<typeof fromMessage>,
  cwd: string,
): Fault {
  return { text: reason, note, id: rule, place: { file: join(cwd, file), line, column } }
}

/** Throws any error that is not ours. */
function thrownFault(error: unknown, cwd: string): Fault {
  if (!isAgentAppsError(error)) throw error
  const { message, hint, code, file, position } = error
  const fault = { text: message, note: hint, id: code }
  return file === undefined || position === undefined
    ? fault
    : { ...fault, place: { file: resolve(cwd, file), ...position } }
}

/** True if a file that was created, changed or removed may affect the bundle. */
export function concerns({ files, directories }: Places, file: string): boolean {
  if (files.has(file)) return true
  for (let path = file; path !== dirname(path); path = dirname(path)) {
    // Compiling writes the first and does not enter the second.
    const name = basename(path)
    if (isOwnName(name) || name === 'node_modules') return false
    // A directory may be new.
    if (directories.has(path) || files.has(path)) return true
  }
  return false
}

/** A module of a bundle, with its source map. */
export function moduleOf(
  files: ReadonlyMap<string, Uint8Array>,
  path: string,
): { code: string; map: string | null } {
  const text = (name: string): string => Buffer.from(inBundle(files, name)).toString('utf8')
  return {
    code: text(path).replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'),
    map: files.has(`${path}.map`) ? text(`${path}.map`) : null,
  }
}

/** The item of a bundle at a path. */
export function inBundle<Item>(items: ReadonlyMap<string, Item>, path: string): Item {
  const item = items.get(path)
  if (item === undefined) throw new Error(`The bundle has no file ${path}.`)
  return item
}

/** The URL of a file, as `compiler/4-bundle/follow/follow-urls.ts` writes it. */
const ASSET_URL = /\bnew URL\("(\.\/asset-[0-9A-F]{8}\.\w+)", import\.meta\.url\)/g

/**
 * The code of the module `path`, with imports of the files that it locates by URL, so that the bundler emits them. Only
 * files of the bundle count.
 */
export function withImportedAssets(code: string, path: string, assets: ReadonlyMap<string, string>): string {
  const found = [...code.matchAll(ASSET_URL)].map(([, name = '']) => name)
  const names = [...new Set(found.filter(name => assets.has(pathFrom(path, name))))]
  if (names.length === 0) return code
  const local = (name: string): string => `__agentAppsAsset${names.indexOf(name)}`
  const imports = names.map(name => `import ${local(name)} from ${JSON.stringify(name)};`).join(' ')
  const own = code.replace(ASSET_URL, (written, name: string) =>
    names.includes(name) ? `new URL(${local(name)})` : written,
  )
  return `${imports} ${own}`
}

/** The path of a bundle's module that another one imports. */
export function pathFrom(importer: string, path: string): string {
  return posix.join(posix.dirname(importer), path)
}
