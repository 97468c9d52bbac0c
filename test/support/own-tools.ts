import type { ToolDef } from 'agent-apps'

/** The tools that a runtime lists of a project: all but the library's. */
export async function ownTools({ listTools }: { listTools: () => Promise<ToolDef[]> }): Promise<ToolDef[]> {
  return (await listTools()).filter(({ origin }) => origin.layer !== 'bundled')
}
