import { isUtf8 } from 'node:buffer'
import type { BundledDirectory, BundledSource, BundledText, BundleParts } from './bundle-parts.js'

/** The entry: a runtime over the bundle's own files, and a function for each tool. */
export function entryText({ cwd, paths, library, env, names }: BundleParts): string {
  const options = { paths, cwd, freshness: 'trust', library: library !== null, env }
  return [
    "import { createRuntime } from 'agent-apps/runtime'",
    `export const runtime = /* @__PURE__ */ createRuntime(${JSON.stringify(options)})`,
    `export const tools = /* @__PURE__ */ Object.freeze(Object.fromEntries(${JSON.stringify(names)}.map(name =>`,
    '  [name, (args, options) => runtime.invoke(name, args, options)])))',
    '',
  ].join('\n')
}

/** What `#disk` is in a bundle. Indexes are in it; the rest is imported when it is asked for. */
export function diskText(
  { cwd, library, directories }: BundleParts,
  contentOf: (file: BundledSource) => string,
  moduleOf: (directory: BundledDirectory, file: string) => string,
): string {
  const texts = directories.flatMap(({ index }) => index)
  const files = directories.flatMap(directory => directory.files)
  const loaderOf = (file: BundledSource): string[] =>
    file.parts.length === 0 ? [] : [`() => import(${literal(contentOf(file))})`]
  const modules = directories.flatMap(directory =>
    directory.modules.map(file => ({
      path: `${directory.at === '/' ? '' : directory.at}/${file}`,
      from: moduleOf(directory, file),
    })),
  )
  return [
    "import { bundleDisk } from 'agent-apps/bundle-disk'",
    ...texts.map(({ digested }, number) => `const digested${number} = ${literal(digested)}`),
    'export const disk = /* @__PURE__ */ bundleDisk({',
    `cwd: ${literal(cwd)},`,
    `library: ${literal(library)},`,
    record('texts', texts.map(textEntry)),
    `digests: new Map([${[...texts.map(digestEntry), ...directories.flatMap(keyEntry)].join(', ')}]),`,
    record(
      'files',
      files.map(file => `${literal(file.path)}: [${[file.size, ...loaderOf(file)].join(', ')}]`),
    ),
    record(
      'modules',
      modules.map(({ path, from }) => `${literal(path)}: () => import(${literal(from)})`),
    ),
    '})',
    '',
  ].join('\n')
}

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
