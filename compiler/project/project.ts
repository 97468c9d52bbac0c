import { type Stats, statSync } from 'node:fs'
import type { Diagnostic } from '../../src/base/diagnostic.js'
import { isRefusal } from '../../src/base/refusal.js'
import type { DirectoryNames } from '../../src/index/directory-names.js'
import { namespaceAt } from '../../src/index/unit-around.js'
import type { Embedder } from '../../src/search/embedder.js'
import type { PathEntry, SearchDirectory } from '../../src/skill/path-entry.js'
import type { RuleSettings } from '../diagnostics/rule-settings.js'
import type { LinkedDirectory } from '../records/linked-directory.js'
import type { ParsedTool } from '../records/skill-unit.js'
import type { Unit } from '../records/unit.js'
import type { WalkedSkill } from '../records/walked.js'

export interface ProjectOptions {
  /** Path entries; default: the configuration's. */
  paths?: readonly PathEntry[] | undefined
  /**
   * The directory that relative paths start from and that shown paths are relative to. Default: the
   * process's.
   */
  cwd?: string | undefined
  /** A configuration file to use where `paths` is absent. */
  config?: string | undefined
  /**
   * npm packages that are not bundled with skills' code; default: the configuration's, where `paths` is
   * absent.
   */
  external?: readonly string[] | undefined
  /**
   * Patterns of the tools that hosts have of their own, which `allowed-tools` may name; default: the
   * configuration's, where `paths` is absent.
   */
  hostTools?: string | readonly string[] | undefined
}

/** The options of the functions that report faults. */
export interface ReportOptions extends ProjectOptions {
  /**
   * The severity of rules, by name. They override the configuration's, which count if `paths` is absent.
   * Rules about security, and rules whose skills do not load, have a fixed severity.
   */
  rules?: RuleSettings | undefined
}

/** One of the project's own directories, ready to be compiled. */
export interface ProjectDirectory extends SearchDirectory {
  /** The path shown to users: from `cwd`, `/`-separated; empty for `cwd` itself. */
  shown: string
  isIgnored: (path: string) => boolean
  /** True for a path, relative and `/`-separated, where skills are looked for unless it is ignored. */
  isSearched: (path: string) => boolean
  /** True if it may lack skills, because the configuration has agents: these may call registered tools. */
  mayBeEmpty: boolean
  /** npm packages that are not bundled with its code, sorted. */
  externalPackages: string[]
  /** False where the index gets no search file, because the configuration says so. */
  hasSearch: boolean
  /** The configuration's embedder, which makes vectors of its tools; null without one. */
  embedder: Embedder | null
}

export interface Project {
  /** The directories that are compiled, in search order. */
  directories: ProjectDirectory[]
  /** Other people's directories: external ones, and directories of other layers. */
  others: Omit<SearchDirectory, 'external'>[]
  /** Reads the names of `others`, once, when it is first called. */
  readOthers: () => Promise<OtherDirectory[]>
  /** The directory of the skills that the package ships; null where they are not searched. */
  library: string | null
  /** The directory that relative paths start from, absolute. */
  cwd: string
  /** The path entries, with absolute directories. */
  paths: PathEntry[]
  /** Every directory of theirs, in search order. */
  searched: SearchDirectory[]
  /** The project file for a runtime; null if `paths` was given and no configuration was read. */
  projectFile: ProjectText | null
  /** Variables of the environment that metadata and content may name. */
  env: readonly string[]
  /** Patterns of the tools that a bundle keeps, unless its options name others; undefined: all. */
  keep: readonly string[] | undefined
  /** Patterns of the tools that hosts have of their own. */
  hostTools: readonly string[]
  /** The severity of rules, where the project sets it. */
  rules: RuleSettings
  /** The faults for which directories of the configuration are left out, each with its file as shown. */
  faults: readonly Diagnostic[]
}

/** A project's file as it should be. */
export interface ProjectText {
  /** The folder of the configuration, absolute. */
  dir: string
  /** Its path from `cwd`, as in `ProjectDirectory`. */
  shown: string
  text: string
}

/** The stat of a path; `refused` where it may not be looked at, which reading it will report. */
export function statOf(path: string): Stats | 'refused' | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (isRefusal(error)) return 'refused'
    throw error
  }
}

/** The shown path of a directory's file. */
export function shownPath({ shown }: Pick<ProjectDirectory, 'shown'>, path: string): string {
  return path === '' ? shown || '.' : shown === '' ? path : `${shown}/${path}`
}

/** Another directory that a project searches. */
export interface OtherDirectory {
  dir: string
  layer: string
  names: DirectoryNames
}

/** One of a project's directories with its table of names. Arrays of them are in search order. */
export interface LinkedPart {
  directory: ProjectDirectory
  linked: LinkedDirectory
}

/** A linked directory whose skill files can be read once more. */
export interface ProjectPart extends LinkedPart {
  skills: readonly WalkedSkill[]
  units: readonly Unit[]
  /**
   * Parses a skill file again for the parts of a tool that no compile keeps; undefined where the tool is
   * gone.
   */
  parseTool: (file: string, name: string) => Promise<ParsedTool | undefined>
}

/** The namespace in which a file of a directory is written; empty for none. */
export function namespaceOfFile(
  { directory: { namespace }, linked, units }: ProjectPart,
  file: string,
): string {
  return linked.namespaces.get(file) ?? namespaceAt(file, { namespace, units })
}
