/**
 * Prints, as JSON, everything that a runtime says of some path entries. A process of its own, so that nothing
 * that another one loaded or kept can help. Reads `[{ cwd, paths, freshness, names }]` from standard input, or `[{ bundle, names }]`
 * for the runtime of a bundle.
 */
import { readFileSync } from 'node:fs'
import { createRuntime } from 'agent-apps/runtime'

const answers = []
for (const job of JSON.parse(readFileSync(0, 'utf8'))) answers.push(await answer(job))
process.stdout.write(JSON.stringify(answers))

async function answer({ names, bundle, ...options }) {
  const { runtime } = bundle ? await import(bundle) : { runtime: createRuntime(options) }
  const listed = []
  const library = []
  // The library lies elsewhere in a bundle, and is shipped anyway.
  for (const tool of await runtime.listTools())
    if (tool.origin.layer === 'bundled') library.push(tool.name)
    else listed.push(await everything(tool, runtime))
  const found = {}
  for (const name of names) found[name] = await outcome(name, runtime)
  return { listed, library, found, vias: [...new Set(listed.map(({ via }) => via))], stats: runtime.stats() }
}

async function everything(tool, runtime) {
  const { via, ...origin } = tool.origin
  const { resources, references, verbatim } = await runtime.describe(tool.name)
  const bytes = {}
  for (const { path } of resources) {
    bytes[path] = Buffer.from(await runtime.readResource(tool.name, path)).toString('base64')
  }
  const { name, kind, frontmatter, src } = tool
  return {
    name,
    kind,
    frontmatter,
    src,
    origin,
    via,
    content: await tool.content?.(),
    resources,
    references,
    verbatim,
    bytes,
  }
}

async function outcome(name, runtime) {
  const tool = await runtime.findTool(name)
  try {
    return { src: tool?.src ?? null, text: await runtime.render(name) }
  } catch ({ code, message, file, position }) {
    // The nearest name is a hint of what was read so far, and no part of the answer.
    return { src: tool?.src ?? null, code, message, file, position }
  }
}
