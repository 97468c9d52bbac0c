import { extractFrontmatter } from '../../src/skill/frontmatter.js'
import type { Globals } from '../state/context.js'
import type { SkillFiles, ToolDef } from '../state/tool-def.js'

/** A server's description of its tool. */
export interface RemoteOrigin {
  /** The digest that approvals are bound to: of the server, and of its description of the tool. Another one asks again. */
  digest: string
  /** For a skill, which agents open in place of calling it. */
  skill?: RemoteSkill | undefined
}

/** A skill whose files a server has. What is read must have been verified. */
export interface RemoteSkill {
  /** Reads its text, without frontmatter. */
  content: () => Promise<string>
  /** Its other files. */
  files: SkillFiles
}

/** Says of a tool that was just registered that it is a server's, or that its owner checks its schemas. */
export function markTool(
  { tools: { programmaticTools }, stats }: Globals,
  name: string,
  validate: 'ours' | 'owner' | undefined,
  remote: RemoteOrigin | undefined,
): void {
  const tool = programmaticTools.get(name) as ToolDef
  programmaticTools.set(name, {
    ...tool,
    ...(validate === 'owner' && { validate }),
    ...(remote && remoteParts(tool, remote)),
  })
  if (!remote) return
  stats.via.programmatic--
  stats.via.remote++
}

function remoteParts(
  { name, frontmatter, origin }: ToolDef,
  { digest, skill }: RemoteOrigin,
): Partial<ToolDef> {
  return {
    digest,
    origin: { ...origin, layer: 'remote', via: 'remote' },
    ...(skill && {
      kind: 'folder',
      runs: false,
      fn: skill.content,
      ...skill,
      frontmatter: extractFrontmatter({ ...described(frontmatter) }, { kind: 'folder', name }),
    }),
  }
}

/** Nothing else that a server says of a skill has an effect. */
function described({ description }: ToolDef['frontmatter']): { description?: string } {
  return description === undefined ? {} : { description }
}
