import { join, resolve } from 'node:path'
import type { Diagnostic } from '../src/base/diagnostic.js'
import { type PathEntry, type SearchDirectory, searchDirectories } from '../src/skill/path-entry.js'
import { discoverUnits, isOursAlone } from './1-read/discover/discover-units.js'
import { type WalkedEntry, walkEntry } from './1-read/discover/walk-entry.js'
import { toDiagnostic } from './diagnostics/diagnostics.js'
import { type RuleSettings, withSetting } from './diagnostics/rule-settings.js'
import { ignoreMatcher } from './project/ignore-matcher.js'

/**
 * The findings of `check` about skills of repositories that no manifest and no convention names. `file` is
 * the repository, absolute.
 */
export function skillsElsewhere(paths: readonly PathEntry[], rules: RuleSettings = {}): Diagnostic[] {
  return repositories(paths).flatMap(({ dir, ...entry }) =>
    walked({ dir, ...entry }).skipped.flatMap(({ finding }) => {
      if (finding.rule !== 'paths-guessed' && finding.rule !== 'skills-elsewhere') return []
      return withSetting(toDiagnostic(dir, finding), rules) ?? []
    }),
  )
}

/**
 * The directories, absolute, that `check` reads beside skills which are only in places that other programs do
 * not know.
 */
export function guessedDirectories(paths: readonly PathEntry[]): string[] {
  return repositories(paths)
    .filter(({ dir, ignore }) => {
      const { units } = discoverUnits(dir, ignoreMatcher(ignore))
      return units.every(({ places }) => places.every(({ path }) => isOursAlone(path)))
    })
    .flatMap(entry => {
      const { elsewhere } = walked(entry)
      const places = elsewhere?.guessed === 'beside' ? elsewhere.places : []
      return places.map(({ path }) => join(entry.dir, path))
    })
}

function repositories(paths: readonly PathEntry[]): SearchDirectory[] {
  return searchDirectories(paths)
    .filter(({ discover, external, layer }) => discover === true && !external && layer === 'project')
    .map(entry => ({ ...entry, dir: resolve(entry.dir) }))
}

function walked(entry: SearchDirectory): WalkedEntry {
  return walkEntry(entry, { isIgnored: ignoreMatcher(entry.ignore), elsewhere: 'read' })
}
