import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PathEntry } from 'agent-apps'
import { type LoadedConfig, loadConfig, proposePaths } from 'agent-apps/compiler'
import { isAgentAppsError } from '../../src/base/error.js'
import { type Command, INTERRUPTED, type Invocation } from '../command.js'
import { fromCwd, fromHere } from '../from-here.js'
import { count, printable } from '../output.js'

export const init: Command = {
  name: 'init',
  positionals: { min: 0, max: 0 },
  options: {},
  example: 'agent-apps init && agent-apps compile',
  run,
}

const CONFIGURATION = 'agent-apps.config.json'

const EXAMPLES: Record<string, string> = {
  'skills/release-notes/SKILL.md': `---
name: release-notes
description: Writes release notes from a list of merged changes. Use when preparing a release.
metadata:
  tags: writing, release
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

/** Creates what is missing. A new configuration lists the directories that are searched without one. */
async function run(invocation: Invocation): Promise<number> {
  const { cwd, output } = invocation
  const { file: configuration } = await loadConfig({ cwd, evaluate: false }).catch(ofCode)
  const isConfigured = configuration !== null
  const proposed = isConfigured ? { paths: [], skills: 0 } : await proposePaths(cwd)
  const makesExamples = !isConfigured && proposed.skills === 0
  const made: string[] = []
  const kept: string[] = []
  if (isConfigured) kept.push(fromCwd(configuration, cwd))
  else {
    const paths = [...new Set([...(makesExamples ? ['./skills'] : []), ...proposed.paths])]
    write(join(cwd, CONFIGURATION), `${JSON.stringify({ $schema: schemaFrom(cwd), paths }, null, 2)}\n`)
    made.push(CONFIGURATION)
  }
  for (const [file, text] of Object.entries(EXAMPLES)) {
    const path = join(cwd, file)
    if (existsSync(path)) kept.push(file)
    else if (makesExamples) {
      write(path, text)
      made.push(file)
    }
  }
  const script = addScript(join(cwd, 'package.json'))
  if (script === 'added') made.push(`package.json (script "${SCRIPT}")`)
  const folder = configuration === null ? cwd : dirname(configuration)
  const lines = notIgnored(folder)
  if (await mayIgnore(lines, invocation)) {
    addIgnored(folder, lines)
    made.push(`${fromCwd(join(folder, '.gitignore'), cwd)} (${lines.join(', ')})`)
    lines.length = 0
  }
  if (invocation.signal.aborted) return INTERRUPTED
  if (output.json) output.jsonResult({ made, kept, gitignore: lines })
  else {
    for (const file of made) output.result(`made ${printable(fromHere(file, cwd))}`)
    for (const file of kept) output.result(`kept ${printable(fromHere(file, cwd))}`)
    if (proposed.skills > 0)
      output.note(
        `\nNo examples: ${count(proposed.skills, 'skill file')} found in ${proposed.paths.map(shown).join(', ')}.`,
      )
    if (lines.length > 0)
      output.note(
        `\nCompiled files are best kept out of git. Add to .gitignore:\n${lines.map(line => `  ${line}\n`).join('')}`.trimEnd(),
      )
    output.note(`\nNext: ${script === 'absent' ? 'npx agent-apps compile' : `npm run ${SCRIPT}`}`)
  }
  return 0
}

/** Asks before changing a file of the user. Without an answer, the lines are only shown. */
async function mayIgnore(lines: readonly string[], { ask, output }: Invocation): Promise<boolean> {
  if (lines.length === 0 || output.json) return false
  const answer = await ask(`Add ${lines.join(' and ')} to .gitignore? [Y/n] `)
  return answer !== null && /^(?:y|yes)?$/i.test(answer.trim())
}

const SCHEMA = 'node_modules/agent-apps/schema/config.json'

/** The schema for editors, in the nearest folder at or above `cwd` that has the package. */
function schemaFrom(cwd: string): string {
  let [folder, up] = [cwd, './']
  while (!existsSync(join(folder, SCHEMA)) && dirname(folder) !== folder)
    [folder, up] = [dirname(folder), `${up === './' ? '' : up}../`]
  return existsSync(join(folder, SCHEMA)) ? `${up}${SCHEMA}` : `./${SCHEMA}`
}

function shown(entry: PathEntry): string {
  const directory = typeof entry === 'string' ? entry : 'dir' in entry ? entry.dir : ''
  return directory === '.' ? 'this directory' : directory.replace('./', '')
}

/** The configuration in code, which exists although it was not evaluated. */
function ofCode(error: unknown): Pick<LoadedConfig, 'file'> {
  if (isAgentAppsError(error) && error.code === 'NOT_EVALUATED' && error.file) return { file: error.file }
  throw error
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Adds the script that compiles to a package.json without one. */
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

/** The lines of a `.gitignore` for what `compile` writes, each with a path that it matches. */
const WRITTEN = [
  ['.agent-apps.json', '.agent-apps.json'],
  ['.agent-apps/', '.agent-apps/module.mjs'],
] as const

/** The lines that a folder's `.gitignore` lacks; none outside of a repository. */
function notIgnored(folder: string): string[] {
  const paths = WRITTEN.map(([, path]) => path)
  const { status, stdout } = spawnSync('git', ['check-ignore', '--no-index', ...paths], {
    cwd: folder,
    encoding: 'utf8',
  })
  // 0 and 1 say whether git ignores any of them; otherwise there is no repository or no git.
  if (status !== 0 && status !== 1) return []
  const ignored = stdout.split('\n')
  return WRITTEN.filter(([, path]) => !ignored.includes(path)).map(([line]) => line)
}

/** Appends lines to a folder's `.gitignore`, with its line endings. */
function addIgnored(folder: string, lines: readonly string[]): void {
  const file = join(folder, '.gitignore')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const before = text === '' || text.endsWith('\n') ? text : `${text}${end}`
  writeFileSync(file, before + lines.map(line => `${line}${end}`).join(''))
}
