import { statSync } from 'node:fs'
import { nearest } from '../src/nearest.js'
import { parseReference } from '../src/reference.js'
import { finding } from './diagnostics.js'
import { parser } from './disk.js'
import type { Project } from './project.js'
import type { ReportPart } from './report.js'

/**
 * Says which delegates name a tool that nothing has which the project searches. It takes all directories to know, so
 * it is said of a compile, and stands in no index. A program may still register such a tool.
 */
export async function checkReferences<Part extends ReportPart>(
  parts: readonly Part[],
  { others, library }: Project,
): Promise<Part[]> {
  const names = new Set(parts.flatMap(({ linked }) => [...linked.names.keys()]))
  const isUnknown = ({ name }: { name: string }): boolean => !names.has(name)
  if (!parts.some(part => delegates(part).some(isUnknown))) return [...parts]
  // Somebody else's directories are read only where they could know.
  for (const name of await namesOf(library === null ? others : [...others, { dir: library, ignore: [] }]))
    names.add(name)
  return parts.map(part => ({
    ...part,
    unresolved: delegates(part)
      .filter(isUnknown)
      .map(({ path, name, place }) => ({
        path,
        finding: finding('delegate-unknown', place, name, nearest(name, names) ?? ''),
      })),
  }))
}

/** The delegates of a directory that are bare names. */
function delegates({ linked: { units } }: ReportPart) {
  return units.flatMap(({ path, tools }) =>
    tools.flatMap(({ delegate }) => {
      const reference = delegate && parseReference(delegate.ref)
      return delegate && reference?.kind === 'name'
        ? [{ path, name: reference.name, place: delegate.place }]
        : []
    }),
  )
}

async function namesOf(others: Project['others']): Promise<string[]> {
  const read = await Promise.all(
    // As to a runtime, one that is not there has no names.
    others.filter(isThere).map(({ dir, ignore }) => parser.readDirectory(dir, ignore)),
  )
  return read.flatMap(directory => directory.names())
}

function isThere({ dir }: { dir: string }): boolean {
  return statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true
}
