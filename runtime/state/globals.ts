import type { Diagnostic } from '../../src/base/diagnostic.js'
import { CONVENTIONAL_DIRECTORIES } from '../../src/skill/path-entry.js'
import { emptyCache } from './cache.js'
import type { Freshness, Globals, RuntimeConfig } from './context.js'
import { RunEvents } from './events.js'
import { RegisteredToolMap } from './registered-tools.js'

/** Fresh state with empty caches, in which nothing is found before it is registered, as tests want it. */
export function emptyGlobals(): Globals {
  return createGlobals({ library: false })
}

/** New state with a configuration. */
export function createGlobals(config: Partial<RuntimeConfig> = {}): Globals {
  return {
    config: {
      paths: [],
      library: true,
      ...config,
      freshness: config.freshness ?? (config.verify ? 'trust' : defaultFreshness()),
    },
    cache: emptyCache(),
    tools: { programmaticTools: new RegisteredToolMap() },
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
}

function defaultFreshness(): Freshness {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.NODE_ENV === 'production' ? 'trust' : 'check'
}

const DEFAULT = Symbol.for('agent-apps.globals')

/**
 * The state that `findTool`, `listTools` and `invoke` use where they are given none: one for the process,
 * whichever copies of the package are loaded.
 */
export function defaultGlobals(): Globals {
  const holder = globalThis as unknown as Record<symbol, Globals | undefined>
  holder[DEFAULT] ??= createGlobals({ paths: [...CONVENTIONAL_DIRECTORIES] })
  return holder[DEFAULT]
}

/** Keeps a diagnostic, once. */
export function addDiagnostic({ diagnostics }: Globals, diagnostic: Diagnostic): void {
  const { file, rule, line, column } = diagnostic
  diagnostics.set([file, rule, line, column].join('\0'), diagnostic)
}
