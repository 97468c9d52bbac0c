import { hash } from 'node:crypto'
import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { orNull } from '../../../src/base/attempt.js'
import { isAgentAppsError } from '../../../src/base/error.js'
import type { InlineRecord } from '../../../src/index/index-format.js'
import { parseInline, parseReference } from '../../../src/skill/reference.js'
import { finding, toDiagnostic } from '../../diagnostics/diagnostics.js'
import { belongsTo, projectRoot } from '../../esbuild/project-root.js'
import { readSkillFile } from '../../files/regular-file.js'
import type { SkillUnit, UnitSource } from '../../records/skill-unit.js'
import { parseFile } from '../markdown/parse-file.js'
import type { CodeModule } from './read-code.js'

/** The target of a tool's `metadata.delegate`, or the reason why it cannot be used. */
type Delegate =
  /** Code that is compiled to a module, whose default export runs the tool. */
  | { source: UnitSource }
  /** Markdown, used unchanged. */
  | { inline: InlineRecord }
  /** Another tool, which is looked up when this one runs. */
  | { tool: string }
  | { problem: string }

const PLAIN_MODULE = /\.[cm]?[jt]s$/
const SKILL_FILE = /(?:^|\/)skill\.md$|\.skill\.(?:md|ts|js|mts|mjs)$/i

/**
 * Reads a delegate.
 *
 * @param file the path in `directory` of the skill that has the delegate; relative paths start at its folder
 */
export function readDelegate(value: string, directory: string, file: string): Delegate {
  if (value.startsWith('inline://')) return readInline(value)
  const reference = parseReference(value)
  if (reference.kind !== 'path')
    return reference.kind === 'none' ? { problem: 'it is empty' } : { tool: value }
  const absolute = resolve(directory, dirname(file), reference.path)
  // A circular link cannot be followed either, and an impossible name cannot even be looked at.
  const stat = orNull(() => statSync(absolute))
  if (stat === null) {
    const isLink = orNull(() => lstatSync(absolute))?.isSymbolicLink()
    return { problem: isLink ? 'the symbolic link leads nowhere' : 'there is no such file' }
  }
  if (stat.isDirectory() || SKILL_FILE.test(reference.path)) return { tool: value }
  if (!PLAIN_MODULE.test(reference.path))
    return { problem: 'it is neither a skill nor a JavaScript or TypeScript file' }
  const path = relative(directory, absolute).replaceAll('\\', '/')
  return { source: { key: path, file: path } }
}

function readInline(value: string): Delegate {
  try {
    const { kind, text } = parseInline(value)
    if (kind === 'markdown') return readMarkdown(text)
    return { source: { key: `inline-${hash('sha256', text).slice(0, 16)}`, code: text } }
  } catch (error) {
    if (isAgentAppsError(error)) return { problem: error.message }
    throw error
  }
}

/** Reads a Markdown skill that is written in the frontmatter. */
function readMarkdown(text: string): Delegate {
  const bytes = Buffer.from(text)
  const source = { path: 'inline.skill.md', kind: 'file', folderName: '', atRoot: false } as const
  const { tools, findings } = parseFile(bytes, source)
  const [start, end] = tools[0]?.record.content ?? [0, 0]
  if (tools.length > 0) return { inline: { markdown: bytes.subarray(start, end).toString('utf8') } }
  return { problem: findings.map(finding => toDiagnostic('', finding).reason).join('; ') }
}

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

/** The contents of a delegate's file; null for a file that must not or cannot be read, which bundling reports. */
function textOf(directory: string, file: string): string | null {
  return orNull(() => {
    const real = realpathSync.native(join(directory, file))
    return belongsTo(projectRoot(directory), real) ? readSkillFile(real).toString() : null
  })
}
