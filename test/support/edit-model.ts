import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { openWorkspace } from './open-workspace.js'

/** What happens to one file, one after the other. */
type Step =
  | { kind: 'read' }
  | { kind: 'edit'; edits: { old: string; new: string; all: boolean }[] }
  | { kind: 'write'; content: string }
  /** Somebody else changes it. */
  | { kind: 'other'; content: string }

// A few letters, so that texts occur often, and several times.
const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é'), maxLength: 12 })
const some = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é'), minLength: 1, maxLength: 3 })
const edit = fc.record({ old: some, new: text, all: fc.boolean() })

/** Sequences of what may happen to a file. */
export const editSequences: fc.Arbitrary<{ text: string; isWindows: boolean; steps: Step[] }> = fc.record({
  text,
  isWindows: fc.boolean(),
  steps: fc.array(
    fc.oneof(
      { weight: 2, arbitrary: fc.constant<Step>({ kind: 'read' }) },
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constant('edit' as const),
          edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
        }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('write' as const), content: text }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('other' as const), content: text }) },
    ),
    { maxLength: 12 },
  ),
})

/** A plain model of the tools: what the file holds, and what the session knows of it. */
class Model {
  known: string | null = null
  constructor(public now: string) {}

  /** The code that a step ends with; null where it succeeds. */
  take(step: Step): string | null {
    if (step.kind === 'other') this.now = step.content
    if (step.kind === 'read') this.known = this.now
    if (step.kind === 'read' || step.kind === 'other') return null
    if (this.known === null) return 'FILE_NOT_READ'
    if (this.known !== this.now) return 'FILE_CHANGED'
    const next = step.kind === 'write' ? this.styled(step.content) : this.edited(step.edits)
    if (next === null) return 'EDIT_FAILED'
    this.now = next
    this.known = next
    return null
  }

  private styled(content: string): string {
    return this.isWindows() ? withBreaks(content, '\r\n') : content
  }

  private isWindows(): boolean {
    const all = this.now.split('\n').length - 1
    return (this.now.split('\r\n').length - 1) * 2 > all
  }

  private edited(edits: readonly { old: string; new: string; all: boolean }[]): string | null {
    const isWindows = this.isWindows()
    let text = this.now
    for (const { old, new: wanted, all } of edits) {
      if (old === wanted) return null
      const part = [old, withBreaks(old, '\r\n'), withBreaks(old, '\n')].find(one => text.includes(one))
      if (part === undefined) return null
      const pieces = text.split(part)
      if (pieces.length > 2 && !all) return null
      text = pieces.join(isWindows ? withBreaks(wanted, '\r\n') : wanted)
    }
    return text
  }
}

function withBreaks(text: string, ending: string): string {
  return text.split('\r\n').join('\n').split('\n').join(ending)
}

/** Does the steps with the tools and the model, and returns the first difference; null where there is none. */
export async function editDifference({
  text,
  isWindows,
  steps,
}: {
  text: string
  isWindows: boolean
  steps: Step[]
}): Promise<string | null> {
  const own = (content: string): string => (isWindows ? withBreaks(content, '\r\n') : content)
  const { root, refusal } = workspace()
  const path = `file-${counter++}.txt`
  const file = join(root, path)
  writeFileSync(file, own(text))
  const model = new Model(own(text))
  for (const [number, step] of steps.entries()) {
    const given = step.kind === 'other' ? { ...step, content: own(step.content) } : step
    if (given.kind === 'other') writeFileSync(file, given.content)
    const { kind, ...args } = given
    const said = kind === 'other' ? null : await refusal(kind, { path, ...args })
    const meant = model.take(given)
    const now = readFileSync(file, 'utf8')
    if (said !== meant || now !== model.now)
      return `step ${number}: ${said} instead of ${meant}, ${JSON.stringify(now)} instead of ${JSON.stringify(model.now)}`
  }
  return null
}

let opened: ReturnType<typeof openWorkspace> | undefined
let counter = 0

/** One for all sequences, since each of them has a file of its own. */
function workspace(): ReturnType<typeof openWorkspace> {
  opened ??= openWorkspace()
  return opened
}
