import { type Context, ctxFolder, readResource, type ToolDef } from 'agent-apps'
import type { OwnFiles } from 'agent-apps/ai-sdk'

/** The files of the skill that an agent follows, which it may read whatever else it may do. */
export async function filesOf(ctx: Context, skill: ToolDef): Promise<OwnFiles> {
  const { resources } = await ctxFolder(ctx, skill)
  return { name: skill.name, files: resources, read: path => readResource(skill.name, path, ctx.globals) }
}
