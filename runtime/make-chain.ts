import type { HookTrigger } from '../src/cascade-types.js'
import type { ChainRecord } from '../src/index-format.js'
import { isJsonObject } from '../src/json.js'
import { type Chain, type ChainStep, EMPTY_CHAIN, type Schemas } from './chain.js'
import type { ToolDef } from './tool-def.js'

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
  { body, schemas }: Pick<Chain, 'body' | 'schemas'> = {},
): Chain {
  if (steps.length === 0 && !body && !schemas) return EMPTY_CHAIN
  const hooked = (trigger: HookTrigger) => steps.filter(({ hook }) => hook?.includes(trigger))
  return Object.freeze({
    steps,
    entries: steps.filter(({ hook }) => hook === undefined),
    nextHooks: hooked('$next'),
    invokeHooks: hooked('$invoke'),
    ...(body && { body }),
    ...(schemas && { schemas }),
  })
}

/** The schemas of a tool that are not its own, among what its metadata comes to. */
export function inheritedSchemas(
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
