import type { DirectiveCall } from 'agent-apps'
import { directiveFault } from './faults.js'

/** The result of `:skill[…]` and `:tool[…]`: the name of a tool, or one of its properties. */
export async function named(
  directive: string,
  { arg = '', attributes, source }: DirectiveCall,
): Promise<unknown> {
  if (arg === '') throw directiveFault('the directive names nothing', `Write \`:${directive}[its-name]\`.`)
  const tool = await source.findTool(arg)
  if (tool === null) {
    const near = await source.nearestName(arg)
    throw directiveFault(
      `there is no ${directive} ${JSON.stringify(arg)}`,
      near === null ? 'Correct the name.' : `Did you mean "${near}"?`,
    )
  }
  const { show } = attributes
  switch (show) {
    case undefined:
      return tool.name
    case 'description':
      return (await tool.details()).description ?? ''
    case 'params':
      return JSON.stringify((await tool.details()).params ?? {}, null, 2)
    case 'content': {
      const content = await tool.content()
      if (content === null)
        throw directiveFault(`"${arg}" is code and has no content`, 'Show its `description` or `params`.')
      return { ...content, content: content.content.trim() }
    }
    default:
      throw directiveFault(
        `a ${directive} has no ${JSON.stringify(show)} to show`,
        'Show `description`, `params` or `content`.',
      )
  }
}
