import { realpathSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { type Explanation, pluginOf, type Runtime, type ToolDef } from 'agent-apps'
import { type CheckResult, check, fromMessage, graph, type ReferenceGraph } from 'agent-apps/compiler'
import { orNull } from '../../src/base/attempt.js'
import { isAgentAppsError } from '../../src/base/error.js'
import { entryOf } from '../../src/catalog/catalog.js'
import { entryAsXml } from '../../src/catalog/catalog-formats.js'
import { estimateTokens } from '../../src/catalog/estimate-tokens.js'
import { isOffered, isThere } from '../../src/catalog/offered-tool.js'
import { readGuards } from '../../src/policy/guards.js'
import { type Invocation, projectOptions } from '../command.js'
import { readCaseFile } from '../eval/read-case-file.js'
import { fromCwd } from '../from-here.js'
import { fileOf, isOutsideLibrary } from '../open-runtime.js'
import { packageVersion } from '../package-version.js'
import { compareWithBaseline } from '../report/baseline.js'
import { collectAsk } from './collect-ask.js'
import { collectPolicy } from './collect-policy.js'
import { collectPrompt } from './collect-prompt.js'
import { builtFile, type PageBlocks } from './encode-page.js'
import { openProject } from './open-project.js'
import {
  DETAILS_PER_BLOCK,
  detailsBlock,
  type PageEdge,
  type PageGraph,
  type PageNode,
  type PageProblems,
  type PageRows,
  type SkillDetails,
  type SkillRow,
} from './page-data.js'

/** Collects all data of the page. Reads files, and runs no code of a skill. */
export async function collectPage(invocation: Invocation): Promise<PageBlocks> {
  const project = projectOptions(invocation)
  const { options, cwd } = invocation
  const checked = await check(project)
  const { runtime, forAgents, config } = await openProject(invocation)
  const hasContent = options['no-content'] !== true
  // In a turn, the files are compared with the index once.
  return runtime.turn(async () => {
    const listed = await runtime.listTools()
    const tools = (options.library === true ? listed : listed.filter(isOutsideLibrary)).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    )
    const problems = problemsOf(checked, invocation)
    const others = checked.files.filter(({ outcome }) => outcome === 'skipped').map(({ file }) => file)
    const counts = countsByFile(problems)
    const rows = [
      ...tools.map(tool => rowOf(tool, counts, cwd)),
      ...others.map(file => rowWithoutTool(file, counts)),
    ]
    const blocks = new Map<string, Uint8Array | object>()
    blocks.set('rows', {
      version: packageVersion(),
      directories: checked.directories,
      hasContent,
      rows,
      problems: tally(problems.problems),
    } satisfies PageRows)
    blocks.set('problems', problems)
    const known = await runtime.forAgent().listTools()
    const shown = new Set(tools)
    const shownToAgents = known.filter(tool => shown.has(tool))
    blocks.set('prompt', await collectPrompt(shownToAgents, hasContent, cwd))
    const { ask, terms } = await collectAsk(listed, known, runtime, cwd)
    blocks.set('ask', ask)
    blocks.set('terms', terms)
    const details: SkillDetails[] = []
    for (const tool of tools) details.push(await detailsOf(tool, runtime, hasContent, cwd))
    blocks.set('graph', graphOf(await graph(project), tools, details))
    const roots = checked.directories.map(directory => resolve(cwd, directory))
    for (const file of others)
      details.push(detailsWithoutTool(hasContent ? sourceOf(resolve(cwd, file), roots) : null))
    for (let row = 0; row < details.length; row += DETAILS_PER_BLOCK)
      blocks.set(detailsBlock(row), details.slice(row, row + DETAILS_PER_BLOCK))
    blocks.set('policy', await forAgents.turn(() => collectPolicy(tools, config, forAgents, cwd)))
    blocks.set('licences', new TextEncoder().encode(builtFile('licences.txt')))
    return blocks
  })
}

type Counts = ReadonlyMap<string, Pick<SkillRow, 'errors' | 'warnings' | 'infos'>>

const NO_COUNTS = { errors: 0, warnings: 0, infos: 0 }

function rowOf(tool: ToolDef, counts: Counts, cwd: string): SkillRow {
  const { name, kind, frontmatter, origin } = tool
  const { description = '', role = null, tags, metadata } = frontmatter
  const { required, optional } = readGuards(metadata)
  const file = fromCwd(fileOf(origin), cwd)
  return {
    ...{ name, kind, role, tags, description, file },
    layer: origin.layer,
    plugin: pluginOf(tool)?.name ?? null,
    hidden: !isThere(tool),
    tokens: isOffered(tool) ? estimateTokens(entryAsXml(entryOf(tool, false))) : 0,
    required: [...required],
    optional: [...optional],
    ...(counts.get(file) ?? NO_COUNTS),
    shadows: origin.shadows.length,
  }
}

/** The row of a file without a tool, by the name that such a skill usually has. */
function rowWithoutTool(file: string, counts: Counts): SkillRow {
  const isFolder = basename(file) === 'SKILL.md'
  const found = counts.get(file) ?? NO_COUNTS
  return {
    name: isFolder ? basename(dirname(file)) : basename(file),
    kind: found.errors + found.warnings > 0 ? 'broken' : 'skipped',
    ...{ role: null, layer: 'project', plugin: null, file, description: '', tags: [] },
    ...{ hidden: false, tokens: 0, required: [], optional: [], shadows: 0 },
    ...found,
  }
}

function problemsOf({ diagnostics }: CheckResult, { options, cwd }: Invocation): PageProblems {
  const { baseline } = options
  const comparison =
    typeof baseline === 'string' ? compareWithBaseline(baseline, diagnostics, cwd, 'check') : null
  const fresh = new Set(comparison?.fresh ?? diagnostics)
  const problems = diagnostics.map(message => {
    const { file, line, column, rule, severity, reason, note, fatal = false } = fromMessage(message)
    return { file, line, column, rule, severity, reason, note, fatal, known: !fresh.has(message) }
  })
  return { problems, baseline: comparison && { known: comparison.known, gone: comparison.gone } }
}

function tally(problems: PageProblems['problems']): PageRows['problems'] {
  const counts = { error: 0, warning: 0, info: 0 }
  for (const { severity } of problems) counts[severity]++
  return counts
}

function countsByFile({ problems }: PageProblems): Counts {
  const counts = new Map<string, { errors: number; warnings: number; infos: number }>()
  for (const { file, severity } of problems) {
    const own = counts.get(file) ?? { ...NO_COUNTS }
    own[`${severity}s`]++
    counts.set(file, own)
  }
  return counts
}

async function detailsOf(
  tool: ToolDef,
  runtime: Runtime,
  hasContent: boolean,
  cwd: string,
): Promise<SkillDetails> {
  const { frontmatter, origin } = tool
  const source = hasContent ? await textOf(tool) : null
  const content = source === null ? null : await contentIn(source, tool)
  const { resources } = await runtime.describe(tool.name)
  return {
    ...{ source, content },
    params: frontmatter.params ?? null,
    returns: frontmatter.returns ?? null,
    resources: resources.map(({ path, size }) => ({ path, size })),
    shadows: origin.shadows.map(shadow => ({ layer: shadow.layer, file: fromCwd(fileOf(shadow), cwd) })),
    ...(await explained(tool, runtime, cwd)),
  }
}

async function textOf({ source }: ToolDef): Promise<string | null> {
  if (!source) return null
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await source())
  } catch (error) {
    if (isAgentAppsError(error)) return null
    throw error
  }
}

async function contentIn(source: string, { content }: ToolDef): Promise<SkillDetails['content']> {
  const text = await content?.().catch(() => undefined)
  if (text === undefined) return null
  const start = source.lastIndexOf(text)
  return start === -1 ? [0, source.length] : [start, start + text.length]
}

type Explained = Pick<SkillDetails, 'cascade' | 'chain' | 'peers' | 'faults'>

/** A tool that cannot be explained has the reason among its faults. */
async function explained({ name }: ToolDef, runtime: Runtime, cwd: string): Promise<Explained> {
  try {
    return explainedAs(await runtime.explain(name), cwd)
  } catch (error) {
    if (!isAgentAppsError(error)) throw error
    return { cascade: [], chain: [], peers: [], faults: [{ message: error.message, hint: error.hint }] }
  }
}

function explainedAs({ metadata, chain, peers, problems }: Explanation, cwd: string): Explained {
  const placed = <Origin extends { file: string | null }>(origin: Origin): Origin => ({
    ...origin,
    file: origin.file && fromCwd(origin.file, cwd),
  })
  return {
    cascade: Object.entries(metadata).map(([key, { overrides, ...origin }]) => ({
      key,
      ...placed(origin),
      overrides: overrides.map(placed),
    })),
    chain: chain.map(({ name, mode, args, hook = [], problem = null }) => ({
      ...{ name, mode, args, hook, problem },
      ...{ file: null, line: null },
    })),
    peers,
    faults: problems,
  }
}

function detailsWithoutTool(source: string | null): SkillDetails {
  return {
    source,
    content: null,
    ...{
      params: null,
      returns: null,
      resources: [],
      shadows: [],
      cascade: [],
      chain: [],
      peers: [],
      faults: [],
    },
  }
}

/** The text of a file that does not load; null for anything but a file inside of the directories that were searched. */
function sourceOf(file: string, roots: readonly string[]): string | null {
  const real = roots.flatMap(root => orNull(() => realpathSync.native(root)) ?? [])
  return orNull(() => readCaseFile(file, real))
}

/** The graph of references, and the middleware and the peers of each tool. */
function graphOf(
  { nodes, edges, cycles }: ReferenceGraph,
  tools: readonly ToolDef[],
  details: readonly SkillDetails[],
): PageGraph {
  const shown = nodes.map(({ id, name, kind, role, file }): PageNode => ({ id, name, kind, role, file }))
  const numbers = new Map(shown.map(({ id }, number) => [id, number]))
  const numberOf = (id: string): number => {
    const known = numbers.get(id)
    if (known !== undefined) return known
    // A tool of the library, which the project's own graph lacks.
    numbers.set(id, shown.length)
    return shown.push({ id, name: id, kind: 'code', role: null, file: null }) - 1
  }
  const references = edges.map(({ from, to, kind, line }) => ({
    ...{ from: numberOf(from), to: numberOf(to), kind, line },
  }))
  const around = tools.flatMap(({ name }, at) => {
    const { chain = [], peers = [] } = details[at] ?? {}
    const edgeTo = (to: string, kind: string): PageEdge => ({
      from: numberOf(name),
      to: numberOf(to),
      kind,
      line: 1,
    })
    return [...new Set(chain.map(step => step.name))]
      .map(step => edgeTo(step, 'middleware'))
      .concat(peers.map(peer => edgeTo(peer, 'peer')))
  })
  return {
    nodes: shown,
    edges: [...references, ...around],
    cycles: cycles.map(ids => ids.map(numberOf)),
  }
}
