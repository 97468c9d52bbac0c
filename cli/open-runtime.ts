import { join } from 'node:path'
import { createRuntime, directiveForms, type Runtime, type ToolDef } from 'agent-apps'
import { loadConfig } from 'agent-apps/compiler'
import { type Invocation, projectOptions } from './command.js'
import { fromCwd, fromHere } from './from-here.js'
import { printable } from './output.js'

/**
 * Creates a runtime over the configured paths and the user's own directories. It checks files before it
 * trusts an index.
 *
 * @param evaluate whether the command may run code
 */
export async function openRuntime(invocation: Invocation, evaluate: boolean): Promise<Runtime> {
  const { cwd, config } = projectOptions(invocation)
  const { paths, config: loaded } = await loadConfig({
    cwd,
    global: true,
    evaluate,
    ...(config !== undefined && { config }),
  })
  return createRuntime({
    paths,
    cwd,
    evaluate,
    freshness: loaded.freshness ?? 'check',
    library: loaded.library ?? true,
    external: loaded.external ?? [],
    env: loaded.env ?? [],
  })
}

/** Returns a tool as `list --json` prints it; missing values are null. */
export function asJson({ name, kind, frontmatter, origin }: ToolDef, cwd: string): Record<string, unknown> {
  const { description, role, tags, visibility } = frontmatter
  return {
    name,
    description: description ?? null,
    kind,
    role: role ?? null,
    directive: directiveForms(tags),
    layer: origin.layer,
    file: fromCwd(fileOf(origin), cwd),
    tags,
    visibility: visibility ?? null,
    via: origin.via,
    shadows: origin.shadows.map(shadow => ({ layer: shadow.layer, file: fromCwd(fileOf(shadow), cwd) })),
  }
}

/**
 * Returns the roles of a tool: `main`, `middleware`, `context`, and `directive` if contents may use it as
 * one.
 */
export function rolesOf({ frontmatter: { role, tags } }: ToolDef): string[] {
  return [...(role === undefined ? [] : [role]), ...(directiveForms(tags).length > 0 ? ['directive'] : [])]
}

/** True for all tools except the library's. */
export function isOwn({ origin, frontmatter: { tags } }: ToolDef): boolean {
  return origin.layer !== 'bundled' || !tags.includes('meta-internal')
}

/** Returns a tool's file as an absolute path. */
export function fileOf({ entry, file }: { entry: string; file: string }): string {
  return join(entry, file)
}

/** Reports the problems that the runtime has found so far. */
export function noteDiagnostics(runtime: Runtime, { output, cwd }: Invocation): void {
  for (const { file, line, column, severity, reason, note } of runtime.diagnostics()) {
    const label = output.style(severity === 'error' ? 'red' : 'yellow', severity, output.stderr)
    output.note(
      `${printable(fromHere(file, cwd))}:${line}:${column} ${label} ${printable(`${reason}. ${note}`)}`,
    )
  }
}
