import { isDefinedTool } from '../src/define-tool.js'
import type { Diagnostic } from '../src/diagnostic.js'
import type { CodeSource } from '../src/directory-names.js'
import { AgentAppsError } from '../src/error.js'
import { extractFrontmatter } from '../src/frontmatter.js'
import type { ModuleRecord, ToolRecord } from '../src/index-format.js'
import { parseInline } from '../src/inline-reference.js'
import { isJsonObject } from '../src/json.js'
import { parseReference } from '../src/reference.js'
import { isFileFresh, loadParser } from './directory-files.js'
import type { Disk } from './disk-seam.js'
import type { Resolution } from './find-tool.js'
import { addDiagnostic, type Globals } from './globals.js'
import type { ToolSource } from './make-tool.js'
import { IndexRefused } from './read-index.js'
import type { ToolDef, ToolFunction } from './tool-def.js'

/** A module's tool, ready to be called. */
export interface LoadedCode {
  fn: ToolFunction
  module: Record<string, unknown>
}

/** The code of a tool: from its compiled module, or bundled from its file where that is missing or changed. */
export async function loadCode(source: ToolSource, globals: Globals, disk: Disk): Promise<LoadedCode> {
  const { state, record } = source
  const module = await importCode(source, record.module, { file: record.file }, globals, disk)
  const exported = record.exported ?? 'default'
  const fn = functionOf(module[exported])
  if (fn) return { fn, module }
  throw new AgentAppsError('TOOL_BROKEN', `The export "${exported}" of ${record.file} is no tool.`, {
    hint: 'Export a function, or something made with `defineTool`.',
    tool: record.frontmatter.name,
    file: disk.resolve(state.dir, record.file),
  })
}

/** Asks a tool's code for what is not literal in its file, and puts it into the tool's frontmatter. */
async function completeFrontmatter(
  tool: ToolDef,
  source: ToolSource,
  globals: Globals,
  disk: Disk,
): Promise<void> {
  const { module } = await loadCode(source, globals, disk)
  const exported = module[source.record.exported ?? 'default']
  const verbatim = isDefinedTool(exported) ? await exported.frontmatter() : module.frontmatter
  if (isJsonObject(verbatim)) {
    Object.assign(tool.frontmatter, extractFrontmatter(verbatim, { kind: 'code', name: tool.name }))
    source.verbatim = verbatim
  }
  delete source.record.dynamic
}

/** A tool from disk whose metadata only its code tells, with what the code tells; broken where the code cannot be run. */
export async function completed(
  tool: ToolDef,
  source: ToolSource,
  globals: Globals,
  disk: Disk,
): Promise<Resolution> {
  try {
    await completeFrontmatter(tool, source, globals, disk)
    return { tool }
  } catch (error) {
    const broken: Diagnostic = {
      file: disk.resolve(source.state.dir, source.record.file),
      line: 1,
      column: 1,
      rule: 'code-throws',
      severity: 'error',
      reason: `Importing the file throws: ${(error as Error).message}`,
      note: 'Do nothing at the top level that can fail; move it into the tool.',
      fatal: true,
    }
    addDiagnostic(globals, broken)
    return { broken }
  }
}

/** What a delegate that is a plain module or inline code does; null where it names another tool. */
export async function loadDelegate(
  source: ToolSource,
  globals: Globals,
  disk: Disk,
): Promise<ToolFunction | null> {
  const { record } = source
  const { delegate } = record
  if (delegate && 'markdown' in delegate) return async () => delegate.markdown
  const code = delegateSource(record)
  if (code === null) return null
  const module = await importCode(source, delegate, code, globals, disk)
  const fn = functionOf(module.default)
  if (fn) return fn
  throw new AgentAppsError(
    'TOOL_BROKEN',
    `The delegate of "${record.frontmatter.name}" has no function as default export.`,
    {
      hint: 'Write `export default async function (ctx, args) { … }`.',
      tool: record.frontmatter.name,
    },
  )
}

/** The code that a delegate stands for by itself: inline code, or a plain module beside the skill. */
function delegateSource({ file, frontmatter }: ToolRecord): CodeSource | null {
  const { delegate } = frontmatter.metadata
  if (typeof delegate !== 'string') return null
  if (delegate.startsWith('inline://')) {
    const { kind, text } = parseInline(delegate)
    return kind === 'code' ? { code: text, from: file } : null
  }
  const isModule = parseReference(delegate).kind === 'path' && /\.[cm]?[jt]s$/.test(delegate)
  return isModule && !/\.skill\.[a-z]+$/.test(delegate) ? { file: joined(file, delegate) } : null
}

/** A path relative to a file, relative to that file's directory entry. */
function joined(file: string, path: string): string {
  const folder = file.includes('/') ? file.slice(0, file.lastIndexOf('/') + 1) : ''
  return folder + path
}

async function importCode(
  { state, names }: ToolSource,
  compiled: ModuleRecord | undefined,
  code: CodeSource,
  globals: Globals,
  disk: Disk,
): Promise<Record<string, unknown>> {
  const isSame = (input: string): boolean => isStillFresh(state, names, input, disk)
  // A link in a module's place could lead to any code of this machine.
  const module = compiled && disk.resolve(state.dir, compiled.file)
  const isThere =
    module !== undefined && disk.stat(module) !== null && (await disk.isInside(state.dir, module))
  if (
    compiled &&
    isThere &&
    (globals.config.freshness === 'trust' || (!compiled.outside && compiled.inputs.every(isSame)))
  ) {
    return disk.importModule(module)
  }
  const parser = await loadParser(globals, disk)
  if (parser) return parser.importModule(state.dir, code)
  if (isThere) return disk.importModule(module)
  const what = 'file' in code ? code.file : 'an inline delegate'
  throw new AgentAppsError(
    'MODULE_MISSING',
    `The code of ${what} ${compiled ? `is not at ${module}` : 'was not compiled'}.`,
    {
      hint: 'Run `agent-apps compile` and deploy `.agent-apps/` with the index, or install the whole package, so that code can be read from disk.',
    },
  )
}

/** False too where the index that a tool was found in is gone, and with it what its files were. */
function isStillFresh(...asked: Parameters<typeof isFileFresh>): boolean {
  try {
    return isFileFresh(...asked)
  } catch (error) {
    if (error instanceof IndexRefused) return false
    throw error
  }
}

function functionOf(value: unknown): ToolFunction | null {
  if (isDefinedTool(value)) return value.fn
  return typeof value === 'function' ? (value as ToolFunction) : null
}
