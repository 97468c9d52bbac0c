import { isUtf8 } from 'node:buffer'
import type {
  BundledDirectory,
  BundledShard,
  BundledSource,
  BundledText,
  BundleParts,
} from './bundle-parts.js'

/** Chunks that the entry leads to, by how it imports them. */
export interface EntryChunks {
  /** Tables that lead to the chunks of contents, in their order. */
  tables: string[]
  /** Shards of indexes, by their path. */
  shards: Map<string, string>
}

/**
 * The entry: a runtime over the bundle's own files, and a function for each tool. It contains small indexes, and for large ones the paths of
 * their shards; the rest is imported when it is asked for.
 */
export function entryText(
  { cwd, paths, library, env, names, opensWorkspace, directories }: BundleParts,
  { tables, shards }: EntryChunks,
  moduleOf: (directory: BundledDirectory, file: string) => string,
): string {
  const options = { paths, cwd, freshness: 'trust', library: library !== null, env }
  const texts = directories.map(({ index }) => index)
  const files = directories.flatMap(directory => directory.files)
  const modules = directories.flatMap(directory =>
    directory.modules.map(file => ({
      path: `${directory.at === '/' ? '' : directory.at}/${file}`,
      from: moduleOf(directory, file),
    })),
  )
  return [
    importOf(opensWorkspace ? 'createRuntime as create' : 'createRuntime', 'agent-apps/runtime'),
    importOf('overBundle', 'agent-apps/bundle-disk'),
    importOf('answering, bundledTools', 'agent-apps/bundled-tools'),
    ...texts.map(({ digested }, number) => `const digested${number} = ${literal(digested)}`),
    `${opensWorkspace ? 'const own =' : 'export const runtime = /* @__PURE__ */ answering(/* @__PURE__ */ createRuntime('}/* @__PURE__ */ overBundle({`,
    `cwd: ${literal(cwd)},`,
    `library: ${literal(library)},`,
    record('texts', texts.map(textEntry)),
    record(
      'shards',
      [...shards].map(([path, file]) => `${literal(path)}: ${imported(file)}`),
    ),
    `digests: new Map([${[...texts.map(digestEntry), ...directories.flatMap(keyEntry)].join(', ')}]),`,
    `sizes: ${readLater(Object.fromEntries(files.map(({ path, size }) => [path, size])))},`,
    `tables: [${tables.map(imported).join(', ')}],`,
    record(
      'modules',
      modules.map(({ path, from }) => `${literal(path)}: ${imported(from)}`),
    ),
    `}, ${JSON.stringify(options)})${opensWorkspace ? '' : '))'}`,
    ...(opensWorkspace ? [CREATE_RUNTIME] : []),
    `export const tools = /* @__PURE__ */ bundledTools(runtime, ${readLater(names)})`,
    '',
  ].join('\n')
}

/** Makes a runtime with the host's own options. The bundle's `cwd` is none of the host's. */
const CREATE_RUNTIME = `
const opened = workspace => ({ cwd: process.cwd(), ...(typeof workspace === 'object' ? workspace : { root: workspace }) })
export const createRuntime = ({ workspace, ...options } = {}) =>
  answering(create({ ...options, ...(workspace !== undefined && { workspace: opened(workspace) }), ...own }))
export const runtime = /* @__PURE__ */ createRuntime()`

function record(name: string, entries: readonly string[]): string {
  return `${name}: {\n${entries.join(',\n')}\n},`
}

function textEntry({ path, before, after }: BundledText, number: number): string {
  return `${literal(path)}: ${literal(before)} + digested${number} + ${literal(after)}`
}

function digestEntry({ digest }: BundledText, number: number): string {
  return `[digested${number}, ${literal(digest)}]`
}

function keyEntry({ digests }: BundledDirectory): string[] {
  return digests.map(([text, digest]) => `[${literal(text)}, ${literal(digest)}]`)
}

/** JSON that is parsed when first used: a program uses few of thousands of skills. */
function readLater(value: object): string {
  return `() => JSON.parse(${literal(JSON.stringify(value))})`
}

function importOf(name: string, from: string): string {
  return `import { ${name} } from ${literal(from)}`
}

function imported(file: string): string {
  return `() => import(${literal(file)})`
}

/** A chunk that leads to others. */
export function tableText(entries: readonly { path: string; file: string }[]): string {
  const lines = entries.map(({ path, file }) => `${literal(path)}: ${imported(file)}`)
  return `export default {\n${lines.join(',\n')}\n}\n`
}

/** A chunk with a shard of an index. */
export function shardText({ text, digest }: BundledShard): string {
  return `export default [${literal(text)}, ${literal(digest)}]\n`
}

/** A chunk with those parts of a file that are ever read. */
export function partsText({ parts }: BundledSource): string {
  const entries = parts.map(
    ({ start, end, bytes }) => `${literal(`${start}-${end}`)}: ${literalBytes(bytes)}`,
  )
  return `export default {\n${entries.join(',\n')}\n}\n`
}

function literalBytes(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes)
  return isUtf8(bytes)
    ? literal(buffer.toString('utf8'))
    : `{ base64: ${literal(buffer.toString('base64'))} }`
}

function literal(value: string | null): string {
  return JSON.stringify(value)
}
