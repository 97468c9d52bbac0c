import { byCodePoint } from '../../src/base/code-point-order.js'
import { isJsonObject } from '../../src/base/json.js'
import { HOOK_TRIGGERS, isMetaKey } from '../../src/skill/metadata-keys.js'
import { type Chain, EMPTY_CHAIN, type KnownCascade } from '../state/chain.js'
import type { ToolDef } from '../state/tool-def.js'

/** A cascade as it was resolved, from an index or from files. */
export interface CascadeParts {
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
