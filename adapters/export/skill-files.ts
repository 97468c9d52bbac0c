import { isAgentAppsError, type Runtime, type ToolDef } from 'agent-apps'
import { byText, type ExportedFiles, exportedFile } from './exported-files.js'
import { skillDocument } from './skill-document.js'

/** A skill as it is exported. */
export interface ExportedSkill {
  /** The name of its folder, and the one in its file. */
  name: string
  tool: ToolDef
  description: string
  /** By their paths in its folder. */
  files: ExportedFiles
  /** What the skill has here and not there, each as a sentence without its name. */
  remarks: string[]
}

export const SKILL_FILE = 'SKILL.md'

/**
 * A text skill with all its files; where it cannot be exported, why.
 *
 * @throws what its directives throw, RESOURCE_NOT_FOUND, RESOURCE_UNREADABLE
 */
export async function exportedSkill(
  runtime: Runtime,
  tool: ToolDef,
  own: (field: string) => boolean,
): Promise<ExportedSkill | string> {
  const { name } = tool
  const content = await contentOf(runtime, tool)
  if (content === null) return 'has a content that depends on arguments, and `params` that require some'
  const { verbatim, resources, references } = await runtime.describe(name)
  const { bytes, dropped } = await skillDocument(tool, verbatim, content, own)
  const files: ExportedFiles = new Map([[SKILL_FILE, exportedFile(bytes)]])
  // A second file of this name could only be the author's own spelling of it.
  for (const { path } of [...resources].sort((a, b) => byText(a.path, b.path)))
    if (!files.has(path)) files.set(path, exportedFile(await runtime.readResource(name, path)))
  const remarks = [
    ...(dropped.length > 0 ? [`is exported without ${dropped.map(field => `\`${field}\``).join(', ')}`] : []),
    ...(await argumentsRemark(tool, content)),
    ...references.filter(({ kind, ref }) => kind === 'link' && leadsOut(ref)).map(linkRemark),
  ]
  return { name: tool.label, tool, description: tool.frontmatter.description ?? '', files, remarks }
}

/** A content with its directives run; null where they need arguments. */
async function contentOf(runtime: Runtime, { name }: ToolDef): Promise<string | null> {
  try {
    return await runtime.render(name)
  } catch (error) {
    if (isAgentAppsError(error) && error.code === 'ARGS_INVALID') return null
    throw error
  }
}

async function argumentsRemark(tool: ToolDef, content: string): Promise<string[]> {
  const { params, metadata } = tool.frontmatter
  const depends = params !== undefined || metadata.interpolate !== undefined
  return depends && (await tool.content?.()) !== content
    ? ['is exported with the content that it has without arguments']
    : []
}

/** Whether a link leads out of the skill's folder. */
function leadsOut(ref: string): boolean {
  return ref.split('/')[0] === '..'
}

function linkRemark({ ref, line }: { ref: string; line: number }): string {
  return `links in line ${line} to ${ref}, which is not in its folder`
}
