import { hash } from 'node:crypto'
import { lstatSync, statSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { orNull } from '../../../src/base/attempt.js'
import { isAgentAppsError } from '../../../src/base/error.js'
import type { InlineRecord } from '../../../src/index/index-format.js'
import { parseInline } from '../../../src/skill/inline-reference.js'
import { parseReference } from '../../../src/skill/reference.js'
import { toDiagnostic } from '../../diagnostics/diagnostics.js'
import type { UnitSource } from '../../records/skill-unit.js'
import { parseFile } from '../markdown/parse-file.js'

/** What a tool's `metadata.delegate` refers to, or why it cannot be used. */
export type Delegate =
  /** Code that is compiled to a module, whose default export runs the tool. */
  | { source: UnitSource }
  /** Markdown that is used as it is. */
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
