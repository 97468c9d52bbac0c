import { join } from 'node:path'
import { guessedDirectories, type LoadedConfig, loadConfig, skillsElsewhere } from 'agent-apps/compiler'
import { createRuntime, type Diagnostic, type Runtime, type ToolDef } from 'agent-apps/runtime'
import { directiveForms } from '../src/content/directive.js'
import { type Invocation, projectOptions } from './command.js'
import { fromHere } from './from-here.js'
import { printable } from './output.js'

/**
 * Creates a runtime over the configured paths and the user's own directories, or over those of `--path`. By default it
 * compares files with their index.
 *
 * @param evaluate whether the command may run code
 */
export async function openRuntime(invocation: Invocation, evaluate: boolean): Promise<Runtime> {
  const { workspace } = invocation.options
  const { cwd, paths, ...given } = projectOptions({ ...invocation, positionals: [] })
  const { paths: configured, config: loaded }: Pick<LoadedConfig, 'paths' | 'config'> = paths
    ? { paths, config: {} }
    : await loadConfig({ cwd, global: true, trusted: true, evaluate, ...given })
  return createRuntime({
    paths: [...configured, ...(await guessedDirectories(configured))],
    cwd,
    evaluate,
    freshness: loaded.freshness ?? 'check',
    library: loaded.library ?? true,
    external: loaded.external ?? [],
    env: loaded.env ?? [],
    ...(typeof workspace === 'string' && { workspace }),
  })
}

/** The roles of a tool: `main`, `middleware`, `context`, and `directive` if contents may use it as one. */
export function rolesOf({ frontmatter: { role, tags } }: ToolDef): string[] {
  return [...(role === undefined ? [] : [role]), ...(directiveForms(tags).length > 0 ? ['directive'] : [])]
}

/** True for all tools except the library's. */
export function isOutsideLibrary({ origin, frontmatter: { tags } }: ToolDef): boolean {
  return origin.layer !== 'bundled' || !tags.includes('meta-internal')
}

/** True for the project's own tools: neither the library's nor those of the user's own directories. */
export function isOfProject({ origin }: ToolDef): boolean {
  return origin.layer === 'project'
}

/** A tool's file, absolute. */
export function fileOf({ entry, file }: { entry: string; file: string }): string {
  return join(entry, file)
}

/** Reports skills that the project leaves out: those of unnamed plugins, and those outside every path. */
export async function noteLeftOut(invocation: Invocation): Promise<void> {
  const { paths, ...project } = projectOptions(invocation)
  if (paths) return
  const loaded = await loadConfig({ ...project, trusted: true, evaluate: false })
  noteAll([...loaded.faults, ...(await skillsElsewhere(loaded.paths, loaded.config.rules))], invocation)
}

export function noteDiagnostics(runtime: Runtime, invocation: Invocation): void {
  noteAll(runtime.diagnostics(), invocation)
}

/** Prints diagnostics, one per line. */
export function noteAll(diagnostics: readonly Diagnostic[], { output, cwd }: Invocation): void {
  for (const { file, line, column, severity, reason, note } of diagnostics) {
    const label = output.style(severity === 'error' ? 'red' : 'yellow', severity, output.stderr)
    output.note(
      `${printable(fromHere(file, cwd))}:${line}:${column} ${label} ${printable(`${reason}. ${note}`)}`,
    )
  }
}
