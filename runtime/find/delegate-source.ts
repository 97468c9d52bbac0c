import { disk } from '#disk'
import { AgentAppsError } from '../../src/base/error.js'
import type { CodeSource } from '../../src/content/disk-parser.js'
import { isDefinedTool } from '../../src/own/defined-tool.js'
import { parseInline, parseReference } from '../../src/skill/reference.js'
import type { ToolFunction } from '../state/tool-def.js'
import type { ToolSource } from '../state/tool-source.js'

/** The reference that a delegate means: a path starts from the file of the skill. */
export function delegateTarget(ref: string, { state, record }: ToolSource): string {
  return parseReference(ref).kind === 'path' ? disk.resolve(state.dir, record.file, '..', ref) : ref
}

export function noTool(what: string, where: { tool: string; file?: string }): AgentAppsError {
  const hint = 'Export a function, or something made with `defineTool`.'
  return new AgentAppsError('TOOL_BROKEN', `${what} is not a function.`, { hint, ...where })
}

/** The code of a delegate that is inline or a plain module; null for one that names a tool. */
export function delegateSource({ state, record }: ToolSource): CodeSource | null {
  const { file, frontmatter } = record
  const { delegate } = frontmatter.metadata
  if (typeof delegate !== 'string') return null
  if (delegate.startsWith('inline://')) {
    const { kind, text } = parseInline(delegate)
    return kind === 'code' ? { code: text, from: file } : null
  }
  const isModule = parseReference(delegate).kind === 'path' && /\.[cm]?[jt]s$/.test(delegate)
  return isModule && !/\.skill\.[a-z]+$/.test(delegate)
    ? { file: disk.resolve(state.dir, file, '..', delegate) }
    : null
}

/** The function of an export; null for anything but a tool. */
export function functionOf(value: unknown): ToolFunction | null {
  if (isDefinedTool(value)) return value.fn
  return typeof value === 'function' ? (value as ToolFunction) : null
}
