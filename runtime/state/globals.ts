import type { Diagnostic } from '../../src/base/diagnostic.js'
import { lazy } from '../host/later.js'
import { emptyCache } from './cache.js'
import type { Freshness, Globals, RegisteredTools, RuntimeConfig } from './context.js'
import { RunEvents } from './events.js'
import { RegisteredToolMap } from './registered-tools.js'

/** Fresh state with empty caches, in which nothing is found before it is registered, as tests want it. */
export function emptyGlobals(): Globals {
  return createGlobals({ library: false, paths: [] })
}

const projects = lazy(() => import('./project.js'))

/**
 * New state with a configuration: that of a project is read at the first look-up.
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
    cache: emptyCache(),
    tools: { programmaticTools },
    directories: new Map(),
    byRecord: new WeakMap(),
    resolving: new Map(),
    settling: new Map(),
    missing: new Set(),
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

function defaultFreshness(): Freshness {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.NODE_ENV === 'production' ? 'trust' : 'check'
}

const DEFAULT = Symbol.for('agent-apps.globals')
const DEFAULT_TOOLS = Symbol.for('agent-apps.registered-tools')

/**
 * The default state of `findTool`, `listTools` and `invoke`: one per process, for all copies of it. It searches
 * the project in the working directory, and where none was compiled, the skills that are discovered there.
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

/** Keeps a diagnostic, once. */
export function addDiagnostic({ diagnostics, redact }: Globals, diagnostic: Diagnostic): void {
  const { file, rule, line, column } = diagnostic
  diagnostics.set([file, rule, line, column].join('\0'), redact?.(diagnostic) ?? diagnostic)
}
