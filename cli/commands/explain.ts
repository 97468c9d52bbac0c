import type { Authorization, ExplainedOrigin, Explanation, Runtime, StepAnswer } from 'agent-apps'
import {
  AGENT_OPTIONS,
  agentOf,
  noteAgentDiagnostics,
  openForAgents,
  refuseAgentOptions,
  withCommandHint,
} from '../agent-options.js'
import { type Command, type Invocation, LOOK_UP_OPTIONS } from '../command.js'
import { fromCwd, fromHere } from '../from-here.js'
import { noteDiagnostics, openRuntime } from '../open-runtime.js'
import { type Output, printable } from '../output.js'
import { readJson } from '../read-arguments.js'

export const explain: Command = {
  name: 'explain',
  positionals: { min: 1, max: 1 },
  options: {
    ...LOOK_UP_OPTIONS,
    call: {
      type: 'string',
      value: 'JSON',
      describes: "show instead how each step of the policy decides an agent's call with these arguments",
    },
    ...AGENT_OPTIONS,
  },
  example: 'agent-apps explain word-count',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { output, cwd } = invocation
  const { call } = invocation.options
  if (typeof call === 'string') return explainCall(call, invocation)
  refuseAgentOptions(invocation, '--call')
  const runtime = await openRuntime(invocation, false)
  const explanation = await runtime.explain(invocation.positionals[0] ?? '')
  const shown = withShownFiles(explanation, file => (output.json ? fromCwd : fromHere)(file, cwd))
  if (output.json) output.jsonResult(shown)
  else show(shown, output)
  noteDiagnostics(runtime, invocation)
  return shown.problems.length === 0 ? 0 : 1
}

/** Replaces the file paths of an explanation by the shown ones. */
function withShownFiles(explanation: Explanation, named: (file: string) => string): Explanation {
  const shown = <Origin extends ExplainedOrigin>(origin: Origin): Origin => ({
    ...origin,
    file: origin.file && named(origin.file),
  })
  const metadata = Object.entries(explanation.metadata).map(([key, origin]) => [
    key,
    { ...shown(origin), overrides: origin.overrides.map(shown) },
  ])
  return { ...explanation, metadata: Object.fromEntries(metadata) }
}

function show({ name, metadata, chain, deps, peers, problems }: Explanation, output: Output): void {
  output.result(output.style('bold', printable(name)))
  const keys = Object.entries(metadata)
  if (keys.length === 0) output.result('  no metadata')
  for (const [key, { overrides, ...origin }] of keys) {
    output.result(
      `  ${printable(key)}: ${printable(JSON.stringify(origin.value))}  ${output.style('dim', from(origin))}`,
    )
    for (const one of overrides)
      output.result(output.style('dim', `    over ${printable(JSON.stringify(one.value))}  ${from(one)}`))
  }
  output.result(chain.length === 0 ? 'nothing runs around it' : 'runs inside')
  const known = new Set(problems.map(({ message }) => message))
  for (const { name: entry, mode, args, hook, problem } of chain) {
    const marks = [mode, ...(hook ? [`hook ${hook.join(' ')}`] : [])].join(', ')
    output.result(`  ${printable(entry)} ${printable(JSON.stringify(args))}  ${output.style('dim', marks)}`)
    if (problem && !known.has(problem.message))
      output.result(
        `    ${output.style('red', 'wrong:')} ${printable(sentences(problem.message, problem.hint))}`,
      )
  }
  for (const { message, hint } of problems)
    output.result(`${output.style('red', 'not run:')} ${printable(sentences(message, hint))}`)
  if (deps.length > 0) output.result(`reads ${printable(deps.join(', '))}`)
  if (peers.length > 0) output.result(`peers ${printable(peers.join(', '))}`)
}

/** Joins a message without a full stop, or with a question mark, and its hint. */
function sentences(message: string, hint: string): string {
  return `${message}${message.endsWith('?') ? '' : '.'} ${hint}`
}

function from({ layer, tool, file, line }: ExplainedOrigin): string {
  const place = file === null ? `registered as ${tool}` : line === null ? file : `${file}:${line}`
  return printable(`${layer}, ${place}`)
}

/** Prints how each step of the policy decides an agent's call, and where its rule is written. */
async function explainCall(json: string, invocation: Invocation): Promise<number> {
  const { output, positionals, cwd } = invocation
  const ref = positionals[0] ?? ''
  const args = readJson(json, '--call')
  // The tool's code computes a call's approval key and preview. Looking up places runs none.
  const runtime = await openForAgents(invocation, true)
  const reader = await openForAgents(invocation, false)
  // Naming an unknown agent throws, too.
  const decided = await (async () => agentOf(runtime, invocation).authorize(ref, args))().catch(
    withCommandHint,
  )
  const { steps, ...last } = decided
  const placed = await Promise.all(steps.map(step => withPlace(step, reader)))
  const named = output.json ? fromCwd : fromHere
  const shown = placed.map(step => ({ ...step, file: step.file && named(step.file, cwd) }))
  if (output.json) output.jsonResult({ ...last, steps: shown })
  else {
    output.result(output.style('bold', `${printable(ref)}: ${decided.decision}`))
    for (const { step, decision, reason, file, line } of shown) {
      const place = file === null ? '' : `  ${output.style('dim', line === null ? file : `${file}:${line}`)}`
      output.result(`  ${step} ${decision ?? 'goes on'}: ${printable(reason)}${place}`)
    }
    // No step shows that a person allowed the call before, or that the tool's preview failed the call.
    const isSettled = shown.at(-1)?.decision === 'ask' && decided.decision !== 'ask'
    if (isSettled) output.result(`  ${decided.decision}: ${printable(decided.reason)}`)
  }
  noteAgentDiagnostics(runtime, invocation)
  return decided.decision === 'deny' ? 1 : 0
}

type PlacedStep = Authorization['steps'][number] & { file: string | null; line: number | null }

async function withPlace(step: StepAnswer, reader: Runtime): Promise<PlacedStep> {
  const { written } = step
  const origin = written && (await reader.explain(written.skill)).metadata[written.key]
  return { ...step, file: origin?.file ?? null, line: origin?.line ?? null }
}
