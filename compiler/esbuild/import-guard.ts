import { closeSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import type { Metafile, Plugin } from 'esbuild'
import { containsPrivateKey, KEY_BYTES, looksSecret } from '../../src/skill/secrets.js'
import { openRegularFile, readRegularFile } from '../files/regular-file.js'
import type { BundledProject, ModuleFailure } from './module-source.js'
import { belongsTo } from './project-root.js'
import { placeDefinitions } from './source-place.js'

const CODE = /\.[cm]?([jt]sx?)$/

/** True for a file of code that may mention its own place. */
export function mentionsOwnPlace(file: string): boolean {
  return CODE.test(file) && /\bimport\.meta\b|\b__(?:dir|file)name\b/.test(readRegularFile(file).toString())
}

/**
 * Checks every file before esbuild reads it. A file outside the project is not even parsed, since the message of a syntax error could
 * show its contents, and a pipe or a device never ends.
 *
 * @param mentioning the files that mention their own place, and whether each may be an ES module: an `import` makes one of any other, too.
 *   The definition of their URL is put before their first line, on that line, so that no line moves
 * @param urlOf the URL of a file, absolute or relative to the modules
 */
export function guardedReads(
  { directory, root }: BundledProject,
  mentioning: ReadonlyMap<string, boolean>,
  urlOf: (file: string) => string,
): Plugin {
  return {
    name: 'agent-apps-guard',
    setup({ onLoad }) {
      onLoad({ filter: /.*/, namespace: 'file' }, ({ path, suffix }) => {
        // Some bundlers read a query as an instruction; to esbuild it is another file of the same contents.
        const problem =
          suffix === ''
            ? readProblem(path, root)
            : `of which ${JSON.stringify(suffix)} names no part of a file`
        if (problem !== null) {
          const shown = JSON.stringify(relative(directory, path + suffix).replaceAll('\\', '/'))
          return { errors: [{ text: `imports ${shown}, ${problem}` }] }
        }
        const loader = CODE.exec(path)?.[1] as 'js' | 'ts' | 'jsx' | 'tsx' | undefined
        if (loader === undefined) return undefined
        const text = readRegularFile(path).toString()
        const own = withoutForeignMaps(text, path, root)
        const isModule = mentioning.get(path)
        if (isModule === undefined) return own === text ? undefined : { contents: own, loader }
        const hashbang = /^#!.*\n/.exec(own)?.[0] ?? ''
        // A hashbang's line is kept as an empty one.
        const definitions = placeDefinitions(urlOf(path), isModule) + (hashbang && '\n')
        return { contents: definitions + own.slice(hashbang.length), loader }
      })
    },
  }
}

/** Why a file is not to be read; null where it may be. Which files are imported as a package is looked at later. */
function readProblem(path: string, root: string): string | null {
  try {
    const real = realpathSync.native(path)
    if (!belongsTo(root, real) && !real.includes(`${sep}node_modules${sep}`))
      return 'which lies outside the project'
    if (!statSync(real).isFile()) return 'which is not a regular file'
    closeSync(openRegularFile(real).descriptor)
    return null
  } catch {
    return 'which cannot be read'
  }
}

/** Code without links to source maps outside the project: esbuild would follow them anywhere. */
function withoutForeignMaps(text: string, path: string, root: string): string {
  return text.replace(/(\/[/*][#@][ \t]*sourceMapping)URL=([^\s'"]+)/g, (link, start: string, map: string) =>
    map.startsWith('data:') || readProblem(resolve(dirname(path), map), root) === null
      ? link
      : `${start}Url=${map}`,
  )
}

/** For each input the imports that it may not have: of files outside the project, secrets, `data:` and remote addresses. */
export function forbiddenImports(place: BundledProject, { inputs }: Metafile): Map<string, ModuleFailure[]> {
  const forbidden = new Map<string, ModuleFailure[]>()
  for (const [input, { imports }] of Object.entries(inputs)) {
    for (const { path, original = path, external } of imports) {
      const isPackage = !/^[./]/.test(original) || input.includes('node_modules/')
      const problem = external ? externalProblem(path) : inputProblem(path, place, isPackage)
      const known = forbidden.get(input) ?? []
      if (problem === null || known.some(({ message }) => message === problem)) continue
      forbidden.set(input, [...known, { message: problem, ...importPlace(input, place, original) }])
    }
  }
  return forbidden
}

/** Why a file may not be in a module; null where it may. */
export function inputProblem(
  input: string,
  { directory, root }: BundledProject,
  isPackage: boolean,
): string | null {
  if (input.startsWith('inline:') || input.startsWith('(disabled):')) return null
  if (/^<?data:/.test(input)) return 'imports a `data:` address'
  const real = realpathSync.native(resolve(directory, input))
  // A package manager may keep packages elsewhere and link them.
  if (!belongsTo(root, real) && !(isPackage && real.includes(`${sep}node_modules${sep}`)))
    return `imports ${JSON.stringify(input)}, which lies outside the project`
  return looksSecret(real) || containsPrivateKey(readRegularFile(real, KEY_BYTES))
    ? `imports ${JSON.stringify(input)}, which looks like a secret`
    : null
}

function externalProblem(path: string): string | null {
  if (/^(?:https?|data|blob):/.test(path))
    return `imports ${JSON.stringify(path.slice(0, 80))}; code comes from the project or its packages`
  return isAbsolute(path) ? `imports the absolute path ${JSON.stringify(path)}` : null
}

/** The place of an import in a file; its first line if it cannot be found. Code in frontmatter has no file. */
function importPlace(
  input: string,
  { directory }: BundledProject,
  imported: string,
): Omit<ModuleFailure, 'message'> {
  if (input.startsWith('inline:')) return { file: null, line: 1, column: 1 }
  const file = resolve(directory, input)
  const before = readRegularFile(file).toString().split(imported)[0] ?? ''
  const lines = before.split('\n')
  return { file, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}
