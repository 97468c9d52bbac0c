/**
 * The data of the page that `agent-apps explore` writes: what the command collects and the page shows. The code of the page
 * imports this file, so that both mean the same.
 *
 * The data is split into blocks, which the page unpacks when a view needs them. Each is compressed with raw deflate.
 *
 *     rows      `PageRows`: a row for each skill, and what the frame of the page shows
 *     graph     `PageGraph`
 *     problems  `PageProblems`
 *     prompt    `PagePrompt`
 *     ask       `PageAsk`
 *     terms     a search file (`src/search/search-file.ts`), whose rows are those of `PageAsk`; its digests are zeros
 *     policy    `PagePolicy`
 *     licences  text: the licences of the packages in the page's code
 *     texts-N   `SkillDetails[]` of the rows from N × `DETAILS_PER_BLOCK`
 *
 * All but the terms and the licences are JSON. Paths are relative to the project, and nothing tells of a time, a machine or a
 * user: the same project gives the same bytes.
 */
import type { JsonObject, JsonValue } from '../../src/base/json.js'
import type { Permission } from '../../src/base/permissions.js'
import type { ToolFrontmatter } from '../../src/skill/frontmatter.js'

export const DETAILS_PER_BLOCK = 100

/** The name of the block that has the details of a row. */
export function detailsBlock(row: number): string {
  return `texts-${Math.floor(row / DETAILS_PER_BLOCK)}`
}

export interface PageRows {
  /** The version of the package that wrote the page. */
  version: string
  /** The directories that were searched. */
  directories: string[]
  /** False where the texts of skills were left out. */
  hasContent: boolean
  /** The tools that resolve in ascending order of name, then the files that do not load or are left out. */
  rows: SkillRow[]
  problems: { error: number; warning: number; info: number }
}

/** A skill as the table shows it. */
export interface SkillRow {
  /** Its name; of a file without a tool, the name that it would have. */
  name: string
  /** `broken`: a file that does not load. `skipped`: one that is left out, as in a folder whose name begins with a dot. */
  kind: 'folder' | 'file' | 'code' | 'broken' | 'skipped'
  role: string | null
  layer: string
  plugin: string | null
  file: string
  description: string
  tags: string[]
  /** True if agents do not see it: hidden, disabled, a middleware or a main skill. */
  hidden: boolean
  /** The tokens that it takes in a catalog; 0 if models do not see it there. */
  tokens: number
  required: Permission[]
  optional: Permission[]
  /** How many diagnostics its file has. */
  errors: number
  warnings: number
  infos: number
  /** How many tools of its name it hides. */
  shadows: number
}

/** The data of a skill's own page. */
export interface SkillDetails {
  /** The text of its file; null where it was left out, or cannot be read. */
  source: string | null
  /** The range of the content in `source`; null for code, and without a source. */
  content: [start: number, end: number] | null
  params: JsonObject | null
  returns: JsonObject | null
  resources: { path: string; size: number }[]
  shadows: { layer: string; file: string }[]
  cascade: CascadeKey[]
  chain: ChainStep[]
  /** The tools that use it as middleware and are used by it. */
  peers: string[]
  /** The faults of its metadata: as long as there is one, the tool is not run. */
  faults: { message: string; hint: string }[]
}

/** A key of effective metadata. */
export interface CascadeKey extends CascadeValue {
  key: string
  /** The values of weaker layers, strongest first. */
  overrides: CascadeValue[]
}

export interface CascadeValue {
  value: JsonValue
  layer: string
  /** The tool that wrote it. */
  tool: string
  file: string | null
  line: number | null
}

/** A middleware around a skill, outermost first. */
export interface ChainStep {
  name: string
  mode: 'static' | 'dynamic'
  args: JsonValue
  hook: string[]
  problem: { message: string; hint: string } | null
  file: string | null
  line: number | null
}

export interface PageGraph {
  nodes: PageNode[]
  edges: PageEdge[]
  /** The nodes of each cycle, as numbers. */
  cycles: number[][]
}

export interface PageNode {
  id: string
  name: string
  /** As `graph` has it: a kind of tool, `resource`, `missing` or `unknown`. */
  kind: string
  role: string | null
  file: string | null
}

export interface PageEdge {
  /** Numbers of nodes. */
  from: number
  to: number
  /** As `graph` has it, `middleware` or `peer`. */
  kind: string
  line: number
}

export interface PageProblems {
  problems: Problem[]
  /** The comparison with a baseline; null without one. */
  baseline: { known: number; gone: { rule: string; file: string; reason: string }[] } | null
}

export interface Problem {
  file: string
  line: number
  column: number
  rule: string
  severity: 'error' | 'warning' | 'info'
  reason: string
  note: string
  /** True if the skill does not load. */
  fatal: boolean
  /** True if the baseline accepts it. */
  known: boolean
}

/** The tools that a model is shown, from which the page makes the catalog with the project's own function. */
export interface PagePrompt {
  /** In the order of the runtime's list. */
  tools: PromptTool[]
}

/** A tool as `makeCatalog` needs it. */
export interface PromptTool {
  name: string
  kind: 'folder' | 'file' | 'code'
  frontmatter: ToolFrontmatter
  origin: { layer: string; entry: string; file: string }
  /** The content that stands in the prompt itself, as it is written. */
  inPrompt?: string
}

/** The tools that a search looks at: a row of `terms` for each, in ascending order of name. */
export interface PageAsk {
  names: string[]
  /**
   * The part of each tool that an agent without limits of its own may search, as `src/search/rank.ts` numbers them: a digit
   * for each row.
   */
  parts: string
  /** The searched description of each row, where that is not the one in `PageRows`. */
  descriptions: Record<number, string>
  /** The results of `agent-apps eval`; null without prompts to try. */
  evaluation: Evaluation | null
}

export interface Evaluation {
  prompts: number
  first: number
  five: number
  notFirst: { query: string; skill: string; file: string; line: number; first: string | null }[]
  /** Other faults: prompts that find a skill that they should not, or name one that is not there. */
  problems: { file: string; line: number; reason: string; note: string }[]
}

/** The limits of the configuration's agents, as the runtime of a trusted project decides. */
export interface PagePolicy {
  /** First an agent without limits of its own. */
  agents: PolicyAgent[]
  /** The declarations and rules that decide about the calls of each tool, by name. */
  tools: Record<string, PolicyTool>
}

export interface PolicyAgent {
  /** Null for the agent without limits of its own. */
  id: string | null
  limits: PolicyLimits
  offered: string[]
  withheld: { name: string; why: string; grant: string }[]
}

/** Limits as they are written, for `src/policy/decide.ts`. */
export interface PolicyLimits {
  allow: PolicyList[]
  deny: PolicyList[]
  rules: PolicyList[]
  permissions: { by: string; granted: Permission[] }[]
  skipsApproval: boolean
}

/** Patterns, and who wrote them. */
export interface PolicyList {
  by: string
  patterns: string[]
}

export interface PolicyTool {
  /** The guards of its metadata. */
  guards: JsonObject
  /** False for a tool of a namespace whose bare name leads to another. */
  isMeant?: boolean
  /** The `trust.rules` of the main skills above it. */
  skillRules: { skill: string; patterns: string[]; mayAllow: boolean }[]
}
