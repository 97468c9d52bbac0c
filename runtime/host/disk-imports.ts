/**
 * Imports modules from checked bytes. An import by path would read the file again after the check, so Node's hooks
 * read it once, compare its digest and return those bytes. The digest is part of the module's URL, so that a module
 * that was imported unchecked is another one.
 */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as modules from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

type Hooks = { resolve: typeof resolve; load: typeof load }
type Registering = { registerHooks?: (hooks: Hooks) => void; register?: (url: string) => void }

/** Imports a module. `digests` contains its digest and those of all chunks that it imports, by absolute path. */
export async function importChecked(
  path: string,
  digests: ReadonlyMap<string, string>,
): Promise<Record<string, unknown>> {
  await registered()
  return import(
    `${checkedUrl(path, digests.get(path) ?? '')}#${encodeURIComponent(JSON.stringify([...digests]))}`
  )
}

let registering: Promise<unknown> | undefined

/** Registers the hooks, once. Fails on a host without hooks, since nothing may be imported unchecked. */
function registered(): Promise<unknown> {
  if (registering === undefined) {
    // Node 20 runs hooks in another thread, which loads this file again.
    const { registerHooks, register } = modules as Registering
    if (registerHooks) registerHooks({ resolve, load })
    else register?.(import.meta.url)
    // In a variable, so that bundlers do not resolve it.
    const probe = PROBE
    registering = import(probe).catch(() => {
      throw unchecked('this host has no hooks for imports')
    })
  }
  return registering
}

const PROBE = 'agent-apps-checked:probe'
const MARK = '?agent-apps-sha256='

function checkedUrl(path: string, digest: string): string {
  return pathToFileURL(path).href + MARK + digest
}

interface Resolved {
  url: string
  shortCircuit?: boolean
}
interface Loaded {
  format: string
  source: string | Uint8Array
  shortCircuit?: boolean
}

/** The checked URLs of chunks, by their plain URLs. Filled before anything imports them. */
const chunks = new Map<string, string>()

/** Node's hook that resolves a specifier. */
export function resolve<Context extends { parentURL?: string | undefined }>(
  specifier: string,
  context: Context,
  next: (specifier: string, context: Context) => Resolved,
): Resolved {
  if (specifier === PROBE) return { url: PROBE, shortCircuit: true }
  const [url = '', list] = specifier.split('#')
  if (url.includes(MARK) && list !== undefined) {
    for (const [path, digest] of JSON.parse(decodeURIComponent(list)) as [string, string][])
      chunks.set(pathToFileURL(path).href, checkedUrl(path, digest))
    return { url, shortCircuit: true }
  }
  const { parentURL = '' } = context
  if (!parentURL.includes(MARK) || !/^\.\/chunk-[0-9A-Z]{8}\.mjs$/.test(specifier))
    return next(specifier, context)
  const chunk = new URL(specifier, parentURL).href
  const checked = chunks.get(chunk)
  if (checked === undefined) throw unchecked(`${chunk} is in no index`)
  return { url: checked, shortCircuit: true }
}

/** Node's hook that reads a module. */
export function load<Context>(
  url: string,
  context: Context,
  next: (url: string, context: Context) => Loaded,
): Loaded {
  if (url === PROBE) return { format: 'module', source: 'export {}', shortCircuit: true }
  const [file = '', digest] = url.split(MARK)
  if (digest === undefined) return next(url, context)
  const source = readFileSync(fileURLToPath(file))
  if (hash('sha256', source) !== digest) throw unchecked(`${file} changed meanwhile`)
  return { format: 'module', source, shortCircuit: true }
}

function unchecked(message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_AGENT_APPS_UNCHECKED' })
}
