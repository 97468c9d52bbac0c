import { hash } from 'node:crypto'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { orNull } from '../../../src/base/attempt.js'
import { AgentAppsError } from '../../../src/base/error.js'
import { containsPrivateKey, looksSecret } from '../../../src/skill/secrets.js'
import { belongsTo } from '../../esbuild/project-root.js'
import { readRealFile } from '../../files/regular-file.js'
import { followUrls, type UnfollowedCode } from '../follow/follow-urls.js'
import type { BundledAsset, BundledDirectory } from '../parts/bundle-parts.js'
import { realInside } from './bundle-directory.js'

/** A compiled module, ready to be taken into a bundle. */
export interface BundledModule {
  text: string
  map: string | null
  unfollowed: UnfollowedCode[]
}

const MODULE = /^\.agent-apps\/(?:module|chunk)-[0-9A-Z]{8}\.mjs$/

/**
 * A compiled module of a directory, with the files that it finds by its own place brought along: those that
 * belong to a root.
 *
 * @param onPath called with each of those files, absolute, before it is looked at
 * @throws BUNDLE_UNCOMPILED
 */
export function readModule(
  directory: BundledDirectory,
  file: string,
  root: string,
  assets: Map<string, BundledAsset>,
  onPath?: (path: string) => void,
): BundledModule {
  const { dir } = directory
  const path = MODULE.test(file) ? realInside(dir, join(dir, file)) : null
  const bytes = path && bytesOf(path)
  if (path === null || bytes === null) {
    throw new AgentAppsError('BUNDLE_UNCOMPILED', `The module ${join(dir, file)} is not there.`, {
      hint: 'Compile the directory again.',
      file: join(dir, file),
    })
  }
  const map = realInside(dir, `${path}.map`)
  const mapText = (map && bytesOf(map)?.toString()) ?? null
  const followed = followUrls(bytes.toString(), mapText, (source, url) =>
    bring(new URL(source, pathToFileURL(path)), url, root, assets, onPath),
  )
  return { ...followed, map: mapText && withPlaces(mapText, directory) }
}

/** The largest size of a module or an added file, since building a bundle keeps them in memory. */
const FILE_BYTES_MAX = 64 * 1024 * 1024

/**
 * The URL of a file that is brought along; null for one that is not there, too large, unreadable, or not the
 * project's.
 */
function bring(
  source: URL,
  url: string,
  root: string,
  assets: Map<string, BundledAsset>,
  onPath: (path: string) => void = () => {},
): string | null {
  const target = /^[a-z]+:/i.test(url) ? null : new URL(url, source)
  // A URL with a host, for example, is not a path.
  const file = target && orNull(() => fileURLToPath(target))
  if (file === null || target?.href.endsWith('/')) return null
  onPath(file)
  if (!existsSync(file)) return null
  const real = realpathSync.native(file)
  onPath(real)
  const contents = belongsTo(root, real) && !looksSecret(real) ? bytesOf(real) : null
  if (contents === null || containsPrivateKey(contents)) return null
  const digest = hash('sha256', contents).slice(0, 8).toUpperCase()
  const ending = /^\.\w{1,10}$/.exec(extname(real))?.[0] ?? '.bin'
  // Adapters know this form (`adapters/virtual-module.ts`).
  const name = `asset-${digest}${ending}`
  assets.set(name, { name, file: real, contents })
  return `./${name}`
}

/** The contents of a regular file; null for one that is too large or cannot be read. */
function bytesOf(file: string): Buffer | null {
  return orNull(() => (statSync(file).size <= FILE_BYTES_MAX ? readRealFile(file) : null))
}

/** A source map whose sources are named by where they lie in the bundle. */
function withPlaces(map: string, { at }: BundledDirectory): string {
  const { sources, ...rest } = JSON.parse(map) as { sources: string[] }
  const base = new URL(`bundle://${encodeURI(at === '/' ? '' : at)}/.agent-apps/`)
  return JSON.stringify({ ...rest, sources: sources.map(source => new URL(source, base).href) })
}
