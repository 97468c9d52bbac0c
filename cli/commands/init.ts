import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command, Invocation } from '../command.js'

export const init: Command = {
  name: 'init',
  summary: 'set up a project: a configuration, example skills, a package.json script',
  positionals: { shown: '', min: 0, max: 0 },
  options: {},
  example: 'agent-apps init && agent-apps compile',
  run,
}

const FILES: Record<string, string> = {
  'agent-apps.config.json': `${JSON.stringify({ paths: ['./skills'] }, null, 2)}\n`,
  'skills/release-notes/SKILL.md': `---
name: release-notes
description: Writes release notes from a list of merged changes. Use when preparing a release.
metadata:
  tags:
    - writing
    - release
---
# Release notes

1. Group the changes: added, changed, fixed.
2. Write one line for each, in the words of a user.
3. Follow the layout of references/template.md.
`,
  'skills/release-notes/references/template.md': `## <version> (<date>)

### Added

### Changed

### Fixed
`,
  'skills/commit-message.skill.md': `---
name: commit-message
description: Writes a commit message that says why. Use when committing.
---
Say what changed in at most 60 characters, then why in a paragraph of its own.
`,
}

const SCRIPT = 'skills'

async function run({ cwd, output }: Invocation): Promise<number> {
  const made: string[] = []
  const kept: string[] = []
  for (const [file, text] of Object.entries(FILES)) {
    const path = join(cwd, file)
    if (existsSync(path)) {
      kept.push(file)
      continue
    }
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    made.push(file)
  }
  const script = addScript(join(cwd, 'package.json'))
  if (script === 'added') made.push(`package.json (script "${SCRIPT}")`)
  if (output.json) output.jsonResult({ made, kept })
  else {
    for (const file of made) output.result(`made ${file}`)
    for (const file of kept) output.result(`kept ${file}`)
    output.note(`\nNext: ${script === 'absent' ? 'npx agent-apps compile' : `npm run ${SCRIPT}`}`)
  }
  return 0
}

/** Adds the script that compiles, where there is a package.json without one, and leaves everything else in it as it is. */
function addScript(manifest: string): 'added' | 'kept' | 'absent' {
  if (!existsSync(manifest)) return 'absent'
  const text = readFileSync(manifest, 'utf8')
  const content = JSON.parse(text) as { scripts?: Record<string, string> }
  if (content.scripts?.[SCRIPT] !== undefined) return 'kept'
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  '
  const changed = { ...content, scripts: { ...content.scripts, [SCRIPT]: 'agent-apps compile' } }
  writeFileSync(manifest, `${JSON.stringify(changed, null, indent)}\n`)
  return 'added'
}
