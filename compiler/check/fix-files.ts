import { renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Fix } from '../1-read/markdown/parse-file.js'
import { parseSkill } from '../1-read/read-skills.js'
import { readRegularFile } from '../files/regular-file.js'
import { temporaryName } from '../files/temporary-name.js'
import type { Stage } from '../project/stage.js'
import { fileOf, type Walk } from '../records/walked.js'

/** Corrects what can be corrected in skill files without guessing, where that is asked for. */
export const fixFiles: Stage<{ walked: Walk; fix: boolean }, { fixed: string[] }> = {
  name: 'fix',
  async run({ walked, fix }) {
    const fixed: string[] = []
    for (const skill of fix ? walked.skills : []) {
      const { fixes } = await parseSkill(skill)
      if (fixes.length === 0) continue
      applyFixes(fileOf(skill), fixes)
      fixed.push(skill.path)
    }
    return { fixed }
  },
}

/** Rewrites a file with its fixes made; every other byte stays. Fixes are in order and do not overlap. */
function applyFixes(file: string, fixes: Fix[]): void {
  const text = readRegularFile(file).toString()
  const pieces = fixes.map(
    ({ start, replacement }, index) => text.slice(fixes[index - 1]?.end ?? 0, start) + replacement,
  )
  const temporary = temporaryName(file)
  // Somebody's link of that name would be written through.
  rmSync(temporary, { force: true })
  writeFileSync(temporary, pieces.join('') + text.slice(fixes.at(-1)?.end ?? 0), { flag: 'wx' })
  renameSync(temporary, file)
}
