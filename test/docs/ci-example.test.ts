import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { COMMAND } from '../support/commands.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { skill } from '../support/tree.js'

const EXAMPLE = join(ROOT, 'examples/ci')

interface Workflow {
  jobs: { check: { steps: { name?: string; run?: string }[] } }
}

const { jobs } = parse(readFileSync(join(EXAMPLE, '.github/workflows/skills.yml'), 'utf8')) as Workflow
/** The steps that run a command of ours, in order. */
const STEPS = jobs.check.steps.flatMap(({ run = '' }) => (run.startsWith('npx agent-apps ') ? [run] : []))

/** A checkout of the example, in which `npx agent-apps` is this one. */
function checkout(): { root: string; runStep: (run: string) => { status: number | null; stdout: string } } {
  const folder = temporary()
  const [root, bin] = [join(folder, 'ci'), join(folder, 'bin')]
  cpSync(EXAMPLE, root, { recursive: true })
  mkdirSync(bin)
  writeFileSync(join(bin, 'npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${COMMAND}" "$@"\n`)
  chmodSync(join(bin, 'npx'), 0o755)
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    GITHUB_ACTIONS: 'true',
    GITHUB_WORKSPACE: root,
    GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
  }
  // As GitHub runs a step.
  const runStep = (run: string) => spawnSync('bash', ['-e', '-c', run], { cwd: root, env, encoding: 'utf8' })
  return { root, runStep }
}

describe('examples/ci', () => {
  it('has a workflow whose steps succeed', { tags: 'long' }, () => {
    const { root, runStep } = checkout()
    expect(STEPS).toHaveLength(3)
    for (const step of STEPS) expect(runStep(step), step).toMatchObject({ status: 0 })
    const sarif = JSON.parse(readFileSync(join(root, 'agent-apps.sarif'), 'utf8'))
    expect(sarif.runs[0].results).toEqual([])
    expect(readFileSync(join(root, '../summary.md'), 'utf8').match(/^### agent-apps$/gm)).toHaveLength(2)
  })

  it('fails on a new warning, which it annotates', { tags: 'long' }, () => {
    const { root, runStep } = checkout()
    mkdirSync(join(root, 'skills/new'))
    writeFileSync(join(root, 'skills/new/SKILL.md'), skill('other'))
    const [check = '', sarif = ''] = STEPS
    const { status, stdout } = runStep(check)
    expect([status, stdout]).toEqual([
      1,
      expect.stringMatching(/^::warning file=skills\/new\/SKILL\.md,line=2,col=7,title=name-differs::/),
    ])
    expect(runStep(sarif).status).toBe(1)
    const { runs } = JSON.parse(readFileSync(join(root, 'agent-apps.sarif'), 'utf8'))
    expect(runs[0].results).toHaveLength(1)
  })
})
