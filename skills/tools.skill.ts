import { type Context, type DirectiveCall, listTools, matchPattern } from 'agent-apps'

export const frontmatter = {
  name: 'tools',
  description: 'Lists the tools that match a pattern, with what each is for.',
  metadata: { visibility: 'hidden', tags: ['meta-directive-inline', 'meta-directive-block'] },
}

/** `:tools[file-*]`, `::tools[#api]`; without a pattern, all that are shown to a model. */
export default async function tools(ctx: Context, { arg = '*' }: DirectiveCall): Promise<string> {
  const shown = (await listTools(ctx.globals)).filter(
    ({ frontmatter: { description, visibility, role } }) =>
      description !== undefined && visibility !== 'hidden' && role !== 'middleware' && role !== 'main',
  )
  return shown
    .filter(({ name, frontmatter: { tags } }) => matchPattern(arg, name, tags))
    .map(
      ({ name, frontmatter: { description = '' } }) =>
        `- \`${name}\`: ${description.replace(/\s+/g, ' ').trim()}`,
    )
    .join('\n')
}
