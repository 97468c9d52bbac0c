import type { DirectiveCall } from 'agent-apps'
import { named } from './named-tool.js'

export const frontmatter = {
  name: 'skill',
  description: 'Names a skill, and makes sure that it is there. With `show`, puts what it says in its place.',
  metadata: { static: true, visibility: 'hidden', tags: ['meta-directive-inline'] },
}

/** `:skill[review]`; `:skill[review]{show=description}`, `params` or `content`. */
export default function skill(_ctx: unknown, call: DirectiveCall): Promise<unknown> {
  return named('skill', call)
}
