import { namespaceAt } from '../../../src/index/namespace-at.js'
import { unitAround } from '../../../src/index/unit-around.js'
import { isName } from '../../../src/skill/names.js'
import { namespaceProblem, qualifiedName } from '../../../src/skill/namespaces.js'
import { FILE_START, finding } from '../../diagnostics/diagnostics.js'
import { type Unit, WHOLE } from '../../records/unit.js'
import type { Walk } from '../../records/walked.js'

/**
 * Gives a walk's skills the namespace of their path entry, where it has one, and those that were skipped the
 * names that they would have. A skill never loads without its namespace.
 */
export function withNamespaces<Walked extends Walk>(walked: Walked, namespace: string | undefined): Walked {
  const unitOf = unitFinder(walked.units, namespace)
  for (const one of walked.skipped)
    if (one.names)
      one.names = one.names.map(name => qualifiedName(unitOf(one.path).namespace, name)).filter(isName)
  if (namespace === undefined) return walked
  const skills = walked.skills.filter(skill => {
    skill.unit = unitOf(skill.path)
    const problem = skill.unit.namespace === undefined ? null : namespaceProblem(skill.unit.namespace)
    if (problem !== null) {
      const why = finding('namespace-invalid', FILE_START, skill.unit.namespace ?? '', problem)
      walked.skipped.push({ path: skill.path, finding: why, counts: true })
    }
    return problem === null
  })
  return { ...walked, skills }
}

/** Finds the unit of a file by its path in a path entry, which may have a namespace of its own. */
export function unitFinder(units: readonly Unit[], namespace: string | undefined): (path: string) => Unit {
  const known = new Map<string, Unit>()
  return path => {
    const unit = unitAround(units, path) ?? WHOLE
    if (namespace === undefined) return unit
    const own = namespaceAt(path, { namespace })
    const key = `${unit.path}\0${own}`
    const named = known.get(key) ?? { ...unit, ...(own !== '' && { namespace: own }) }
    known.set(key, named)
    return named
  }
}
