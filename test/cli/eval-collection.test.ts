import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { SAMPLES } from '../support/sample.js'
import { SARIF_SCHEMA } from '../support/sarif-schema.js'
import { temporary } from '../support/temporary.js'

/** 30 skills, with prompts in each form that is read. */
const COLLECTION = join(SAMPLES, 'eval')
const ACCEPTED = '"Will it rain in Oslo tomorrow?" does not find "weather" among the first 5'

/** The collection, with the description of one skill replaced. */
async function withDescription(skill: string, description: string): Promise<string> {
  const cwd = await copy()
  const file = join(cwd, `skills/${skill}/SKILL.md`)
  const text = readFileSync(file, 'utf8')
  const changed = text.replace(/^description: .*$/m, `description: ${description}`)
  expect(changed).not.toBe(text)
  writeFileSync(file, changed)
  return cwd
}

/** The collection, and a baseline that accepts what is wrong with it. */
async function copy(): Promise<string> {
  const cwd = temporary()
  cpSync(COLLECTION, cwd, { recursive: true })
  expect((await evaluated(cwd, '--write-baseline', 'baseline.json')).status).toBe(0)
  return cwd
}

async function evaluated(cwd: string, ...args: string[]) {
  const { stdout, status } = await agentApps(cwd, ['eval', 'skills', ...args])
  return { stdout, status }
}

describe('agent-apps eval over a collection', () => {
  it('finds almost every skill by its prompts', { tags: 'long' }, async () => {
    const { stdout } = await evaluated(COLLECTION, '--json')
    const { prompts, first, five, others, skills, diagnostics } = JSON.parse(stdout)
    expect({ prompts, first, five, others }).toEqual({
      ...{ prompts: 19, first: 18, five: 18 },
      others: { prompts: 5, wrong: 0 },
    })
    expect(skills).toHaveLength(14)
    expect(diagnostics.map(({ reason }: { reason: string }) => reason)).toEqual([ACCEPTED])
    expect((await evaluated(await copy(), '--baseline', 'baseline.json', '--strict')).status).toBe(0)
    expect((await evaluated(COLLECTION, '--strict')).status).toBe(1)
  })

  it('names the skill whose description became worse, what comes first instead, and by which words', {
    tags: 'long',
  }, async () => {
    const cwd = await withDescription('incident', 'Helps to make things better.')
    const { stdout, status } = await evaluated(cwd, '--baseline', 'baseline.json')
    expect(status).toBe(1)
    expect(stdout).toContain(
      'skills/incident/trigger_tests.yaml:3:1 warning "The service is down, what do we tell customers?" does not find "incident" among the first 5. "rotate-keys" comes first, by service, down; "incident" has none of its words. Say in its description what users say.',
    )
    expect(stdout).not.toContain('does not find "weather"')
  })

  it('writes that as SARIF that GitHub takes', { tags: 'long' }, async () => {
    const validate = new Ajv({ strict: true, allErrors: true }).compile(SARIF_SCHEMA)
    const cwd = await withDescription('invoice', 'Helps with papers.')
    const log = JSON.parse((await evaluated(cwd, '--format', 'sarif', '--baseline', 'baseline.json')).stdout)
    expect(validate(log), JSON.stringify(validate.errors)).toBe(true)
    expect(log.runs[0].results).toMatchObject([
      {
        ruleId: 'trigger-missed',
        locations: [
          {
            physicalLocation: { artifactLocation: { uri: 'skills/eval_set.json' }, region: { startLine: 2 } },
          },
        ],
      },
    ])
    expect(log.runs[0].results[0].message.text).toContain('"invoice"')
  })
})
