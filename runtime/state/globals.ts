import type { Diagnostic } from '../../src/base/diagnostic.js'
import { extractFrontmatter } from '../../src/skill/frontmatter.js'
import { isQualifiedName, labelOf } from '../../src/skill/names.js'
import { lazy } from '../host/later.js'
import type { Cache, Freshness, Globals, RegisteredTools, RuntimeConfig, SetTool } from './context.js'
import { RunEvents } from './events.js'
import type { ToolDef, ToolFunction } from './tool-def.js'

/** Creates state with empty caches that finds registered tools only, for tests. */
export function emptyGlobals(): Globals {
  return createGlobals({ library: false, paths: [] })
}

const projects = lazy(() => import('./project.js'))

/**
 * Creates state with a configuration. That of a project is read at the first look-up.
 *
 * @param programmaticTools the map for its registered tools
 */
export function createGlobals(
  config: Partial<RuntimeConfig> = {},
  programmaticTools: RegisteredTools = new RegisteredToolMap(),
): Globals {
  const globals: Globals = {
    config: {
      paths: [],
      library: true,
      ...config,
      freshness: config.freshness ?? (config.verify ? 'trust' : defaultFreshness()),
    },
    ...emptyFindings(),
    directories: new Map(),
    tools: { programmaticTools },
    diagnostics: new Map(),
    events: new RunEvents(),
    stats: {
      via: { index: 0, disk: 0, bundle: 0, programmatic: 0, remote: 0 },
      cascadesComputed: 0,
      missing: 0,
      parser: 'unused',
    },
  }
  if (!config.paths || config.project)
    globals.configure = async () => (await projects()).configure(globals, config)
  return globals
}

/** The empty caches of look-ups. */
export function emptyFindings() {
  return {
    cache: emptyCache(),
    byName: new WeakMap(),
    resolving: new Map(),
    chains: new Map(),
    missing: new Set<string>(),
  } satisfies Partial<Globals>
}

function defaultFreshness(): Freshness {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.NODE_ENV === 'production' ? 'trust' : 'check'
}

const DEFAULT = Symbol.for('agent-apps.globals')
const DEFAULT_TOOLS = Symbol.for('agent-apps.registered-tools')

/**
 * The default state of `findTool`, `listTools` and `invoke`: one per process, for all copies of it. It searches
 * the project in the working directory, or the skills discovered there if it was not compiled.
 */
export function defaultGlobals(): Globals {
  const holder = globalThis as unknown as Record<symbol, Globals | undefined>
  holder[DEFAULT] ??= createGlobals({}, defaultTools())
  return holder[DEFAULT]
}

/** The tools that are registered on the default state, which every runtime finds after its own. */
export function defaultTools(): RegisteredTools {
  const holder = globalThis as unknown as Record<symbol, RegisteredTools | undefined>
  holder[DEFAULT_TOOLS] ??= new RegisteredToolMap()
  return holder[DEFAULT_TOOLS]
}

/** Adds a diagnostic, once; without a place, it is at the start of its file. */
export function addDiagnostic(
  { diagnostics, redact }: Globals,
  about: Omit<Diagnostic, 'line' | 'column'> & Partial<Diagnostic>,
): void {
  const diagnostic = { line: 1, column: 1, ...about }
  const { file, rule, line, column } = diagnostic
  diagnostics.set([file, rule, line, column].join('\0'), redact?.(diagnostic) ?? diagnostic)
}

export function emptyCache(): Cache {
  return {
    tool: new Map(),
    list: new Map(),
    dir: new Map(),
    file: new Map(),
    authority: new Map(),
    mainInDir: new Map(),
    nameIndex: new Map(),
    ...emptyCascades(),
  }
}

/** The caches that are cleared whenever a tool is registered. */
export function emptyCascades() {
  return {
    cascade: new Map(),
    cascadeDeps: new Map(),
    cyclicPeers: null,
    cyclicPeersSeededDirs: null,
    promotions: null,
  }
}

/**
 * Registered tools, completed when they are set. Reads include the tools of `shared`, after its own; writes change
 * its own only.
 */
export class RegisteredToolMap extends Map<string, ToolDef> implements RegisteredTools {
  version = 0

  constructor(readonly shared?: RegisteredTools) {
    super()
  }

  override get(key: string): ToolDef | undefined {
    return super.get(key) ?? this.shared?.get(key)
  }

  override has(key: string): boolean {
    return this.get(key) !== undefined
  }

  override get size(): number {
    return this.shared?.size ? [...this].length : super.size
  }

  override set(key: string, tool: ToolDef | SetTool): this {
    this.version++
    return super.set(key, 'origin' in tool ? tool : completeTool(tool))
  }

  override delete(key: string): boolean {
    this.version++
    return super.delete(key)
  }

  override *entries(): MapIterator<[string, ToolDef]> {
    yield* super.entries()
    for (const entry of this.shared ?? []) if (!super.has(entry[0])) yield entry
  }

  override [Symbol.iterator](): MapIterator<[string, ToolDef]> {
    return this.entries()
  }

  override *keys(): MapIterator<string> {
    for (const [key] of this) yield key
  }

  override *values(): MapIterator<ToolDef> {
    for (const [, tool] of this) yield tool
  }
}

function completeTool({ frontmatter = {}, fn, content, ...tool }: SetTool): ToolDef {
  const { name } = tool
  const { metadata = {}, ...parsed } = frontmatter
  return {
    kind: 'code',
    runs: true,
    src: null,
    label: isQualifiedName(name) ? labelOf(name) : name,
    ...tool,
    fn: fn as ToolFunction,
    frontmatter: { ...extractFrontmatter({ metadata }, { kind: 'code', name }), ...parsed, name },
    ...(content !== undefined && { content: async () => content }),
    origin: { layer: 'programmatic', entry: '', file: '', via: 'programmatic', shadows: [] },
  }
}
