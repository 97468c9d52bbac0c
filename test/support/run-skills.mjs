/**
 * Answers what a runtime makes of some skills. A process of its own, so that nothing that another one loaded can help. A message is
 * `[{ ask, cwd, paths, freshness, calls: [[reference, args?]], … }]`: one process answers all that is asked in a worker of the tests.
 */
import { createRuntime, registerTool } from 'agent-apps/runtime'

const ANSWERS = { chains, tools, contents }

process.on('message', async jobs => {
  const answers = []
  for (const { ask, ...job } of jobs) answers.push(await ANSWERS[ask](job))
  process.send(answers)
})

/**
 * How a runtime, or that of a `bundle`, explains some tools, what runs in which order when they are called, and what that gives. Skills
 * say what they do by pushing to `globalThis.calls`.
 */
async function chains({ calls, bundle, ...options }) {
  const { runtime } = bundle ? await import(bundle) : { runtime: createRuntime(options) }
  const results = []
  for (const [name, args] of calls) {
    globalThis.calls = []
    const result = await outcome(() => runtime.invoke(name, args), 'file')
    results.push({ name, calls: globalThis.calls, ...result })
  }
  const { cascadesComputed, parser, via } = runtime.stats()
  const explained = {}
  for (const name of new Set(calls.map(([name]) => name)))
    explained[name] = await outcome(() => runtime.explain(name), 'file')
  return { results, explained, cascadesComputed, parser, via }
}

/** What a runtime says of some tools, and what calling them gives. */
async function tools({ calls, ...options }) {
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
    results.push(await outcome(() => runtime.invoke(ref, args), 'message'))
  }
  const listed = (await runtime.listTools()).filter(({ origin }) => origin.layer !== 'bundled')
  const names = listed.map(({ name }) => name)
  const { via, parser } = runtime.stats()
  return { names, tools, results, via, parser }
}

/** What the contents of some skills come to, also with directives that are `registered`. */
async function contents({ calls, registered = [], ...options }) {
  const runtime = createRuntime(options)
  for (const { name, tags } of registered) {
    const fn = async (_ctx, { arg = '', children }) => `<${name} ${arg}${(await children?.()) ?? ''}>`
    registerTool(runtime.globals, { name, tags, fn })
  }
  const results = []
  for (const [name, args] of calls)
    results.push(await outcome(() => runtime.render(name, args ? { args } : undefined), 'hint'))
  const { parser, via } = runtime.stats()
  return { results, parser, via, diagnostics: runtime.diagnostics().map(({ reason }) => reason) }
}

/** The result of some work, or the code and message of its error, and what else of that is wanted. */
async function outcome(work, more) {
  try {
    return { result: await work() }
  } catch (error) {
    return { code: error.code, message: error.message, [more]: error[more] }
  }
}
