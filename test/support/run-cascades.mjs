/**
 * Answers how a runtime explains some tools, what runs in which order when they are called, and what that
 * gives. A process of its own, so that nothing that another one loaded can help. Skills say what they do by pushing
 * to `globalThis.calls`. A message is `[{ cwd, paths, freshness, library?, calls: [[name, args?]] }]`, or `[{ bundle, calls }]` for
 * the runtime of a bundle.
 */
import { createRuntime } from 'agent-apps/runtime'

process.on('message', async jobs => {
  const answers = []
  for (const job of jobs) answers.push(await answer(job))
  process.send(answers)
})

async function answer({ calls, bundle, ...options }) {
  const { runtime } = bundle ? await import(bundle) : { runtime: createRuntime(options) }
  const results = []
  for (const [name, args] of calls) {
    globalThis.calls = []
    const result = await outcome(() => runtime.invoke(name, args))
    results.push({ name, calls: globalThis.calls, ...result })
  }
  const { cascadesComputed, parser, via } = runtime.stats()
  const explained = {}
  for (const name of new Set(calls.map(([name]) => name)))
    explained[name] = await outcome(() => runtime.explain(name))
  return { results, explained, cascadesComputed, parser, via }
}

async function outcome(work) {
  try {
    return { result: await work() }
  } catch ({ code, message, file }) {
    return { code, message, ...(file && { file }) }
  }
}
