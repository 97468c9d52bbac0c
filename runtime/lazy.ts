/** Loads code at its first use; from then on it is there without waiting. */
function lazy<Module>(load: () => Promise<Module>): () => Module | Promise<Module> {
  let loaded: Module | undefined
  const keep = (module: Module): Module => {
    loaded = module
    return module
  }
  return () => loaded ?? load().then(keep)
}

/** What a call by name through an index does not need, and so does not load. */
export const files = lazy(() => import('./directory-files.js'))
export const stale = lazy(() => import('./stale-content.js'))
export const paths = lazy(() => import('./load-skills-from-file.js'))
export const inline = lazy(() => import('./inline-tools.js'))
export const code = lazy(() => import('./run-code.js'))
export const resources = lazy(() => import('./read-resource.js'))
export const interpolating = lazy(() => import('./interpolate-arguments.js'))
export const observing = lazy(() => import('./observe.js'))
export const agents = lazy(() => import('./agent-calls.js'))
export const faults = lazy(() => import('./call-faults.js'))
