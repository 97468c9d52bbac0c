import { createRuntime, type Model, type Runtime, type RuntimeOptions } from 'agent-apps'
import { temporary } from './temporary.js'
import { type Tree, writeTree } from './tree.js'

/** A runtime over skills, with a model that agents run on. */
export function agentRuntime(tree: Tree, model?: Model, options: RuntimeOptions = {}): Runtime {
  const cwd = temporary()
  writeTree(cwd, tree)
  return createRuntime({ cwd, paths: ['skills'], ...(model && { models: { default: model } }), ...options })
}
