import type { Diagnostic } from '../src/base/diagnostic.js'
import { type PathEntry, searchDirectories } from '../src/skill/path-entry.js'
import type { CheckOptions, CheckResult } from './check.js'
import type { CleanOptions, CleanResult } from './clean.js'
import type { CompileOptions, CompileResult } from './compile.js'
import type { CompileBundleOptions, CompileBundleResult } from './compile-bundle.js'
import type { RuleSettings } from './diagnostics/rule-settings.js'
import type { ReferenceGraph } from './graph/reference-graph.js'
import type { GraphOptions } from './graph.js'
import type { ProposedPaths } from './propose-paths.js'
import type { PublishOptions, PublishResult } from './publish.js'
import type { VerifyOptions, VerifyResult } from './verify.js'
import type { Watcher, WatchOptions } from './watch.js'

// Functions over a project are loaded when called: loading them takes longer than a look-up.

/**
 * Compiles the skills of a project's directories: finds them, reads those that changed, makes each
 * directory's table of names, resolves the chain of each tool, and writes all of it as indexes. Faults of
 * skills are never thrown: they are diagnostics of the result.
 *
 * @throws OPTIONS_INVALID, DIRECTORY_NOT_FOUND, NO_SKILL_PATHS, CONFIG_*, INDEX_NOT_WRITABLE, INDEX_LOCKED,
 * COMPILE_ABORTED, BUNDLE_*
 */
export async function compile(options: CompileOptions = {}): Promise<CompileResult> {
  return (await import('./compile.js')).compile(options)
}

/**
 * Finds every fault of a project's skills that reading them shows, without running code or writing an index.
 */
export async function check(options: CheckOptions = {}): Promise<CheckResult> {
  return (await import('./check.js')).check(options)
}

/**
 * Draws the graph of a project's references: `$inherit`, `delegate`, exact names in `allowed-tools`,
 * directives and relative links. It reads skill files and writes nothing.
 *
 * @throws TOOL_NOT_FOUND for an unknown name, and the errors of `check`
 */
export async function graph(options: GraphOptions = {}): Promise<ReferenceGraph> {
  return (await import('./graph.js')).graph(options)
}

/**
 * Compares all files that a project's indexes name (shards, modules, sources, resources) with the indexes, and
 * the project's file with its configuration, without compiling.
 */
export async function verify(options: VerifyOptions = {}): Promise<VerifyResult> {
  return (await import('./verify.js')).verify(options)
}

/**
 * Publishes the compiled skills of a directory: writes what a static server gives to runtimes elsewhere. Each file is
 * compared with the index as it is copied. Runs no code.
 *
 * @throws PUBLISH_REFUSED; OPTIONS_INVALID, DIRECTORY_NOT_FOUND, NO_SKILL_PATHS, CONFIG_*
 */
export async function publish(options: PublishOptions): Promise<PublishResult> {
  return (await import('./publish.js')).publish(options)
}

/**
 * Removes the files that `compile` made in the project's directories and beside its configuration, and no
 * others.
 *
 * @throws OPTIONS_INVALID, DIRECTORY_NOT_FOUND, NO_SKILL_PATHS, CONFIG_*, INDEX_NOT_WRITABLE
 */
export async function clean(options: CleanOptions = {}): Promise<CleanResult> {
  return (await import('./clean.js')).clean(options)
}

/**
 * Compiles a project, and compiles it again whenever a file changes on which the result depends. One
 * compile runs at a time; changes that come meanwhile lead to one more.
 *
 * @returns once it is compiled for the first time
 * @throws the errors of `compile`, if the first compile fails
 */
export async function watch(options: WatchOptions = {}): Promise<Watcher> {
  return (await import('./watch.js')).watch(options)
}

/**
 * Compiles a project, and returns its bundle instead of writing it, for another bundler to go on with.
 * Indexes are written.
 *
 * @throws the errors of `compile`
 */
export async function compileBundle(options: CompileBundleOptions = {}): Promise<CompileBundleResult> {
  return (await import('./compile-bundle.js')).compileBundle(options)
}

/**
 * Finds the path entries under which the skills of a directory are found: those that are searched where nothing
 * is configured, and those of other folders that have skills.
 */
export async function proposePaths(directory: string): Promise<ProposedPaths> {
  return (await import('./propose-paths.js')).proposePaths(directory)
}

/**
 * The findings of `check` about skills of repositories that no manifest and no convention names. `file` is
 * the repository, absolute.
 */
export async function skillsElsewhere(
  paths: readonly PathEntry[],
  rules: RuleSettings = {},
): Promise<Diagnostic[]> {
  return hasRepository(paths) ? (await import('./skills-elsewhere.js')).skillsElsewhere(paths, rules) : []
}

/**
 * The directories, absolute, that `check` reads beside skills which are only in places that other programs do
 * not know.
 */
export async function guessedDirectories(paths: readonly PathEntry[]): Promise<string[]> {
  return hasRepository(paths) ? (await import('./skills-elsewhere.js')).guessedDirectories(paths) : []
}

/** True where skills are not only looked for in directories of skills, which takes walking a repository. */
function hasRepository(paths: readonly PathEntry[]): boolean {
  return searchDirectories(paths).some(({ discover }) => discover === true)
}
