import { disk } from '#disk'
import { isAgentAppsError } from '../../src/base/error.js'
import { INDEX_FILE } from '../../src/index/index-format.js'
import { searchDirectories } from '../../src/skill/path-entry.js'
import { isModuleFresh } from '../directory/file-freshness.js'
import { loadParser } from '../directory/read-files.js'
import { delegateSource } from '../find/delegate-source.js'
import { readDetails } from '../find/read-details.js'
import type { Globals, RuntimeConfig } from '../state/context.js'
import type { ProjectConfiguration } from '../state/policy.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf, type ToolSource } from '../state/tool-source.js'

/**
 * The digest of a project's tools and of what its configuration asks for: SHA-256 over the sorted pairs of path
 * and SHA-256 of all files that their code comes from. None of the code is run.
 */
export async function digestOfTools(tools: readonly ToolDef[], view: Globals): Promise<string> {
  const files = new Set<string>()
  for (const tool of tools) for (const file of await filesOf(tool, view)) files.add(file)
  const root = projectRoot(view)
  const pairs = [...files].sort().map(file => [disk.inside(root, file) ?? file, disk.digestFile(file)])
  return disk.digestText(JSON.stringify([pairs, askedConfiguration(view.config)]))
}

/** The absolute paths of a tool's file, its index, and the files of its code. */
async function filesOf(tool: ToolDef, view: Globals): Promise<string[]> {
  const source = sourceOf(tool)
  if (!source) return []
  const { state, names, record } = source
  const place = (...path: string[]): string => disk.resolve(state.dir, ...path)
  const files = [place(record.file), ...(names.via === 'disk' ? [] : [place(INDEX_FILE)])]
  if (state.index) files.push(...(state.index.header.modules ?? []).map(file => place(file)))
  const isCode = tool.kind === 'code' || (record.frontmatter.metadata.delegate ?? null) !== null
  if (!isCode) return files
  const { resources } = await readDetails(tool, view)
  files.push(...resources.map(({ path }) => place(record.file, '..', path)))
  return [...files, ...(await inputsOf(source, view))]
}

/** The files that code is bundled from, if no module of the index has them. */
async function inputsOf(source: ToolSource, view: Globals): Promise<string[]> {
  const { state, record } = source
  const code =
    record.kind === 'code' && (record.frontmatter.metadata.delegate ?? null) === null
      ? { file: record.file }
      : delegateSource(source)
  if (code === null) return []
  const compiled = 'file' in code && record.module ? record.module : delegateModule(source)
  const inputs = (compiled?.inputs ?? []).map(input => disk.resolve(state.dir, input))
  if (compiled && isModuleFresh(compiled, source, view)) return inputs
  const parser = await loadParser(view)
  const bundled = parser?.inputsOf(state.dir, code, view.config.external).catch(error => {
    // Code that cannot be bundled cannot run.
    if (isAgentAppsError(error) && error.code === 'TOOL_BROKEN') return []
    throw error
  })
  return [...inputs, ...((await bundled) ?? []).map(([path]) => disk.resolve(state.dir, path))]
}

function delegateModule({ record: { delegate } }: ToolSource) {
  return delegate && 'file' in delegate ? delegate : undefined
}

/** The folder of the project that must be trusted: that of its configuration, or the one that contains all its paths. */
export function projectRoot({ config: { cwd = disk.cwd(), paths, projects, isProjects } }: Globals): string {
  if (projects) return projects.root
  const folders = searchDirectories(paths)
    .filter(({ trust }) => isProjects || trust === 'ask')
    .map(({ dir }) => disk.resolve(cwd, dir))
  const [first = cwd, ...others] = folders
  const isAbove = (folder: string): boolean =>
    others.every(other => other === folder || disk.inside(folder, other) !== null)
  let root = first
  while (!isAbove(root) && disk.resolve(root, '..') !== root) root = disk.resolve(root, '..')
  return root
}

/** The configuration that takes effect once the project is trusted. */
export function askedConfiguration({
  projects,
  isOwnProgram,
}: RuntimeConfig): Omit<ProjectConfiguration, 'root'> {
  const { root: _, ...configuration } = (!isOwnProgram && projects) || { root: '' }
  return configuration
}
