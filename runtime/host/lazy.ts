import { bundleReplaced } from './bundle-replaced.js'

/** Loads code at its first use; from then on it is there without waiting. */
export function lazy<Module>(load: () => Promise<Module>): () => Module | Promise<Module> {
  let loaded: Module | undefined
  const keep = (module: Module): Module => {
    loaded = module
    return module
  }
  return () => loaded ?? load().then(keep, bundleReplaced)
}
