import { join } from 'node:path'
import { createRuntime, type Model, type Runtime, type RuntimeOptions } from 'agent-apps'
import { project, type Way } from './four-ways.js'
import { ROOT } from './processes.js'
import { makeTree, skill, type Tree } from './tree.js'

/** A runtime over a folder `skills`, with a model that agents run on. */
export function agentRuntime(tree: Tree, model?: Model, options: RuntimeOptions = {}): Runtime {
  const cwd = makeTree({ 'package.json': '{"type":"module"}\n', ...tree })
  return createRuntime({ cwd, paths: ['skills'], ...(model && { models: { default: model } }), ...options })
}

/** The AI SDK that is tested with. */
export const SDK = join(process.env.AGENT_APPS_TESTED_WITH ?? join(ROOT, 'node_modules'), 'ai')

/** A runtime over such a project that is read in one of the ways; a bundle finds the AI SDK beside it. */
export async function agentProject(way: Way, tree: Tree, model: Model): Promise<Runtime> {
  const { runtime } = await project(way, { ...tree, 'node_modules/ai': { link: SDK } })
  runtime.globals.models = { default: model }
  return runtime
}

/** A skill that a model runs. */
export function agentSkill(name: string, metadata = 'agent: true', body?: string, more = ''): string {
  return skill(name, body, `${more}metadata: { ${metadata} }\n`)
}

/** A code skill that gives a text. */
export function saying(name: string, text: string, metadata: object = {}): string {
  const frontmatter = { name, description: `Says ${text}.`, metadata }
  return `export const frontmatter = ${JSON.stringify(frontmatter)}\nexport default () => ${JSON.stringify(text)}\n`
}
