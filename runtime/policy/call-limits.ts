import { isThere, matchedTool } from '../../src/catalog/offered-tool.js'
import type { AgentCall, Limits, RuleGroup, Written } from '../../src/policy/limits.js'
import { namespaceOf } from '../../src/skill/names.js'
import { authorityOf, rootMain } from '../find/find-authority.js'
import { resolveWithin } from '../find/resolve-within.js'
import type { Globals } from '../state/context.js'
import { isOwn, reachesOut } from '../state/directory-state.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import type { AgentLimits, Listed } from './agent-limits.js'
import { guardsOf } from './guards-of.js'

/** An agent's call of a tool as it is decided about. */
export function agentCall(tool: ToolDef, args: unknown, key?: string): AgentCall {
  const known = { ...matchedTool(tool), args, isThere: isThere(tool), guards: guardsOf(tool) }
  return key === undefined ? known : { ...known, key }
}

/** What limits the calls of one tool after another, from one place. */
export class CallLimits {
  /** The main skill of each folder, which many tools share. */
  readonly #authorities = new Map<string, Promise<ToolDef | null>>()
  #projectMain: Promise<ToolDef | null> | undefined

  constructor(
    readonly agent: AgentLimits,
    readonly globals: Globals,
  ) {}

  /** The limits of the calls of a tool, with whether each list means it by its name. */
  async of(tool: ToolDef): Promise<Limits> {
    const { allowedTools, allow, deny, permissions, hostRules, callerRules, guard, skipsApproval } =
      this.agent
    const groups = [
      { lists: hostRules, mayAllow: true },
      ...(await this.#mainRules(tool)),
      { lists: callerRules, mayAllow: false },
    ]
    const rules: RuleGroup[] = []
    for (const { lists, mayAllow } of groups) rules.push({ lists: await this.#meant(lists, tool), mayAllow })
    return {
      allowedTools: await this.#meant(allowedTools, tool),
      allow: await this.#meant(allow, tool),
      deny,
      permissions,
      rules,
      guard,
      skipsApproval,
    }
  }

  /** The `trust.rules` of the project's main skill, which allow where the host chose it, and of the tool's. */
  async #mainRules(tool: ToolDef): Promise<{ lists: Listed[]; mayAllow: boolean }[]> {
    this.#projectMain ??= rootMain(isOwn, this.globals).then(main => main?.tool ?? null)
    const project = await this.#projectMain
    const nearest = await this.#authority(tool)
    const home = project && sourceOf(project)?.state
    const isChosen = !home || reachesOut(home, this.globals)
    return [
      { lists: rulesOf(project), mayAllow: isChosen },
      { lists: nearest === project ? [] : rulesOf(nearest), mayAllow: false },
    ]
  }

  #authority(tool: ToolDef): Promise<ToolDef | null> {
    const { entry, file } = tool.origin
    const folder = [entry, namespaceOf(tool.name), ...file.split('/').slice(0, -1)].join('\0')
    const known = this.#authorities.get(folder)
    if (known) return known
    const found = authorityOf(tool, this.globals).then(main => main?.tool ?? null)
    this.#authorities.set(folder, found)
    return found
  }

  async #meant(lists: readonly Listed[], tool: ToolDef): Promise<readonly Written[]> {
    const meant: Written[] = []
    for (const list of lists) {
      if (list.rules.length === 0 || (list.namespace === '' && tool.label === tool.name)) meant.push(list)
      else {
        const found = await resolveWithin(list.namespace, tool.label, this.globals)
        meant.push({ ...list, isMeant: found?.tool?.name === tool.name })
      }
    }
    return meant
  }
}

function rulesOf(main: ToolDef | null): Listed[] {
  if (!main) return []
  const { rules } = guardsOf(main)
  const { name } = main
  return rules.length === 0
    ? []
    : [{ by: `"${name}"`, namespace: namespaceOf(name), rules: [...rules], skill: name }]
}
