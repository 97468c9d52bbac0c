import { isLibrary, isThere, matchedTool } from '../../src/catalog/offered-tool.js'
import { RuleIndex } from '../../src/patterns/rule-index.js'
import { type AgentCall, type Limits, type RuleList, rulesFor } from '../../src/policy/limits.js'
import { namespaceOf } from '../../src/skill/names.js'
import { authorityOf, mainFolder, rootMain } from '../find/find-authority.js'
import { resolveGiven, resolveWithin } from '../find/require-tool.js'
import { type Awaitable, isThenable } from '../host/later.js'
import type { Globals } from '../state/context.js'
import { isOwn, reachesOut } from '../state/directory-state.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { type AgentLimits, type Listed, listIn } from './agent-limits.js'
import { guardsOf, isEnabled } from './guards-of.js'

export function agentCall(tool: ToolDef, args: unknown, globals: Globals): AgentCall {
  const call = anyCall(tool, globals)
  const { required, optional } = call.guards
  const does = [...required, ...optional]
  const mayExecute = call.isRemote || does.length === 0 || does.includes('execute')
  return { ...call, isAny: false, src: tool.src, args, mayExecute }
}

/** Any call of a tool, whatever its arguments are. */
export function anyCall(tool: ToolDef, globals: Globals): AgentCall {
  // A list makes ten thousand of these, and an `origin` only for the few that need one.
  const isInDirectory = sourceOf(tool) !== undefined
  return {
    name: tool.name,
    tags: tool.frontmatter.tags,
    src: isInDirectory ? null : (matchedTool(tool).src ?? null),
    isLibrary: isLibrary(tool),
    args: undefined,
    isAny: true,
    isThere: isThere(tool) && isEnabled(tool, globals),
    guards: guardsOf(tool),
    // The text of a remote path entry is opened without being asked about; what a server does is not.
    isRemote: !isInDirectory && !tool.published && tool.origin.layer === 'remote',
  }
}

/** The limits of a tool's calls. */
export interface ToolLimits extends Limits {
  /** False if no list has a rule: tools that declare nothing that decides then all have one answer. */
  hasRules: boolean
}

/** Limits whose lists have namespaces. */
interface ListedLimits extends ToolLimits {
  allowedTools: readonly Listed[]
  allow: readonly Listed[]
  preApproved: readonly Listed[]
  rules: readonly { lists: readonly Listed[]; mayAllow: boolean }[]
  /** Those of the lists that are not empty, which may depend on the tool that a bare name leads to. */
  filled: readonly Listed[]
}

/** Computes the limits for one tool after another. */
export class CallLimits {
  readonly #agent: AgentLimits
  /** The main skill of each folder, which many tools share. */
  readonly #authorities = new Map<string, Awaitable<ToolDef | null>>()
  /** The limits under each main skill. */
  readonly #limits = new Map<ToolDef | null, ListedLimits>()
  #projectMain: Awaitable<ToolDef | null> | undefined

  /** @param areMany true if there are many tools, whose files do not change meanwhile: rules are then indexed */
  constructor(
    agent: AgentLimits,
    readonly globals: Globals,
    readonly areMany = false,
  ) {
    // What a bare name means may have to be fetched, so it is asked only for tools that a rule names.
    this.#agent = areMany || globals.remote ? withIndexes(agent, globals.remote ? 1 : INDEXED_MIN) : agent
  }

  /** The limits of a tool's calls. Each list is marked with whether it means the tool by its bare name. */
  of(tool: ToolDef): Awaitable<ToolLimits> {
    const project = this.#project()
    const nearest = this.#authority(tool)
    // Most of thousands wait for nothing.
    if (isThenable(project) || isThenable(nearest))
      return Promise.all([project, nearest]).then(([found, above]) => this.#limitsUnder(found, above, tool))
    return this.#limitsUnder(project, nearest, tool)
  }

  #limitsUnder(project: ToolDef | null, nearest: ToolDef | null, tool: ToolDef): Awaitable<ToolLimits> {
    const limits = this.#limits.get(nearest) ?? this.#under(project, nearest)
    this.#limits.set(nearest, limits)
    return this.#meant(limits, tool)
  }

  /** Adds the `trust.rules` of the project's main skill, which may allow if the host chose it, and of the tool's. */
  #under(project: ToolDef | null, nearest: ToolDef | null): ListedLimits {
    const { hostRules, callerRules, ...limits } = this.#agent
    const home = project && sourceOf(project)?.state
    const isChosen = !home || reachesOut(home, this.globals)
    const rules = [
      { lists: hostRules, mayAllow: true },
      { lists: rulesOf(project), mayAllow: isChosen },
      { lists: nearest === project ? [] : rulesOf(nearest), mayAllow: false },
      { lists: callerRules, mayAllow: false },
    ]
    const { allowedTools, allow, preApproved } = limits
    const all = [allowedTools, allow, preApproved, ...rules.map(({ lists }) => lists)].flat()
    const filled = all.filter(list => list.rules.length > 0)
    const hasRules = filled.length > 0 || limits.deny.some(list => list.rules.length > 0)
    return { ...limits, rules, filled, hasRules }
  }

  #project(): Awaitable<ToolDef | null> {
    if (this.#projectMain !== undefined) return this.#projectMain
    const found = rootMain(isOwn, this.globals).then(main => {
      this.#projectMain = main?.tool ?? null
      return this.#projectMain
    })
    this.#projectMain = found
    return found
  }

  #authority(tool: ToolDef): Awaitable<ToolDef | null> {
    const within = this.areMany ? mainFolder(tool, this.globals) : tool.origin.file.replace(/[^/]*$/, '')
    if (within === null) return null
    const { entry } = tool.origin
    const folder = `${entry}\0${namespaceOf(tool.name)}\0${within}`
    const known = this.#authorities.get(folder)
    if (known !== undefined) return known
    const found = authorityOf(tool, this.globals).then(main => {
      this.#authorities.set(folder, main?.tool ?? null)
      return main?.tool ?? null
    })
    this.#authorities.set(folder, found)
    return found
  }

  #meant(limits: ListedLimits, tool: ToolDef): Awaitable<ToolLimits> {
    const mustAsk = limits.filled.some(list => asksMeaning(list, tool))
    return mustAsk ? this.#withMeanings(limits, tool) : limits
  }

  async #withMeanings(limits: ListedLimits, tool: ToolDef): Promise<ToolLimits> {
    const meanings = new Map<string, boolean>()
    const meant = async (lists: readonly Listed[]): Promise<RuleList[]> => {
      const all: RuleList[] = []
      for (const list of lists) {
        const { namespace } = list
        if (asksMeaning(list, tool)) {
          const isHosts = list.skill === undefined
          const key = `${isHosts} ${namespace}`
          const isMeant = meanings.get(key) ?? (await this.#isMeant(tool, namespace, isHosts))
          meanings.set(key, isMeant)
          all.push({ ...list, isMeant })
        } else all.push(list)
      }
      return all
    }
    const rules: Limits['rules'][number][] = []
    for (const { lists, mayAllow } of limits.rules) rules.push({ lists: await meant(lists), mayAllow })
    return {
      ...limits,
      allowedTools: await meant(limits.allowedTools),
      allow: await meant(limits.allow),
      preApproved: await meant(limits.preApproved),
      rules,
    }
  }

  /** True if a tool's bare name leads to it. That in a skill never leads to a remote skill. */
  async #isMeant({ label, name }: ToolDef, namespace: string, isHosts: boolean): Promise<boolean> {
    const found = isHosts
      ? await resolveGiven(label, this.globals, namespace)
      : await resolveWithin(namespace, label, this.globals)
    return found?.tool?.name === name
  }
}

/** True if the list's answer depends on the tool that its bare name leads to. */
function asksMeaning(list: Listed, tool: ToolDef): boolean {
  const { rules, index, namespace } = list
  if (rules.length === 0 || (namespace === '' && tool.label === tool.name)) return false
  if (!index) return true
  const named = rulesFor(list, matchedTool(tool))
  return named.some(({ selects, isQualified }) => selects === 'name' && !isQualified)
}

/** Shorter lists are searched linearly. */
const INDEXED_MIN = 4

function withIndexes(agent: AgentLimits, min: number): AgentLimits {
  const all = (lists: readonly Listed[]): readonly Listed[] =>
    lists.map(list => (list.rules.length < min ? list : { ...list, index: new RuleIndex(list.rules) }))
  const { allowedTools, allow, deny, hostRules, callerRules } = agent
  return {
    ...agent,
    ...{ allowedTools: all(allowedTools), allow: all(allow), deny: all(deny) },
    ...{ hostRules: all(hostRules), callerRules: all(callerRules) },
  }
}

function rulesOf(main: ToolDef | null): Listed[] {
  if (!main) return []
  const { rules } = guardsOf(main)
  return rules.length === 0 ? [] : [listIn(main, rules)]
}
