import { disk } from '#disk'
import { AgentAppsError, isAgentAppsError } from '../../src/base/error.js'
import { checkOptions, type Kind, type OptionTable } from '../../src/base/options.js'
import {
  contentCycle,
  DIRECTIVE_TIME_LIMIT,
  directiveFailed,
  directiveHangs,
  takesTooLong,
} from '../../src/content/content-faults.js'
import { ContentWork } from '../../src/content/content-work.js'
import { type DirectiveCall, type DirectiveSource, isDirectiveContent } from '../../src/content/directive.js'
import { directiveNames } from '../../src/content/directive-names.js'
import { HOSTS } from '../../src/content/host-placeholders.js'
import { asText, type InterpolationRoots, interpolate } from '../../src/content/interpolate.js'
import { hasExpression, type Inner, type Rendering, renderContent } from '../../src/content/render-content.js'
import type { ContentProblem, ContentRecord, DirectivePart } from '../../src/index/content-record.js'
import { argumentsRefused } from '../call/call-refused.js'
import { invokeFor } from '../call/call-tool.js'
import { runChain } from '../call/run-chain.js'
import { expectDelegate } from '../call/run-code.js'
import { RunContext, throwIfAborted } from '../call/run-context.js'
import { chainOf } from '../cascade/chain-of.js'
import { loadParser } from '../directory/read-files.js'
import { requireGiven } from '../find/require-tool.js'
import { lazy } from '../host/later.js'
import { withinTime } from '../lifecycle/time-limit.js'
import { checkArguments } from '../schema/check-arguments.js'
import { UncopiedArguments } from '../schema/clone-arguments.js'
import { interpolationRoots } from '../schema/interpolation-roots.js'
import type { Context, Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf, type ToolSource } from '../state/tool-source.js'
import { directiveSource } from './directive-source.js'
import { allForms, contentNotCompiled, findContent, findDirective, knownAmong } from './find-content.js'
import { HostFilling, type HostOptions } from './host-filling.js'
import { isInterpolated, runMarkdown } from './load-function.js'

const policies = lazy(() => import('../policy/authorize.js'))

/** The file that a text is rendered from, and the values in scope there. */
interface Scope {
  /** The path entry, absolute. */
  entry: string
  /** The file, relative to `entry`. */
  file: string
  /** The files that include it, its own last, absolute. */
  way: readonly string[]
  /** `locals` with what the directives around the text add. */
  locals: Readonly<Record<string, unknown>>
}

/**
 * Renders a Markdown skill: runs its directives, and fills in its `${…}` if so configured.
 *
 * @throws CONTENT_INVALID, DIRECTIVE_FAILED, CONTENT_CYCLE, CONTENT_TOO_LARGE, CONTENT_NOT_COMPILED; the
 *   errors of an aborted directive
 */
export async function renderTool(
  tool: ToolDef,
  source: ToolSource,
  ctx: Context | undefined,
  globals: Globals,
  host?: HostFilling,
): Promise<string> {
  const work = new ContentWork()
  const { text, content, known } = await findContent(tool, source, globals, work)
  if (content.problem) throw contentInvalid(tool, content.problem)
  const context =
    ctx instanceof RunContext ? ctx : new RunContext(globals, tool, invokeFor, undefined, undefined)
  const filling = { isFilled: isInterpolated(tool, ctx), host }
  return new ToolRendering(tool, known, context, filling, work).render(text, content, source)
}

/** The fillings of a content's own text. */
interface Filling {
  /** True to fill in its `${…}`. */
  isFilled: boolean
  /** Fills in another host's placeholders. */
  host: HostFilling | undefined
}

/** The arguments of a skill that is rendered, and the host whose placeholders are filled in. */
export interface RenderOptions extends Partial<HostOptions> {
  args?: unknown
}

const DATA: Kind = ['JSON data', value => !/function|symbol|bigint/.test(typeof value)]

const RENDER_OPTIONS: OptionTable<keyof RenderOptions> = { args: DATA, host: HOSTS, sessionId: 'string' }

/** Implements `render` of a runtime. */
export async function render(
  ref: string,
  options: RenderOptions | undefined,
  globals: Globals,
): Promise<string> {
  const { args, host: name, sessionId } = options ?? {}
  if (options !== undefined) checkOptions('render', options, RENDER_OPTIONS)
  const tool = await requireGiven(ref, globals)
  const source = sourceOf(tool)
  if (!tool.content) {
    throw new AgentAppsError('CONTENT_MISSING', `The tool "${tool.name}" is code and has no content.`, {
      hint: 'Run it with `invoke`.',
      tool: tool.name,
    })
  }
  const ctx = new RunContext(globals, tool, invokeFor, undefined, undefined)
  const chain = await chainOf(tool, globals)
  ctx.chain = chain
  if (args instanceof UncopiedArguments) throw argumentsRefused(tool, args)
  const host = name && new HostFilling(tool, args, { host: name, sessionId }, globals)
  // Without `params`, a host's arguments are words for its placeholders only.
  const own = host && !tool.frontmatter.params ? undefined : args
  ctx.takeArguments(await checkArguments(tool, chain, own, ctx))
  if (!host) return source ? runMarkdown(tool, source, ctx, globals) : tool.content()
  const content = source
    ? await renderTool(tool, source, ctx, globals, host)
    : host.fill(await tool.content())
  return host.finish(content)
}

/** One rendering of a tool's content. */
class ToolRendering {
  private readonly globals: Globals

  constructor(
    private readonly tool: ToolDef,
    private readonly known: Map<string, ToolDef>,
    private readonly ctx: RunContext,
    private readonly filling: Filling,
    private readonly work: ContentWork,
  ) {
    this.globals = ctx.globals
  }

  render(text: string, { parts }: ContentRecord, { state, record }: ToolSource): Promise<string> {
    const way = [disk.resolve(state.dir, record.file)]
    const scope: Scope = { entry: state.dir, file: record.file, way, locals: { ...this.ctx.locals } }
    return renderContent<Scope>(
      { text, parts, place: scope },
      {
        run: (directive, inner, at) => this.run(directive, inner, at),
        inside: (at, locals) => ({ ...at, locals: { ...at.locals, ...locals } }),
        fill: (range, at) => this.fill(range, at),
      },
    )
  }

  private fill(range: string, scope: Scope): string {
    const { isFilled, host } = this.filling
    const own = (text: string): string => (isFilled ? asText(interpolate(text, this.roots(scope))) : text)
    return host ? host.fill(range, own) : own(range)
  }

  private async run(
    directive: DirectivePart,
    inner: Inner,
    scope: Scope,
  ): Promise<string | Rendering<Scope>> {
    if (directive.text !== undefined) return directive.text
    if (directive.content) {
      const { text, parts, file, problem } = directive.content
      if (problem) throw this.failed(directive, scope, includedInvalid(file, scope.file, problem))
      return { text, parts, place: this.scopeOf(scope.entry, file, scope) }
    }
    const { name, arg, attributes = {} } = directive
    const tool = this.known.get(name) ?? (await findDirective(name, this.tool, this.globals))
    // The index is wrong.
    if (!tool) throw this.failed(directive, scope, directiveFailed(name, 'there is no such directive'))
    const filled = hasExpression(directive) ? this.ctx : undefined
    const source = directiveSource(scope.entry, scope.file, this.globals, this.work, filled)
    try {
      const roots = this.roots(scope)
      const call: DirectiveCall = {
        arg: arg === undefined ? undefined : asText(interpolate(arg, roots)),
        attributes: Object.fromEntries(
          Object.entries(attributes).map(([key, value]) => [key, asText(interpolate(value, roots))]),
        ),
        ...inner,
        source,
      }
      return await this.replacement(await this.call(tool, call, scope), scope, source)
    } catch (error) {
      throw this.failed(directive, scope, error)
    }
  }

  /** Runs a directive. A static one gets no context, as at build time. */
  private async call(tool: ToolDef, call: DirectiveCall, scope: Scope): Promise<unknown> {
    if (tool.frontmatter.metadata.permissions) (await policies()).limitPart(tool, this.ctx)
    if (tool.frontmatter.metadata.static === true) {
      await expectDelegate(tool, call, this.ctx)
      return inTime(tool, call, this.ctx)
    }
    const ctx = new RunContext(this.globals, tool, invokeFor, this.ctx.caller, undefined, this.ctx)
    // A directive often adds an argument's value, which must not set the configuration.
    Object.assign(ctx.locals, scope.locals, { config: this.ctx.locals.config })
    const chain = await chainOf(tool, this.globals)
    if (tool.frontmatter.params)
      await checkArguments(tool, chain, { arg: call.arg, attributes: call.attributes }, ctx)
    throwIfAborted(ctx)
    return chain.steps.length === 0 ? tool.fn(ctx, call) : runChain(ctx, chain, () => tool.fn(ctx, call))
  }

  /** A directive's result as text, or as content with directives of its own. */
  private async replacement(
    result: unknown,
    scope: Scope,
    { file: from }: DirectiveSource,
  ): Promise<string | Rendering<Scope>> {
    if (!isDirectiveContent(result)) return asText(result)
    const { content: text, file, entry = scope.entry } = result
    const inner = this.scopeOf(entry, file, scope)
    const known = await knownAmong(directiveNames(text), this.tool, this.globals)
    for (const [name, tool] of known) this.known.set(name, tool)
    if (known.size === 0) return { text, parts: [[0, text.length]], place: inner }
    this.work.include()
    const parser = await loadParser(this.globals)
    if (!parser) throw contentNotCompiled(file)
    const { parts, problem } = await parser.parseContent(text, allForms(known), this.work)
    if (problem) throw this.work.isSpent ? takesTooLong() : includedInvalid(file, from, problem)
    return { text, parts, place: inner }
  }

  /** The scope of a file whose content replaces a directive. */
  private scopeOf(entry: string, file: string, { way, locals }: Scope): Scope {
    const path = disk.resolve(entry, file)
    if (way.includes(path)) {
      const shown = [...way, path].map(one => disk.inside(entry, one) ?? one)
      throw contentCycle(shown)
    }
    return { entry, file, way: [...way, path], locals }
  }

  private roots({ locals }: Scope): InterpolationRoots {
    return Object.defineProperty(interpolationRoots(this.ctx), 'locals', { value: locals })
  }

  /** Adds the directive's position to an error. Errors that end the whole call stay as they are. */
  private failed(
    { name, at: [line, column] }: DirectivePart,
    { entry, file }: Scope,
    error: unknown,
  ): unknown {
    const known = isAgentAppsError(error) ? error : directiveFailed(name, error)
    if (known.file !== undefined || !LOCATED.has(known.code)) return known
    return new AgentAppsError(
      known.code,
      `The content of "${this.tool.name}" cannot be rendered: ${file}:${line}:${column}: ${known.message}`,
      {
        hint: known.hint,
        tool: this.tool.name,
        file: disk.resolve(entry, file),
        position: { line, column },
        cause: known.cause ?? error,
      },
    )
  }
}

/** Runs a static directive within a time limit, as the compiler does. Only waiting can be interrupted. */
async function inTime({ name, fn, load }: ToolDef, call: DirectiveCall, ctx: RunContext): Promise<unknown> {
  // Bundling its code does not count towards its time limit.
  await load?.()
  throwIfAborted(ctx)
  const result = Promise.resolve(fn(undefined, call))
  return withinTime(result, DIRECTIVE_TIME_LIMIT, () => Promise.reject(directiveHangs(name)))
}

const LOCATED: ReadonlySet<string> = new Set([
  'DIRECTIVE_FAILED',
  'CONTENT_CYCLE',
  'CONTENT_INVALID',
  'CONTENT_NOT_COMPILED',
  'ARGS_INVALID',
  'PATH_INVALID',
])

function contentInvalid(
  { name, origin }: ToolDef,
  { message, hint, line, column }: NonNullable<ContentRecord['problem']>,
): AgentAppsError {
  const file = disk.resolve(origin.entry, origin.file)
  return new AgentAppsError(
    'CONTENT_INVALID',
    `The content of "${name}" cannot be rendered: ${origin.file}:${line}:${column}: ${message}`,
    { hint, tool: name, file, position: { line, column } },
  )
}

function includedInvalid(
  file: string,
  from: string,
  { message, hint, line, column }: ContentProblem,
): AgentAppsError {
  return new AgentAppsError(
    'CONTENT_INVALID',
    `in ${file}:${line}:${column}, which ${from} includes, ${message}`,
    { hint },
  )
}
