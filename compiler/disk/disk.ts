/**
 * The parser with which a runtime reads files that are not compiled. Only the runtime imports it.
 *
 * @module agent-apps/compiler/disk
 */

import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { CodeAnswer, CodeSource, DiskParser, EntryToRead } from '../../src/content/disk-parser.js'
import type { ContentRecord } from '../../src/index/content-record.js'
import { unitAround } from '../../src/index/unit-around.js'
import type { ToolKind } from '../../src/skill/frontmatter.js'
import { discoverUnits, discoveryDigest } from '../1-read/discover/discover-units.js'
import { unitFinder, walkEntry, withNamespaces } from '../1-read/discover/walk-entry.js'
import { placeOf } from '../1-read/locate-problems.js'
import { describesEntry, parseFile } from '../1-read/markdown/parse-file.js'
import { parseSkill } from '../1-read/read-skills.js'
import { walk } from '../1-read/walk/walk.js'
import { evaluateModules, evaluationFault } from '../2-resolve/modules/evaluate-modules.js'
import { FILE_START, type Finding, finding, toDiagnostic } from '../diagnostics/diagnostics.js'
import { forbiddenKeyIn } from '../diagnostics/forbidden-keys.js'
import type { ParsedContent } from '../directives/parse-content.js'
import { parseContentWithin } from '../directives/parse-content-within.js'
import { bundleApart, bundledInputs, importBundled } from '../esbuild/import-bundled.js'
import type { ModuleSource } from '../esbuild/module-source.js'
import { pickStat } from '../files/regular-file.js'
import { ignoreMatcher } from '../project/ignore-matcher.js'
import { statOf } from '../project/project.js'
import { type Unit, WHOLE } from '../records/unit.js'
import type { Walk, WalkedSkill } from '../records/walked.js'
import { directoryNames } from './directory-names.js'

/** Reads directories as the compiler does, and keeps the result in memory instead of writing an index. */
export const parser: DiskParser = {
  readDirectory(entry, before) {
    const madeAt = Date.now()
    const folders: string[] = []
    const walked = walkEntry(entry, {
      isIgnored: ignoreMatcher(entry.ignore),
      onDirectory: folder => folders.push(folder),
    })
    return directoryNames(entry.dir, { ...walked, folders }, madeAt, before)
  },

  isIgnored({ ignore }, path) {
    const isIgnored = ignoreMatcher(ignore)
    return path.split('/').some((_, depth, parts) => isIgnored(parts.slice(0, depth + 1).join('/')))
  },

  listingOf: ({ dir, ignore }) => discoveryDigest(dir, discoverUnits(dir, ignoreMatcher(ignore))),

  readFile(entry, path) {
    const madeAt = Date.now()
    return directoryNames(entry.dir, walkedPlace(entry, path), madeAt)
  },

  readMarkdown(text, file) {
    const bytes = Buffer.from(text)
    const { tools, findings } = parseFile(bytes, { path: file, kind: 'file', folderName: '', atRoot: false })
    const [tool] = tools
    const fatal = findings.map(finding => toDiagnostic(file, finding)).find(diagnostic => diagnostic.fatal)
    if (!tool)
      return {
        broken:
          fatal ?? toDiagnostic(file, { rule: 'name-missing', place: { line: 1, column: 1 }, found: [] }),
      }
    const [start, end] = tool.record.content ?? [0, 0]
    return { frontmatter: tool.record.frontmatter, content: bytes.subarray(start, end).toString('utf8') }
  },

  async placeOf(entry, file, name, path) {
    const { tools } = await parseSkill(walkedFile(entry, file))
    const tool = tools.find(one => one.name === name)
    return tool ? placeOf(path, tool.at) : null
  },

  async readContent(entry, file, name, known, work) {
    const body = (await parseSkill(walkedFile(entry, file))).tools.find(tool => tool.name === name)
    if (body?.content === undefined) return null
    const { text, line } = body.body ?? { text: body.content, line: 1 }
    return { text, content: contentRecord(text, await parseContentWithin(text, known, line, work)) }
  },

  parseContent: async (text, known, work) =>
    contentRecord(text, await parseContentWithin(text, known, 1, work)),

  askCode,

  inputsOf: (directory, source, external) =>
    bundledInputs(directory, moduleSource(directory, source), external),

  importModule: (directory, source, external) =>
    importBundled(directory, moduleSource(directory, source), external),
}

function moduleSource(directory: string, source: CodeSource): ModuleSource {
  return 'file' in source
    ? { file: resolve(directory, source.file) }
    : { code: source.code, from: join(directory, source.from) }
}

function contentRecord({ length }: string, { parts, faults: [problem] }: ParsedContent): ContentRecord {
  return { length, parts, ...(problem && { problem }) }
}

function kindOf(file: string): ToolKind {
  if (/\.skill\.(?:ts|js|mts|mjs)$/.test(file)) return 'code'
  return file.endsWith('.skill.md') ? 'file' : 'folder'
}

/** True for a SKILL.md that is a link out of its folder: it is refused, as the walk refuses it. */
function leavesItsFolder(file: string): boolean {
  if (kindOf(file) !== 'folder') return false
  return !realpathSync.native(file).startsWith(join(realpathSync.native(dirname(file)), sep))
}

/**
 * The walk of one skill file that was named by its path. Where the file, or a folder above it, cannot be
 * read, the names that it would give are taken nevertheless; a link that led nowhere may be a folder by now.
 */
function walkedPlace(entry: EntryToRead, path: string): Walk {
  const { dir } = entry
  const units = unitsOf(entry)
  const file = join(dir, path)
  // It may be gone since it was looked at. One that may not be looked at is reported by the walk.
  if (statOf(dir) === undefined) return { skills: [], skipped: [], listing: '', units }
  const isHere = (other: string): boolean => other === path || other.startsWith(`${path}/`)
  const isAbove = (other: string): boolean =>
    path.startsWith(`${other}/`) ||
    (/(?:^|\/)skill\.md$/i.test(other) && path.startsWith(other.slice(0, -'SKILL.md'.length)))
  const around = unitAround(units, path) ?? WHOLE
  const unit: Unit = { ...around, places: [{ path: around.path, kind: 'tree' }] }
  const isIgnored = (other: string): boolean => !isHere(other) && !isAbove(other)
  const { skills, skipped } = withNamespaces(
    walk(dir, { isIgnored, describesEntry, units: [unit] }),
    entry.namespace,
  )
  const unseen = skipped.filter(
    ({ path: other, names }) => names && (isHere(other) || path.startsWith(`${other}/`)),
  )
  const isFile = unseen.length === 0 && isRegular(file) && !leavesItsFolder(file)
  const isUnseen = unseen.some(other => other.path === path)
  const others = skills.filter(
    skill => skill.path.startsWith(`${path}/`) || (skill.path === path && skill.unseen !== undefined),
  )
  return {
    skills: isFile ? [walkedFile(entry, path)] : isUnseen ? [] : others,
    skipped: unseen,
    listing: '',
    units,
  }
}

function isRegular(file: string): boolean {
  const stat = statOf(file)
  return typeof stat === 'object' && stat.isFile()
}

/** A skill file that was named by its path, as the walk of its directory would have found it. */
function walkedFile(entry: EntryToRead, path: string): WalkedSkill {
  const { dir, namespace } = entry
  const absolute = join(dir, path)
  const folder = dirname(absolute)
  const kind = kindOf(path)
  return {
    ...pickStat(statSync(absolute)),
    path,
    root: dir,
    kind,
    folderName: basename(realpathSync.native(folder)),
    atRoot: !path.includes('/'),
    unit: unitFinder(unitsOf(entry), namespace)(path),
    // Found only on request: the folder may hold much more than the file.
    get resources() {
      return kind === 'folder'
        ? (walk(folder).skills.find(skill => skill.path === basename(path))?.resources ?? [])
        : []
    },
    findings: [],
  }
}

/** The units of an entry, for what is looked for in one of its files. */
function unitsOf({ units = [] }: EntryToRead): Unit[] {
  return units.map(unit => ({ ...unit, places: [] }))
}

/**
 * Runs a code skill that is not compiled for the metadata that only running it tells. It runs in a process
 * of its own, with the limits of compiling, since its top level may do anything.
 *
 * @throws TOOL_BROKEN where the code cannot be bundled
 */
async function askCode(
  directory: string,
  file: string,
  exported: string,
  external?: readonly string[],
): Promise<CodeAnswer> {
  const bundled = await bundleApart(directory, { file: join(directory, file) }, external)
  const [result] = await evaluateModules([{ file: bundled.file, exports: [exported] }])
  const broken = (why: Finding): CodeAnswer => ({ broken: toDiagnostic(file, why) })
  if (result?.problem) return broken(evaluationFault(result.problem, file))
  const { message, hint } = result?.unsupported.get(exported) ?? {}
  if (message !== undefined && hint !== undefined)
    return broken(finding('schema-unsupported', FILE_START, message, hint))
  const verbatim = result?.frontmatter.get(exported) ?? {}
  const key = forbiddenKeyIn(verbatim)
  return key === null ? { verbatim } : broken(finding('forbidden-key', FILE_START, key))
}
