import { isDefinedTool } from '../src/define-tool.js'
import type { CodeSource } from '../src/directory-names.js'
import { AgentAppsError } from '../src/error.js'
import type { ModuleRecord } from '../src/index-format.js'
import { parseInline } from '../src/inline-reference.js'
import { isJsonObject, type JsonObject } from '../src/json.js'
import { notJsonIn } from '../src/not-json.js'
import { parseReference } from '../src/reference.js'
import { readFrontmatter } from '../src/role-meant.js'
import type { Context } from './context.js'
import { loadParser } from './directory-files.js'
import { isStillFresh } from './directory-state.js'
import type { Disk } from './disk-seam.js'
import type { Globals } from './globals.js'
import { invoke } from './invoke.js'
import { lazy } from './lazy.js'
import { ownModule } from './own-module.js'
import type { ToolDef, ToolFunction } from './tool-def.js'
import type { ToolSource } from './tool-source.js'

const checks = lazy(() => import('./checked-files.js'))
const faults = lazy(() => import('./delegate-faults.js'))

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
  const file = disk.resolve(state.dir, record.file)
  throw noTool(`The export "${exported}" of ${record.file}`, { tool: record.frontmatter.name, file })
}

/** Asks a tool's code for what is not literal in its file, and puts it into the tool's frontmatter. */
export async function completeFrontmatter(
  tool: ToolDef,
  source: ToolSource,
  globals: Globals,
  disk: Disk,
): Promise<void> {
  const { module } = await loadCode(source, globals, disk)
  const exported = module[source.record.exported ?? 'default']
  const told = isDefinedTool(exported) ? await exported.frontmatter() : module.frontmatter
  const fault = notJsonIn(told)
  if (fault) throw new Error(`JSON has no ${fault.what}, which stands at "${fault.path}"`)
  if (isJsonObject(told)) {
    // As an index would hold it.
    const verbatim = JSON.parse(JSON.stringify(told)) as JsonObject
    Object.assign(tool.frontmatter, readFrontmatter(verbatim, { kind: 'code', name: tool.name }))
    source.verbatim = verbatim
  }
  delete source.record.dynamic
}

/** What a delegate does: a plain module or inline code by itself, else the tool that it names. */
export async function loadDelegate(source: ToolSource, globals: Globals, disk: Disk): Promise<ToolFunction> {
  const { record } = source
  const { delegate } = record
  if (delegate && 'markdown' in delegate) return async () => delegate.markdown
  const code = delegateSource(source, disk)
  if (code === null) return delegated(String(record.frontmatter.metadata.delegate), source, globals, disk)
  const { name } = record.frontmatter
  const module = await importCode(source, delegate, code, globals, disk).catch(async error => {
    throw (await faults()).delegateUnready(name, error)
  })
  const fn = functionOf(module.default)
  if (fn) return fn
  throw noTool(`The default export of the delegate of "${name}"`, { tool: name })
}

/** The body of a tool that delegates to another one: a path means what it means in the file that wrote it. */
function delegated(ref: string, source: ToolSource, globals: Globals, disk: Disk): ToolFunction {
  return (ctx, args) => {
    const target = delegateTarget(ref, source, disk)
    const { manager, run } = (ctx as Context | undefined) ?? {}
    const called = manager ? manager.invoke(target, args) : invoke(target, args, globals)
    return called.catch(async error => {
      throw (await faults()).delegateFailed(run?.tool.name ?? source.record.frontmatter.name, target, error)
    })
  }
}

/** What the tool that a delegate names is looked up by. */
export function delegateTarget(ref: string, { state, record }: ToolSource, disk: Disk): string {
  return parseReference(ref).kind === 'path' ? disk.resolve(state.dir, record.file, '..', ref) : ref
}

export function noTool(what: string, where: { tool: string; file?: string }): AgentAppsError {
  const hint = 'Export a function, or something made with `defineTool`.'
  return new AgentAppsError('TOOL_BROKEN', `${what} is no function.`, { hint, ...where })
}

/** The code that a delegate stands for by itself: inline code, or a plain module beside the skill. */
export function delegateSource({ state, record }: ToolSource, disk: Disk): CodeSource | null {
  const { file, frontmatter } = record
  const { delegate } = frontmatter.metadata
  if (typeof delegate !== 'string') return null
  if (delegate.startsWith('inline://')) {
    const { kind, text } = parseInline(delegate)
    return kind === 'code' ? { code: text, from: file } : null
  }
  const isModule = parseReference(delegate).kind === 'path' && /\.[cm]?[jt]s$/.test(delegate)
  return isModule && !/\.skill\.[a-z]+$/.test(delegate)
    ? { file: disk.resolve(state.dir, file, '..', delegate) }
    : null
}

async function importCode(
  { state, names }: ToolSource,
  compiled: ModuleRecord | undefined,
  code: CodeSource,
  globals: Globals,
  disk: Disk,
): Promise<Record<string, unknown>> {
  if (compiled && globals.config.verify)
    return (await checks()).importChecked(state, names, compiled.file, disk)
  const isSame = (input: string): boolean => isStillFresh(state, names, input, disk)
  const module = compiled ? await ownModule(state, compiled.file, disk) : null
  if (
    compiled &&
    module !== null &&
    (globals.config.freshness === 'trust' || (!compiled.outside && compiled.inputs.every(isSame)))
  ) {
    return disk.importModule(module)
  }
  const parser = await loadParser(globals, disk)
  if (parser) return parser.importModule(state.dir, code, globals.config.external)
  if (module !== null) return disk.importModule(module)
  const what = 'file' in code ? code.file : 'an inline delegate'
  throw new AgentAppsError(
    'MODULE_MISSING',
    `The code of ${what} ${compiled ? `is not at ${disk.resolve(state.dir, compiled.file)}` : 'was not compiled'}.`,
    {
      hint: 'Run `agent-apps compile` and deploy `.agent-apps/` with the index, or install the whole package, so that code can be read from disk.',
    },
  )
}

/** What an export does when it is called; null where it is no tool. */
export function functionOf(value: unknown): ToolFunction | null {
  if (isDefinedTool(value)) return value.fn
  return typeof value === 'function' ? (value as ToolFunction) : null
}
