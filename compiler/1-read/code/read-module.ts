import { SourceMap } from 'node:module'
import type { TransformFailure } from 'esbuild'
import { FILE_START, type Finding, finding, type Place } from '../../diagnostics/diagnostics.js'
import { placeAt } from '../../diagnostics/source-text.js'
import { useEsbuild } from '../../esbuild/esbuild.js'
import { limits } from '../../files/limits.js'
import { type CodeModule, readCode } from './read-code.js'

/** A code file that was read. `placeOf` converts an offset in the module to a place in the author's file. */
export interface ReadModule {
  module: CodeModule
  placeOf: (offset: number) => Place
}

/**
 * Reads a code file without running it. TypeScript that the parser does not understand is compiled by esbuild
 * first, which knows newer syntax and has better messages.
 */
export async function readModule(text: string, path: string): Promise<ReadModule | Finding> {
  // Brackets that nest deeper would end esbuild's process.
  if (nesting(text, /[([{)\]}]/g, () => true) > limits.codeDepth)
    return finding('code-syntax', FILE_START, `brackets nest deeper than ${limits.codeDepth} levels`)
  const language = /\.m?ts$/.test(path) ? 'typescript' : 'javascript'
  const generics = nesting(text, />\s*\(|[()]/g, bracket => bracket !== '(')
  if (language === 'typescript' && generics > GENERICS_MAX) return readTypeScript(text)
  try {
    return { module: readCode(text, language), placeOf: offset => placeAt(text, offset) }
  } catch (error) {
    const { pos = 0, message } = error as SyntaxError & { pos?: number }
    // The message names the place at which the stack was full, which differs from run to run.
    if (message.startsWith('Not enough stack space'))
      return finding('code-syntax', FILE_START, 'it nests too deeply to be parsed')
    if (language === 'typescript') return readTypeScript(text)
    return finding('code-syntax', placeAt(text, pos), message.replace(/ \(\d+:\d+\)$/, ''))
  }
}

async function readTypeScript(text: string): Promise<ReadModule | Finding> {
  try {
    const { code, map } = await useEsbuild(({ transform }) =>
      transform(text, {
        loader: 'ts',
        target: 'esnext',
        sourcemap: 'external',
        logLevel: 'silent',
        tsconfigRaw: {},
      }),
    )
    const module = readCode(code, 'javascript')
    return { module, placeOf: offset => originalPlace(map, placeAt(code, offset)) }
  } catch (error) {
    const [first] = (error as TransformFailure).errors ?? []
    const { line = 1, column = 0 } = first?.location ?? {}
    return finding('code-syntax', { line, column: column + 1 }, first?.text ?? (error as Error).message)
  }
}

function originalPlace(map: string, { line, column }: Place): Place {
  const entry = new SourceMap(JSON.parse(map)).findEntry(line - 1, column - 1)
  return 'originalLine' in entry
    ? { line: entry.originalLine + 1, column: entry.originalColumn + 1 }
    : FILE_START
}

/** Each level of `<T>(…)` doubles the time of the parser, which tries to read it as a function first. */
const GENERICS_MAX = 8

/** How deep those brackets nest that count, including those in strings. `brackets` matches the others and their ends, too. */
function nesting(text: string, brackets: RegExp, counts: (bracket: string) => boolean): number {
  const open: boolean[] = []
  let depth = 0
  let deepest = 0
  for (const [bracket] of text.matchAll(brackets)) {
    if (/[)\]}]/.test(bracket)) depth -= Number(open.pop() ?? false)
    else {
      open.push(counts(bracket))
      depth += Number(counts(bracket))
      deepest = Math.max(deepest, depth)
    }
  }
  return deepest
}
