import type { FileRecord, NameRecord, ToolDetails } from '../../src/index-format.js'
import { isBroken } from '../../src/index-format.js'
import { type Finding, finding, toDiagnostic } from '../diagnostics.js'
import type { SkillUnit } from '../skill-unit.js'
import { breakUnit, EVALUATION_RULES, toolsToRun, type UnitModules } from './unit-modules.js'

/** An index's records, each a line `"key":{…}`, and the modules it names. */
interface Written {
  lines: Record<'tools' | 'details' | 'files', ReadonlyMap<string, string>>
  modules: readonly string[]
}

/**
 * Gives units what running their modules told when the index was written, where file and module are still the
 * same, so that comparing with an index runs nothing.
 */
export function recallEvaluations(
  units: readonly SkillUnit[],
  { modules }: UnitModules,
  written: Written,
): void {
  for (const unit of units) {
    const running = toolsToRun(unit)
    const module = modules.get(unit.path)?.file
    const file = recordOf<FileRecord>(written.lines.files, unit.path)
    const isSame =
      module !== undefined && written.modules.includes(module) && file !== null && file.sha256 === unit.sha256
    if (running.length === 0 || !isSame) continue
    const fault = faultOf(file, unit.path)
    if (fault) {
      breakUnit(unit, fault)
      continue
    }
    for (const { name, fresh } of running) {
      const record = recordOf<NameRecord>(written.lines.tools, name)
      const details = recordOf<ToolDetails>(written.lines.details, name)
      const isOwn = record !== null && !isBroken(record) && record.file === unit.path
      if (!fresh?.code || fresh.code.dynamic.length === 0 || !isOwn || !details) continue
      fresh.record.frontmatter = record.frontmatter
      fresh.details = details
      fresh.code.dynamic = []
    }
  }
}

/** What importing the file was found to do. */
function faultOf({ diagnostics }: FileRecord, path: string): Finding | null {
  for (const { rule, line, column, reason } of diagnostics) {
    const known = EVALUATION_RULES.find(one => one === rule)
    if (!known) continue
    const place = { line, column }
    const before = toDiagnostic(path, finding(known, place, '')).reason
    return finding(known, place, reason.slice(before.length))
  }
  return null
}

function recordOf<Type>(lines: ReadonlyMap<string, string>, key: string): Type | null {
  const line = lines.get(key)
  return line === undefined ? null : ((JSON.parse(`{${line}}`) as Record<string, Type>)[key] ?? null)
}
