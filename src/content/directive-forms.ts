/** How a directive is written: `:name[arg]{…}` in text; `::name[arg]{…}` on a line, or `:::name{…}` around a block. */
export type DirectiveForm = 'inline' | 'block'

const TAGS = { inline: 'meta-directive-inline', block: 'meta-directive-block' } as const

/** Returns the forms in which a tool is a directive, according to its tags. */
export function directiveForms(tags: readonly string[]): DirectiveForm[] {
  return (['inline', 'block'] as const).filter(form => tags.includes(TAGS[form]))
}
