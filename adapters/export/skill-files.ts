import { AgentAppsError, isAgentAppsError, type Runtime, type ToolDef } from 'agent-apps'
import type { LeftOut } from './choose-tools.js'
import { type ExportedFiles, exportedFile } from './exported-files.js'
import { skillDocument } from './skill-document.js'

export interface ExportedSkill {
  /** The name of its folder and in its file. */
  name: string
  tool: ToolDef
  description: string
  /** Keyed by path in its folder. */
  files: ExportedFiles
  /** The features that the skill loses, each as a sentence without the name. */
  remarks: string[]
}

export const SKILL_FILE = 'SKILL.md'

/** A text skill with all its files, or the reason why it cannot be exported. */
export async function exportedSkill(
  runtime: Runtime,
  tool: ToolDef,
  own: (field: string) => boolean,
): Promise<ExportedSkill | LeftOut> {
  try {
    return await readSkill(runtime, tool, own)
  } catch (error) {
    if (!isAgentAppsError(error)) throw error
    const { code, message } = error
    return code === 'ARGS_INVALID'
      ? { tool: tool.name, reason: 'has a content that needs arguments' }
      : { tool: tool.name, reason: `cannot be exported: ${message}`, code }
  }
}

async function readSkill(
  runtime: Runtime,
  tool: ToolDef,
  own: (field: string) => boolean,
): Promise<ExportedSkill> {
  const { name, label, frontmatter } = tool
  const content = await runtime.render(name)
  const { verbatim, resources, references } = await runtime.describe(name)
  const { bytes, dropped } = await skillDocument(tool, verbatim, content, own)
  const files: ExportedFiles = new Map([[SKILL_FILE, exportedFile(bytes)]])
  checkPaths([SKILL_FILE, ...resources.map(({ path }) => path)])
  for (const { path } of resources) files.set(path, exportedFile(await runtime.readResource(name, path)))
  const remarks = [
    ...(dropped.length > 0 ? [`is exported without ${dropped.map(field => `\`${field}\``).join(', ')}`] : []),
    ...(await argumentsRemark(tool, content)),
    ...references.filter(({ kind, ref }) => kind === 'link' && leadsOut(ref)).map(linkRemark),
  ]
  return { name: label, tool, description: frontmatter.description ?? '', files, remarks }
}

/**
 * Refuses files whose paths differ only in case or Unicode form: many systems would keep only the one that is unpacked
 * last.
 *
 * @throws EXPORT_CLASH
 */
function checkPaths(paths: readonly string[]): void {
  const known = new Map<string, string>()
  for (const path of paths) {
    const folded = path.normalize('NFC').toLowerCase()
    const other = known.get(folded)
    if (other !== undefined)
      throw new AgentAppsError(
        'EXPORT_CLASH',
        `${JSON.stringify(other)} and ${JSON.stringify(path)} are one file on many systems`,
        { hint: 'Rename one of them.' },
      )
    known.set(folded, path)
  }
}

async function argumentsRemark(tool: ToolDef, content: string): Promise<string[]> {
  const { params, metadata } = tool.frontmatter
  const depends = params !== undefined || metadata.interpolate !== undefined
  return depends && (await tool.content?.()) !== content
    ? ['is exported with the content that it has without arguments']
    : []
}

/** True if a link leads out of the skill's folder. */
function leadsOut(ref: string): boolean {
  return ref.split('/')[0] === '..'
}

function linkRemark({ ref, line }: { ref: string; line: number }): string {
  return `links in line ${line} to ${ref}, which is not in its folder`
}
