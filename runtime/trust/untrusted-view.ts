import { emptyCache } from '../state/cache.js'
import type { Globals } from '../state/context.js'
import { createGlobals } from '../state/globals.js'
import { askedConfiguration } from './project-root.js'

/**
 * A runtime without the code of a project that nobody trusts yet: its tools are found by what their files say,
 * none of its code is run, and what it promotes stays its own. Registered tools, listeners, diagnostics and
 * counts are those of the runtime.
 */
export function untrustedView(own: Globals): Globals {
  const view: View = own.untrustedView ?? madeView(own)
  own.untrustedView = view
  const { project: _, ...config } = own.config
  const { env } = askedConfiguration(own.config)
  Object.assign(view.config, config, env !== undefined && config.env === env && { env: [] })
  if (view.seen !== own.tools.programmaticTools.version) {
    // A registered tool came or went, and with it what was found before.
    Object.assign(view.cache, emptyCache())
    view.missing.clear()
    view.resolving.clear()
    view.settling.clear()
    view.seen = own.tools.programmaticTools.version
  }
  return view
}

interface View extends Globals {
  /** The version of the registered tools that its caches were filled with. */
  seen?: number
}

function madeView(own: Globals): View {
  const { project: _, ...config } = own.config
  const { tools, events, diagnostics, stats, checkSpawned } = own
  const view: View = createGlobals(config, tools.programmaticTools)
  Object.assign(view, { own, isUntrusted: true, tools, events, diagnostics, stats, checkSpawned })
  return Object.defineProperties(view, {
    closed: { get: () => own.closed },
    lifecycle: { get: () => own.lifecycle },
    toolConfig: { get: () => own.toolConfig },
    models: { get: () => own.models },
    redact: {
      get: () => own.redact,
      set: redact => {
        own.redact = redact
      },
    },
  })
}
