import { disk } from '#disk'
import type { Diagnostic } from '../../src/base/diagnostic.js'
import type { ToolRecord } from '../../src/index/index-format.js'
import { readFrontmatter } from '../../src/skill/role-meant.js'
import { isNotEvaluated, noteNotEvaluated } from '../directory/not-evaluated.js'
import { loadParser } from '../directory/read-files.js'
import type { Globals } from '../state/context.js'
import { addDiagnostic } from '../state/globals.js'
import type { Resolution, ToolDef } from '../state/tool-def.js'
import type { ToolSource } from '../state/tool-source.js'

/** Code that is running for its metadata, so that concurrent calls run it once. */
const asking = new WeakMap<ToolRecord, Promise<Diagnostic | null>>()

/**
 * Completes a tool from disk whose metadata only its code tells; broken if the code fails.
 */
export async function completeTool(tool: ToolDef, source: ToolSource, globals: Globals): Promise<Resolution> {
  if (isNotEvaluated(source, globals)) {
    noteNotEvaluated(source, globals)
    return { tool }
  }
  const known = asking.get(source.record)
  const asked =
    known ??
    completeFrontmatter(tool, source, globals).catch(error =>
      notImported(disk.resolve(source.state.dir, source.record.file), error),
    )
  if (!known) asking.set(source.record, asked)
  const fault = await asked
  if (asking.get(source.record) === asked) asking.delete(source.record)
  if (fault === null) return { tool }
  addDiagnostic(globals, fault)
  return { broken: fault }
}

/**
 * Runs the code of an uncompiled tool for the metadata that is not literal, and adds it to the tool's frontmatter.
 *
 * @returns the fault of the code, or null
 */
async function completeFrontmatter(
  tool: ToolDef,
  source: ToolSource,
  globals: Globals,
): Promise<Diagnostic | null> {
  const { state, record } = source
  const parser = await loadParser(globals)
  if (parser === null) return null
  const { exported = 'default' } = record
  const asked = await parser.askCode(state.dir, record.file, exported, globals.config.external)
  if (asked.broken) return { ...asked.broken, file: disk.resolve(state.dir, record.file) }
  Object.assign(tool.frontmatter, readFrontmatter(asked.verbatim, { kind: 'code', name: tool.name }))
  source.verbatim = asked.verbatim
  delete record.dynamic
  delete tool.frontmatter.paramsUnknown
  return null
}

/** The diagnostic of a file whose code throws when it is imported. */
function notImported(file: string, error: Error): Diagnostic {
  return {
    file,
    line: 1,
    column: 1,
    rule: 'code-throws',
    severity: 'error',
    reason: `Importing the file throws: ${error.message}`,
    note: 'Do nothing at the top level that can fail; move it into the tool.',
    fatal: true,
  }
}
