import { byCodePoint } from '../../src/base/code-point-order.js'
import { isJsonObject } from '../../src/base/json.js'
import type { ChainRecord } from '../../src/index/index-format.js'
import { HOOK_TRIGGERS, type HookTrigger, isMetaKey } from '../../src/skill/metadata-keys.js'
import { type Chain, type ChainStep, EMPTY_CHAIN, type KnownCascade, type Schemas } from '../state/chain.js'
import type { ToolDef } from '../state/tool-def.js'

/** A middleware of a cascade, as it was compiled or resolved now, with the tool that it is. */
export function makeStep(
  {
    name,
    args,
    static: isStatic = false,
    hook,
  }: Pick<ChainRecord, 'name' | 'args' | 'hook'> & { static?: boolean },
  def: ToolDef,
): ChainStep {
  const isVolatile = JSON.stringify(args)?.includes('${') === true
  return { name, def, args, static: isStatic, ...(hook && { hook }), ...(isVolatile && { isVolatile }) }
}

/** Sorts steps by where they run. */
export function makeChain(
  steps: readonly ChainStep[],
  inherited: Pick<Chain, 'body' | 'schemas' | 'interpolate'> = {},
): Chain {
  if (steps.length === 0 && Object.keys(inherited).length === 0) return EMPTY_CHAIN
  const hooked = (trigger: HookTrigger) => steps.filter(({ hook }) => hook?.includes(trigger))
  return Object.freeze({
    steps,
    entries: steps.filter(({ hook }) => hook === undefined),
    nextHooks: hooked('$next'),
    invokeHooks: hooked('$invoke'),
    ...inherited,
  })
}

/** The parts of a chain besides middleware that a tool's effective metadata gives it. */
export function inheritedParts(
  tool: ToolDef,
  body: ToolDef | undefined,
  effective: (key: 'params' | 'returns' | 'interpolate') => unknown,
): Pick<Chain, 'body' | 'schemas' | 'interpolate'> {
  const schemas = inheritedSchemas(tool, effective)
  const isFilled = effective('interpolate') === true && !('interpolate' in tool.frontmatter.metadata)
  return {
    ...(body && { body }),
    ...(schemas && { schemas }),
    ...(isFilled && { interpolate: true }),
  }
}

/** The schemas of a tool that are not its own. */
function inheritedSchemas(
  { frontmatter }: ToolDef,
  effective: (key: 'params' | 'returns') => unknown,
): Schemas | undefined {
  const schemas: Schemas = {}
  for (const key of ['params', 'returns'] as const) {
    const schema = frontmatter[key] ? undefined : effective(key)
    if (isJsonObject(schema)) schemas[key] = schema
  }
  return Object.keys(schemas).length > 0 ? schemas : undefined
}

/** A cascade as it was resolved, from an index or from files. */
interface CascadeParts {
  chain?: Chain
  /** All keys of its effective metadata. */
  keys?: readonly string[]
  deps?: readonly string[]
  sources?: readonly ToolDef[]
}

/** A tool's cascade as it is kept; without parts that of a tool with nothing around it. */
export function knownCascade(
  tool: ToolDef,
  { chain = EMPTY_CHAIN, keys = [], deps = [], sources = [] }: CascadeParts = {},
): KnownCascade {
  const { $hook = [], $self } = tool.frontmatter.metadata
  const written = [$hook].flat()
  return {
    tool,
    middleware: new Map(chain.steps.map(({ name, args }) => [name, args])),
    order: chain.steps.map(({ name }) => name),
    hook: HOOK_TRIGGERS.filter(trigger => written.includes(trigger)),
    toolKeys: keys.filter(key => !isMetaKey(key)).sort(byCodePoint),
    ...(isJsonObject($self) && { selfDefaults: $self }),
    resolvedChain: chain,
    deps,
    sources,
  }
}
