import type { Authorization, Runtime, StepAnswer } from 'agent-apps'
import { agentOf, noteAgentDiagnostics, openForAgents, withCommandHint } from '../agent-options.js'
import type { Invocation } from '../command.js'
import { fromCwd, fromHere } from '../from-here.js'
import { printable } from '../output.js'
import { readJson } from '../read-arguments.js'

/** Prints what each step of the policy says of an agent's call, and where that is written. */
export async function explainCall(json: string, invocation: Invocation): Promise<number> {
  const { output, positionals, cwd } = invocation
  const ref = positionals[0] ?? ''
  const args = readJson(json, '--call')
  // Code that agents get says the key of a call and what it would do. To look up a place, none is run.
  const runtime = await openForAgents(invocation, true)
  const reader = await openForAgents(invocation, false)
  const decided = await decide(ref, args, runtime, invocation).catch(withCommandHint)
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
    // A person allowed it before, or it cannot work: no step says so.
    const isSettled = shown.at(-1)?.decision === 'ask' && decided.decision !== 'ask'
    if (isSettled) output.result(`  ${decided.decision}: ${printable(decided.reason)}`)
  }
  noteAgentDiagnostics(runtime, invocation)
  return decided.decision === 'deny' ? 1 : 0
}

async function decide(
  ref: string,
  args: unknown,
  runtime: Runtime,
  invocation: Invocation,
): Promise<Authorization> {
  return agentOf(runtime, invocation).authorize(ref, args)
}

type PlacedStep = Authorization['steps'][number] & { file: string | null; line: number | null }

async function withPlace(step: StepAnswer, reader: Runtime): Promise<PlacedStep> {
  const { written } = step
  const origin = written && (await reader.explain(written.skill)).metadata[written.key]
  return { ...step, file: origin?.file ?? null, line: origin?.line ?? null }
}
