import { disk } from '#disk'
import { AgentAppsError, type ErrorCode, isAgentAppsError } from '../../src/base/error.js'
import type { CodeSource } from '../../src/content/disk-parser.js'
import type { ModuleRecord } from '../../src/index/index-format.js'
import { isName, namespaceOf } from '../../src/skill/names.js'
import { isModuleFresh } from '../directory/file-freshness.js'
import { expectEvaluated } from '../directory/not-evaluated.js'
import { ownModule } from '../directory/own-module.js'
import { loadParser } from '../directory/read-files.js'
import { delegateSource, delegateTarget, functionOf, noTool } from '../find/delegate-source.js'
import { resolve } from '../find/find-tool.js'
import { nameWithin } from '../find/require-tool.js'
import { lazy } from '../host/later.js'
import type { Context, Globals } from '../state/context.js'
import type { ToolDef, ToolFunction } from '../state/tool-def.js'
import { sourceOf, type ToolSource } from '../state/tool-source.js'
import { invoke } from './invoke.js'
import { RunContext } from './run-context.js'

const checks = lazy(() => import('../directory/checked-files.js'))
const agents = lazy(() => import('./agent-calls.js'))
export const inline = lazy(() => import('../find/inline-tools.js'))

/** Loads a tool's compiled module, or bundles its file if the module is missing or out of date. */
export async function loadCode(
  source: ToolSource,
  globals: Globals,
): Promise<{ fn: ToolFunction; module: Record<string, unknown> }> {
  const { state, record } = source
  const module = await importCode(source, record.module, { file: record.file }, globals)
  const exported = record.exported ?? 'default'
  const fn = functionOf(module[exported])
  if (fn) return { fn, module }
  const file = disk.resolve(state.dir, record.file)
  throw noTool(`The export "${exported}" of ${record.file}`, { tool: record.frontmatter.name, file })
}

/** Loads a delegate: a module, inline code, or a call of the tool that it names. */
export async function loadDelegate(source: ToolSource, globals: Globals): Promise<ToolFunction> {
  const { record } = source
  const { delegate } = record
  if (delegate && 'markdown' in delegate) return async () => delegate.markdown
  const code = delegateSource(source)
  if (code === null) return delegated(String(record.frontmatter.metadata.delegate), source, globals)
  const { name } = record.frontmatter
  const module = await importCode(source, delegate, code, globals).catch(error => {
    throw delegateUnready(name, error)
  })
  const fn = functionOf(module.default)
  if (fn && 'code' in code)
    (await inline()).keepInlineCode(String(record.frontmatter.metadata.delegate), fn, module, globals)
  if (fn) return fn
  throw noTool(`The default export of the delegate of "${name}"`, { tool: name })
}

/** Calls the tool that a delegate names. A path is relative to the file that has it. */
function delegated(ref: string, source: ToolSource, globals: Globals): ToolFunction {
  const { name } = source.record.frontmatter
  return async (ctx, args) => {
    const { manager, run } = (ctx as Context | undefined) ?? {}
    const target = await targetName(ref, source, globals)
    try {
      if (ctx instanceof RunContext) await expectTarget(target, args, source, ctx)
      return await (manager ? manager.invoke(target, args) : invoke(target, args, globals))
    } catch (error) {
      throw delegateFailed(run?.tool.name ?? name, target, error)
    }
  }
}

function targetName(ref: string, source: ToolSource, globals: Globals): Promise<string> {
  return nameWithin(namespaceOf(source.record.frontmatter.name), delegateTarget(ref, source), globals)
}

/** Authorizes a delegate of another path entry as a call of its target by the agent above. */
async function expectTarget(
  target: string,
  args: unknown,
  { state }: ToolSource,
  ctx: RunContext,
): Promise<void> {
  // Inline text belongs to the skill.
  const tool = target.startsWith('inline://') ? undefined : (await resolve(target, ctx.globals))?.tool
  if (tool && tool.origin.entry !== state.dir) await (await agents()).authorizeInPlace(tool, args, ctx)
}

/** Authorizes the delegate of a tool that runs without a context, as part of a call. */
export async function expectDelegate(tool: ToolDef, args: unknown, ctx: RunContext): Promise<void> {
  const source = sourceOf(tool)
  const { delegate } = tool.frontmatter.metadata
  if (!source || typeof delegate !== 'string' || delegateSource(source)) return
  await expectTarget(await targetName(delegate, source, ctx.globals), args, source, ctx)
}

async function importCode(
  source: ToolSource,
  compiled: ModuleRecord | undefined,
  code: CodeSource,
  globals: Globals,
): Promise<Record<string, unknown>> {
  expectEvaluated(source, globals)
  const { state, names } = source
  if (compiled && globals.config.verify) return (await checks()).importChecked(state, names, compiled.file)
  const module = compiled ? await ownModule(state, compiled.file) : null
  if (compiled && module !== null && isModuleFresh(compiled, source, globals))
    return disk.importModule(module)
  const parser = await loadParser(globals)
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

const BEFORE_CALL: ReadonlySet<ErrorCode> = new Set(['ARGS_INVALID', 'TOOL_BROKEN', 'TOOL_NOT_FOUND'])

/** The delegating tool of an error, whose own `tool` is the one that failed. */
const delegating = new WeakMap<AgentAppsError, string>()

/** Adds the delegating tool's name to an error from before the delegate ran, which names a tool that the caller did not. */
function delegateFailed(tool: string, delegate: string, error: unknown): unknown {
  if (!isAgentAppsError(error) || !BEFORE_CALL.has(error.code)) return error
  const speaksOf = delegating.get(error) ?? error.tool
  const isOfDelegate = speaksOf === delegate || (error.code === 'ARGS_INVALID' && !isName(delegate))
  return isOfDelegate ? withTool(tool, error) : error
}

/** Adds the tool's name to an error of importing its delegate's code. */
function delegateUnready(tool: string, error: unknown): unknown {
  return isAgentAppsError(error) ? withTool(tool, error) : error
}

function withTool(name: string, error: AgentAppsError): AgentAppsError {
  const { code, message, hint, tool = name, file, position, issues } = error
  const named = new AgentAppsError(code, `The delegate of "${name}": ${message}`, {
    hint,
    tool,
    ...(file !== undefined && { file }),
    ...(position && { position }),
    ...(issues && { issues }),
    cause: error,
  })
  delegating.set(named, name)
  return named
}
