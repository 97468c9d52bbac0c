/**
 * Reads files under `verify`. The bytes that are compared with the index are the bytes that are used: no file is read
 * twice.
 */

import { disk } from '#disk'
import { AgentAppsError } from '../../src/base/error.js'
import type { DirectoryNames } from '../../src/index/directory-names.js'
import type { FileDigest } from '../../src/index/index-format.js'
import { IndexRefused } from '../../src/index/read-index.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState } from '../state/directory-state.js'
import type { ToolSource } from '../state/tool-source.js'
import { currentIndex, directoryStates } from './look-up.js'
import { decode } from './read-content.js'

/** The content of a tool, from a file whose digest matches the index. */
export async function checkedContent({ state, names, record }: ToolSource): Promise<string> {
  const { content = [0, 0], file, kind } = record
  const path = disk.resolve(state.dir, file)
  // A SKILL.md that is a link may lead only to a file of its own folder, whatever the index says.
  if (kind === 'folder' && !(await disk.realInside(disk.resolve(path, '..'), path)))
    throw integrityFailed(path, 'is not there, or leads out of its folder')
  return decode((await checkedBytes(state, names, file)).subarray(...content))
}

/** The imports of shared chunks in a compiled module. */
const CHUNK = /\.\/(chunk-[0-9A-Z]{8}\.mjs)/g

/**
 * Imports a compiled module if its bytes, and those of all chunks that it imports, match the index.
 */
export async function importChecked(
  state: DirectoryState,
  names: DirectoryNames,
  file: string,
): Promise<Record<string, unknown>> {
  const digests = new Map<string, string>()
  const files = new Set([file])
  // The loop visits files that it adds, too.
  for (const one of files) {
    const path = disk.resolve(state.dir, one)
    if (!(await disk.realInside(state.dir, path)))
      throw integrityFailed(path, 'is not there, or leads out of its directory')
    const text = decode(await checkedBytes(state, names, one))
    digests.set(path, (digestIn(state, names, one) as FileDigest).sha256)
    for (const [, chunk] of text.matchAll(CHUNK)) {
      const beside = file.replace(/[^/]+$/, chunk as string)
      if (digestIn(state, names, beside)) files.add(beside)
    }
  }
  const path = disk.resolve(state.dir, file)
  try {
    return await disk.importModule(path, digests)
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code !== 'ERR_AGENT_APPS_UNCHECKED') throw error
    throw integrityFailed(path, `cannot be imported as it was checked (${(error as Error).message})`, error)
  }
}

/** Throws INTEGRITY_FAILED unless the bytes of a file match its digest in the index. */
export function expectSame(path: string, bytes: Uint8Array, digest: FileDigest | undefined): void {
  if (digest === undefined)
    throw integrityFailed(path, 'is in no index, so that nothing says what it should be')
  if (disk.digestOf(bytes) !== digest.sha256) throw integrityFailed(path, 'is not what was compiled')
}

/**
 * The digest of a file that a directive reads: one that is part of compiled content, or a resource of the skill.
 */
export function digestFor(
  entry: string,
  from: string,
  file: string,
  globals: Globals,
): FileDigest | undefined {
  const state = directoryStates(globals).find(({ dir }) => dir === entry)
  const index = state && currentIndex(state, globals)
  if (!state || !index) return undefined
  const folder = from.replace(/[^/]*$/, '')
  const resources = (digestIn(state, index, from)?.tools ?? []).flatMap(
    name => index.details(name)?.resources ?? [],
  )
  return digestIn(state, index, file) ?? resources.find(({ path }) => folder + path === file)
}

/** The error for a file that differs from what was compiled, or cannot be compared with it. */
export function integrityFailed(path: string, what: string, cause?: unknown): AgentAppsError {
  return new AgentAppsError('INTEGRITY_FAILED', `${path} ${what}, and is not used.`, {
    hint: 'Restore it, or run `agent-apps compile --force` if the change is meant; `agent-apps verify` lists all that differs.',
    file: path,
    cause,
  })
}

async function checkedBytes(state: DirectoryState, names: DirectoryNames, file: string): Promise<Uint8Array> {
  const path = disk.resolve(state.dir, file)
  const digest = digestIn(state, names, file)
  const bytes = digest ? await disk.readRange(path, 0, digest.size, digest.size) : new Uint8Array()
  if (bytes === null) throw integrityFailed(path, 'is gone, or has another size than when it was compiled')
  expectSame(path, bytes, digest)
  return bytes
}

/** The digest of a file in the index that a tool was found in. */
function digestIn(
  state: DirectoryState,
  names: DirectoryNames,
  file: string,
): ReturnType<DirectoryNames['file']> {
  try {
    return names.file(file)
  } catch (error) {
    if (!(error instanceof IndexRefused)) throw error
    throw integrityFailed(
      disk.resolve(state.dir, file),
      'was found by an index that is no longer there',
      error,
    )
  }
}
