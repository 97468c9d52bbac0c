import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { orNull } from '../../../src/base/attempt.js'
import { finding } from '../../diagnostics/diagnostics.js'
import { belongsTo, projectRoot } from '../../esbuild/project-root.js'
import { readSkillFile } from '../../files/regular-file.js'
import type { SkillUnit, UnitSource } from '../../records/skill-unit.js'
import type { CodeModule } from './read-code.js'

const PROBLEMS = {
  none: 'it has no default export',
  'no-function': 'it has no function as default export',
} as const

/** Finds delegates whose code certainly has no function as default export. The code is not run. */
export async function checkDelegates(directory: string, units: readonly SkillUnit[]): Promise<void> {
  const read = new Map<string, CodeModule['defaultExport']>()
  for (const { tools, sources, findings } of units) {
    for (const { place, fresh } of tools) {
      const source = sources.find(({ key }) => key === fresh?.delegateKey)
      if (!fresh || !source) continue
      const exported = read.get(source.key) ?? (await defaultExport(directory, source))
      read.set(source.key, exported)
      if (exported === 'maybe') continue
      const delegate = String(fresh.record.frontmatter.metadata.delegate).slice(0, 80)
      const at = fresh.delegatePlace ?? place
      findings.push(finding('delegate-invalid', at, delegate, PROBLEMS[exported]))
    }
  }
}

async function defaultExport(
  directory: string,
  { file, code }: UnitSource,
): Promise<CodeModule['defaultExport']> {
  const text = code ?? textOf(directory, file ?? '')
  if (text === null) return 'maybe'
  const { readModule } = await import('./read-module.js')
  const read = await readModule(text, file ?? 'inline.js')
  return 'rule' in read ? 'maybe' : read.module.defaultExport
}

/** The text of a delegate's file; null where it must not or cannot be read, which bundling reports. */
function textOf(directory: string, file: string): string | null {
  return orNull(() => {
    const real = realpathSync.native(join(directory, file))
    return belongsTo(projectRoot(directory), real) ? readSkillFile(real).toString() : null
  })
}
