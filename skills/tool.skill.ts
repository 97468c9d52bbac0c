import type { DirectiveCall } from 'agent-apps'
import { named } from './named-tool.js'

export const frontmatter = {
  name: 'tool',
  description: 'Names a tool, and makes sure that it is there. With `show`, puts what it says in its place.',
  metadata: { static: true, visibility: 'hidden', tags: ['meta-directive-inline'] },
}

/** `:tool[search]`; `:tool[search]{show=params}`, `description` or `content`. */
export default function tool(_ctx: unknown, call: DirectiveCall): Promise<unknown> {
  return named('tool', call)
}
