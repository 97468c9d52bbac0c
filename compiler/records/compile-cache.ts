import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type FileDigest, INDEX_DIRECTORY } from '../../src/index/index-format.js'
import type { ReferenceKind } from '../../src/skill/references.js'
import { type Finding, isRuleName, type Place, type RuleName } from '../diagnostics/diagnostics.js'
import type { FileStat } from '../files/file-stat.js'
import { VERSION } from '../files/package-place.js'
import { LongList, readSealed, sealedJson } from '../files/sealed-file.js'
import type { LinkedDirectory } from './linked-directory.js'
import {
  type CascadeInput,
  cascadeInput,
  type DelegateReference,
  directivesOf,
  type SkillUnit,
  type UnitSource,
  type UnitTool,
} from './skill-unit.js'

export const CACHE_FILE = `${INDEX_DIRECTORY}/cache.json`
export const BUNDLE_CACHE_FILE = `${INDEX_DIRECTORY}/cache-bundle.json`

/**
 * What the last compile of a directory on this machine saw, so that the next one reads only what changed. It
 * is no part of the output and may be lost at any time: the index is the same without it.
 */
export interface CompileCache {
  /** SHA-256 of the `.agent-apps.json` it goes with. */
  header: string
  /** The packages that were not bundled. */
  external: string[]
  /** Milliseconds since the epoch. */
  savedAt: number
  files: Map<string, CachedFile>
  units: Map<string, SkillUnit>
  /** The digest of what took names without having been looked at. */
  unseen: string
  /** By source key. */
  modules: Map<string, CachedModule>
  /** By digest of a schema: the file that it was compiled to. */
  validators: Map<string, string>
  /** All files that modules consist of, relative to the directory. */
  moduleFiles: string[]
  /** What all files that code or a schema was compiled to hold, by path relative to the directory. */
  made: Map<string, FileDigest>
  /** What the cascades of the directory's tools had wrong, by file. It holds as long as the index's `cascadeKey` does. */
  cascadeFindings: Map<string, Finding[]>
  /** What the contents of the directory's tools had wrong, by file. It holds as long as those contents do. */
  contentFindings: Map<string, Finding[]>
  /** The skill files of which something is found that not they alone show. */
  found: string[]
  /** The other files in the index. */
  otherFiles: ReadonlyMap<string, FileDigest>
  /** The directories of others in which a base may lie, absolute: cascades hold as long as they are the same. */
  elsewhere: string[]
}

/** Code that was made a module. */
export interface CachedModule {
  /** Relative to the directory. */
  file: string
  /** The project's own files in it, relative to the directory; they may begin with `../`. */
  inputs: string[]
}

export interface CachedFile {
  stat: FileStat
  sha256: string
}

/** As stored: tuples, because ten thousand of them are read at every start. */
interface StoredCache {
  version: string
  header: string
  external: string[]
  files: StoredFile[]
  units: StoredUnit[]
  unseen: string
  modules: [key: string, file: string, inputs: string[]][]
  validators: [digest: string, file: string][]
  moduleFiles: string[]
  made: StoredDigest[]
  cascadeFindings: [path: string, findings: StoredFinding[]][]
  contentFindings: [path: string, findings: StoredFinding[]][]
  found: string[]
  otherFiles: StoredDigest[]
  elsewhere: string[]
}
type StoredDigest = [file: string, size: number, sha256: string]
type StoredFile = [path: string, size: number, mtimeMs: number, ctimeMs: number, ino: number, sha256: string]
type StoredUnit = [
  path: string,
  shape: string,
  tools: [
    name: string,
    line: number,
    column: number,
    written: boolean,
    cascade: CascadeInput | null,
    delegate: StoredDelegate | null,
    content: [directives: readonly string[], included: string[]] | null,
    references: StoredReference[],
    ...validators: string[],
  ][],
  broken: [name: string, finding: StoredFinding][],
  findings: StoredFinding[],
  sources: UnitSource[],
  catalogTokens: number[],
  ...ignored: string[],
]
type StoredReference = [kind: ReferenceKind, ref: string, line: number, column: number]
type StoredDelegate = [ref: string, line: number, column: number]
type StoredFinding = [rule: string, line: number, column: number, ...found: string[]]

/** The cache of a directory; null where there is none, or none that this version can use. */
export function readCache(directory: string): CompileCache | null {
  try {
    const file = join(directory, CACHE_FILE)
    const stored = readSealed<StoredCache>(file)
    if (stored?.version !== VERSION) return null
    return { ...decode(stored), savedAt: statSync(file).mtimeMs }
  } catch {
    // Absent, or not to be read: the compile is slower by it, and no different.
    return null
  }
}

/** What a compile saw and made, as the bytes of the cache's file, in pieces. */
export function encodeCache({
  header,
  external,
  files,
  linked,
  unseen,
  modules,
  cascadeFindings,
  contentFindings,
  otherFiles,
  elsewhere,
}: {
  header: string
  external: string[]
  files: Map<string, CachedFile>
  linked: LinkedDirectory
  unseen: string
  modules: Pick<CompileCache, 'modules' | 'validators' | 'moduleFiles' | 'made'>
  cascadeFindings: Map<string, Finding[]>
  contentFindings: Map<string, Finding[]>
  otherFiles: ReadonlyMap<string, FileDigest>
  elsewhere: string[]
}): Uint8Array[] {
  const stored: { [Key in keyof StoredCache]: StoredCache[Key] | LongList } = {
    version: VERSION,
    header,
    external,
    files: new LongList(storeFiles(files)),
    units: new LongList(storeUnits(linked)),
    unseen,
    modules: [...modules.modules].map(([key, { file, inputs }]) => [key, file, inputs]),
    validators: [...modules.validators],
    moduleFiles: modules.moduleFiles,
    made: storeDigests(modules.made),
    cascadeFindings: storeFindings(cascadeFindings),
    contentFindings: storeFindings(contentFindings),
    found: [...linked.findings.keys()],
    otherFiles: storeDigests(otherFiles),
    elsewhere,
  }
  return sealedJson(stored)
}

function* storeFiles(files: ReadonlyMap<string, CachedFile>): Generator<StoredFile> {
  for (const [path, { stat, sha256 }] of files)
    yield [path, stat.size, stat.mtimeMs, stat.ctimeMs, stat.ino, sha256]
}

function* storeUnits({ units, names }: LinkedDirectory): Generator<StoredUnit> {
  for (const unit of units) {
    if (!isCacheable(unit)) continue
    yield [
      unit.path,
      unit.shape,
      unit.tools.map(tool => [
        tool.name,
        tool.place.line,
        tool.place.column,
        names.get(tool.name)?.tool === tool,
        cascadeInput(tool) ?? null,
        storeDelegate(tool),
        storeContent(tool),
        tool.references.map(({ kind, ref, line, column }): StoredReference => [kind, ref, line, column]),
        ...(tool.validators ?? []),
      ]),
      unit.broken.map(item => [item.name, storeFinding(item.finding)]),
      unit.findings.map(storeFinding),
      unit.sources,
      unit.tools.map(({ catalogTokens = 0 }) => catalogTokens),
      ...(unit.ignored ?? []),
    ]
  }
}

/** Faults that lie in more than the file itself, so that a file which did not change can be rid of them. */
const RECHECKED: readonly RuleName[] = [
  'code-import',
  'code-throws',
  'code-hangs',
  'code-exits',
  'delegate-invalid',
]

function isCacheable({ findings }: SkillUnit): boolean {
  return !findings.some(({ rule }) => RECHECKED.includes(rule))
}

function decode({
  header,
  external,
  files,
  units,
  unseen,
  modules,
  validators,
  moduleFiles,
  made,
  cascadeFindings,
  contentFindings,
  found,
  otherFiles,
  elsewhere,
}: StoredCache): Omit<CompileCache, 'savedAt'> {
  const cachedFiles = new Map<string, CachedFile>()
  for (const [path, size, mtimeMs, ctimeMs, ino, sha256] of files) {
    cachedFiles.set(path, { stat: { size, mtimeMs, ctimeMs, ino }, sha256 })
  }
  const cachedUnits = new Map<string, SkillUnit>()
  for (const unit of units) {
    const file = cachedFiles.get(unit[0])
    if (file) cachedUnits.set(unit[0], decodeUnit(unit, file))
  }
  return {
    header,
    external: [...external],
    files: cachedFiles,
    units: cachedUnits,
    unseen,
    modules: new Map(modules.map(([key, file, inputs]) => [key, { file, inputs }])),
    validators: new Map(validators),
    moduleFiles,
    made: readDigests(made),
    cascadeFindings: readFindings(cascadeFindings),
    contentFindings: readFindings(contentFindings),
    found: [...found],
    otherFiles: readDigests(otherFiles),
    elsewhere: [...elsewhere],
  }
}

function decodeUnit(
  [path, shape, tools, broken, findings, sources, tokens, ...ignored]: StoredUnit,
  { stat, sha256 }: CachedFile,
): SkillUnit {
  return {
    path,
    shape,
    size: stat.size,
    sha256,
    tools: tools.map(
      ([name, line, column, written, cascade, delegate, content, references, ...validators], number) => ({
        name,
        place: { line, column },
        written,
        references: references.map(([kind, ref, line, column]) => ({ kind, ref, line, column })),
        cascade: cascade ?? undefined,
        catalogTokens: tokens[number] ?? 0,
        ...(delegate && { delegate: restoreDelegate(delegate) }),
        directives: content === null ? [] : [...content[0]],
        ...(content && { included: [...content[1]] }),
        ...(validators.length > 0 && { validators }),
      }),
    ),
    broken: broken.map(([name, stored]) => ({ name, finding: readFinding(stored) })),
    findings: findings.map(readFinding),
    ...(ignored.length > 0 && { ignored: ignored.filter(isRuleName) }),
    sources,
  }
}

function storeDelegate({ delegate }: UnitTool): StoredDelegate | null {
  return delegate ? [delegate.ref, delegate.place.line, delegate.place.column] : null
}

function storeContent(tool: UnitTool): [directives: readonly string[], included: string[]] | null {
  const directives = directivesOf(tool)
  return directives.length > 0 ? [directives, tool.included ?? []] : null
}

function restoreDelegate([ref, line, column]: StoredDelegate): DelegateReference {
  return { ref, place: { line, column } }
}

function storeDigests(files: ReadonlyMap<string, FileDigest>): StoredDigest[] {
  return [...files].map(([file, { size, sha256 }]) => [file, size, sha256])
}

function readDigests(stored: readonly StoredDigest[]): Map<string, FileDigest> {
  return new Map(stored.map(([file, size, sha256]) => [file, { size, sha256 }]))
}

function storeFindings(findings: ReadonlyMap<string, Finding[]>): StoredCache['cascadeFindings'] {
  return [...findings].map(([path, found]) => [path, found.map(storeFinding)])
}

function readFindings(stored: StoredCache['cascadeFindings']): Map<string, Finding[]> {
  return new Map(stored.map(([path, found]) => [path, found.map(readFinding)]))
}

function storeFinding({ rule, place, found }: Finding): StoredFinding {
  return [rule, place.line, place.column, ...found]
}

function readFinding([rule, line, column, ...found]: StoredFinding): Finding {
  if (!isRuleName(rule)) throw new Error(`unknown rule ${rule}`)
  const place: Place = { line, column }
  return { rule, place, found }
}
