import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileBundle } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { some } from '../support/long.js'
import { skill } from '../support/tree.js'
import { tsc } from '../support/tsc.js'

const PARAMS = `metadata:
  params: { type: object, properties: { text: { type: string } }, required: [text], additionalProperties: false }
  returns: { type: number }
  delegate: 'inline://code,export default ({ text }) => text.length'
`

/** What tsc says of a program, as the lines of its errors. */
function faults(root: string, files: string[], flags: string[]): string[] {
  const stdout = tsc(root, [...flags, ...files])
  // "No overload matches" hides which argument it is.
  expect(stdout).not.toContain('TS2769')
  return stdout.match(/^\S+\(\d+(?=,\d+\): error)/gm) ?? []
}

const RESOLUTIONS = some([
  ['bundler', ['--module', 'esnext', '--moduleResolution', 'bundler']],
  ['nodenext', ['--module', 'nodenext']],
] as const)

describe.each(RESOLUTIONS)('virtual:agent-apps, typed: %s', (_name, flags) => {
  it('with `types`: a wrong name, argument or result does not compile', { tags: 'long' }, async () => {
    const { root } = codeProject({
      'package.json': '{ "type": "module" }',
      'skills/count.skill.md': skill('count', '', PARAMS),
      'skills/review/SKILL.md': skill('review'),
      'skills/handed.skill.md': skill('handed', '', 'metadata:\n  delegate: count\n'),
      'app.ts': `import { runtime, type ToolName, tools } from 'virtual:agent-apps'
export const name: ToolName = 'count'
export const counted: number = await tools.count({ text: 'one' })
export const same: number = await runtime.invoke('count', { text: 'one' })
export const text: string = await tools.review()
export const found = await runtime.findTool('count')
await runtime.invoke('./skills/review', { any: 1 })
export const wrongName = await tools.cuont({ text: 'one' })
export const wrongArgument = await tools.count({ txt: 'one' })
export const noArgument = await tools.count()
export const wrongResult: string = await tools.count({ text: 'one' })
export const wrongCall = await runtime.invoke('count', { text: 1 })
export const wrongTool: ToolName = 'cuont'
export const handedOn: number = await tools.handed({ text: 'one' })
export const wrongHandedOn = await tools.handed({ txt: 1, nonsense: true })
`,
    })
    await compileBundle({ cwd: root, paths: ['skills'], types: 'agent-apps.d.ts' })
    expect(faults(root, ['agent-apps.d.ts', 'app.ts'], flags.slice())).toEqual(
      [8, 9, 10, 11, 12, 13, 15].map(line => `app.ts(${line}`),
    )
  })

  it('without: every name is let pass', { tags: 'long' }, () => {
    const { root } = codeProject({
      'package.json': '{ "type": "module" }',
      'env.d.ts': '/// <reference types="agent-apps/virtual" />\n',
      'app.ts': `import { runtime, tools } from 'virtual:agent-apps'
export const counted: unknown = await tools.count?.({ text: 'one' })
export const same: unknown = await runtime.invoke('count', { text: 'one' })
export const wrong: number = await runtime.invoke('count')
`,
    })
    expect(faults(root, ['env.d.ts', 'app.ts'], flags.slice())).toEqual(['app.ts(4'])
    writeFileSync(join(root, 'env.d.ts'), '')
    expect(faults(root, ['env.d.ts', 'app.ts'], flags.slice())).toEqual(['app.ts(1'])
  })
})
