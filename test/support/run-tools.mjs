/**
 * Answers what a runtime says of some tools and what calling them gives. A process of its own, so that
 * nothing that another one loaded can help. A message is `[{ cwd, paths, freshness, calls: [[reference, args?]] }]`.
 */
import { createRuntime } from 'agent-apps/runtime'

process.on('message', async jobs => {
  const answers = []
  for (const job of jobs) answers.push(await answer(job))
  process.send(answers)
})

async function answer({ calls, ...options }) {
  const runtime = createRuntime(options)
  const tools = {}
  const results = []
  for (const [ref, args] of calls) {
    const tool = await runtime.findTool(ref)
    tools[ref] = tool && {
      name: tool.name,
      kind: tool.kind,
      frontmatter: tool.frontmatter,
      src: tool.src,
      verbatim: (await runtime.describe(ref)).verbatim,
    }
    results.push(await outcome(() => runtime.invoke(ref, args)))
  }
  const listed = (await runtime.listTools()).filter(({ origin }) => origin.layer !== 'bundled')
  const names = listed.map(({ name }) => name)
  const { via, parser } = runtime.stats()
  return { names, tools, results, via, parser }
}

async function outcome(call) {
  try {
    return { result: await call() }
  } catch ({ code, message }) {
    return { code, message }
  }
}
