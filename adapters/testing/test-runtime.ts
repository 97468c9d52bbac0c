import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  AgentAppsError,
  createRuntime,
  type DefinedTool,
  defineTool,
  isAgentAppsError,
  isDefinedTool,
  type Runtime,
  type RuntimeOptions,
  type ToolDefinition,
  type ToolSchema,
} from 'agent-apps'

/**
 * A skill of a test: the text of a Markdown skill, with or without frontmatter, a function `(ctx, args)`, or the argument or
 * result of `defineTool`.
 */
export type TestSkill =
  | string
  | DefinedTool
  | Omit<ToolDefinition<ToolSchema | undefined, ToolSchema | undefined>, 'name'>
  | ((ctx: never, args: never) => unknown)

/** The options of `testRuntime`. */
export interface TestRuntimeOptions extends RuntimeOptions {
  /** Skills by name. Texts, and files beside them, may also be keyed by path, such as `review/SKILL.md`. */
  skills?: Readonly<Record<string, TestSkill>>
}

/**
 * A runtime with the given skills. Its other options are those of `createRuntime`; `paths`, empty by default, are searched
 * after the skills. Texts are stored in a temporary folder until `close`.
 *
 * @throws OPTIONS_INVALID for a name that differs from the skill's; TOOL_BROKEN for an invalid text;
 *   what `runtime.register` throws
 */
export async function testRuntime({ skills = {}, ...options }: TestRuntimeOptions = {}): Promise<Runtime> {
  const { paths = [], ...more } = options
  const texts = Object.entries(skills).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  const folder = texts.length > 0 ? folderOf(texts) : null
  try {
    const runtime = createRuntime({ ...more, paths: folder ? [folder.path, ...paths] : paths })
    for (const [name, skill] of Object.entries(skills))
      if (typeof skill !== 'string') add(runtime, name, skill)
    for (const [name] of texts) if (!isPath(name)) await expectFound(runtime, name)
    return folder ? { ...runtime, close: () => runtime.close().finally(folder.remove) } : runtime
  } catch (error) {
    folder?.remove()
    throw error
  }
}

/** A folder with texts, which is removed with the process at the latest. */
function folderOf(texts: readonly [string, string][]): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'agent-apps-testing-'))
  const remove = (): void => {
    process.off('exit', remove)
    rmSync(path, { recursive: true, force: true })
  }
  process.on('exit', remove)
  for (const [name, text] of texts) {
    const file = join(path, isPath(name) ? name : `${name}.skill.md`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, isPath(name) || text.startsWith('---') ? text : withFrontmatter(name, text))
  }
  return { path, remove }
}

function isPath(name: string): boolean {
  return /[/.]/.test(name)
}

function withFrontmatter(name: string, text: string): string {
  const shown = JSON.stringify(name)
  return `---\nname: ${shown}\ndescription: ${shown}\n---\n${text}`
}

function add(runtime: Runtime, name: string, skill: Exclude<TestSkill, string>): void {
  // Functions accept any arguments.
  if (typeof skill === 'function')
    runtime.register(skill as (ctx: unknown, args: unknown) => unknown, { name, params: {} })
  else if (!isDefinedTool(skill)) runtime.register(defineTool({ ...skill, name }))
  else if (skill.name === name) runtime.register(skill)
  else throw misnamed(name, `is named "${skill.name}"`)
}

async function expectFound(runtime: Runtime, name: string): Promise<void> {
  if (await runtime.findTool(name)) return
  // Rendering throws the fault of its text.
  await runtime.render(name).catch(error => {
    if (isAgentAppsError(error) && error.code !== 'TOOL_NOT_FOUND') throw error
    throw misnamed(name, 'has another name')
  })
}

function misnamed(name: string, how: string): AgentAppsError {
  return new AgentAppsError('OPTIONS_INVALID', `The skill ${JSON.stringify(name)} ${how}.`, {
    hint: 'Give it under its own name.',
    tool: name,
  })
}
