import type { Diagnostic } from '../../src/diagnostic.js'
import type { CachedFile } from '../compile-cache.js'
import { type Finding, toDiagnostic } from '../diagnostics.js'
import type { LinkedDirectory } from '../linked-directory.js'
import type { SkillUnit } from '../skill-unit.js'
import { emptyLines, encodeDetails, encodeFile, encodeName, type Lines } from './encode-index.js'

/**
 * The lines of a directory's index. Tools that were not read anew keep the lines of the last compile.
 * Whoever calls has seen to it that `previous` has them.
 */
export function recordLines(
  { units, names, findings, given }: LinkedDirectory,
  previous: Lines | null,
  otherInputs: ReadonlyMap<string, CachedFile>,
): Lines {
  const lines = emptyLines()
  for (const [name, { unit, tool, broken }] of names) {
    if (broken) {
      lines.tools.set(name, encodeName(name, { broken: toDiagnostic(unit.path, broken), file: unit.path }))
    } else if (tool?.fresh) {
      lines.tools.set(name, encodeName(name, tool.fresh.record))
      lines.details.set(name, encodeDetails(name, tool.fresh.details))
    } else {
      lines.tools.set(name, kept(previous?.tools, name))
      lines.details.set(name, kept(previous?.details, name))
    }
  }
  for (const unit of units) {
    const record = {
      diagnostics: indexedDiagnostics(unit, findings.get(unit.path)),
      sha256: unit.sha256,
      size: unit.size,
      tools: given.get(unit.path) ?? [],
    }
    lines.files.set(unit.path, encodeFile(unit.path, record))
  }
  for (const [path, { stat, sha256 }] of otherInputs) {
    lines.files.set(path, encodeFile(path, { diagnostics: [], sha256, size: stat.size, tools: [] }))
  }
  return lines
}

/**
 * Errors and warnings; what is only worth knowing while writing a skill is told by `check`, and not shipped. Which
 * patterns match nothing depends on other directories, and the index does not.
 */
function indexedDiagnostics({ path, findings }: SkillUnit, linkFindings: Finding[] = []): Diagnostic[] {
  return [...findings, ...linkFindings]
    .filter(({ rule }) => rule !== 'pattern-unmatched')
    .map(finding => toDiagnostic(path, finding))
    .filter(({ severity }) => severity !== 'info')
}

function kept(lines: Map<string, string> | undefined, name: string): string {
  const line = lines?.get(name)
  if (line === undefined) throw new Error(`The last compile's records of "${name}" are missing.`)
  return line
}
