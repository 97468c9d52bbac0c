import { type Context, ctxValue, type DirectiveCall } from 'agent-apps'
import { directiveFault } from './faults.js'

export const frontmatter = {
  name: 'each',
  description: 'Repeats its block for each item of an array, which is `locals.item` there.',
  metadata: { visibility: 'hidden', tags: ['meta-directive-block'] },
}

/**
 * `:::each{path=args.files}`, `:::each{path=args.files as=file}`. `locals.index` counts from 0. A missing
 * value counts as an empty array.
 */
export default async function each(ctx: Context, call: DirectiveCall): Promise<string> {
  const { path, as = 'item' } = call.attributes
  if (!path) throw directiveFault('the block has no `path`', 'Write `:::each{path=args.files}`.')
  if (!/^[A-Za-z_]\w*$/.test(as))
    throw directiveFault(`${JSON.stringify(as)} is not a name`, 'Write `{path=args.files as=file}`.')
  const items = ctxValue(ctx, path) ?? []
  if (!Array.isArray(items))
    throw directiveFault(`the value of \`${path}\` is not an array`, 'Give an array.')
  const texts: string[] = []
  for (const [index, item] of items.entries())
    texts.push((await call.children?.({ [as]: item, index })) ?? '')
  return texts.join('')
}
