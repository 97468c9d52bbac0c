import { isJsonObjectLike } from './json-value.js'
import { messageOf, type Subject } from './subject.js'

/** Looks at what a tool says of itself. False where it cannot be called at all. */
export async function checkDefinition({ tool, definition, fault }: Subject): Promise<boolean> {
  const { name, description, params } = tool.frontmatter
  if (description === undefined)
    fault('definition', `"${name}" has no description, so that models are shown its name alone.`)
  if (isJsonObjectLike(params?.properties)) {
    const silent = Object.entries(params.properties).filter(
      ([, schema]) => !isJsonObjectLike(schema) || typeof schema.description !== 'string',
    )
    if (silent.length > 0)
      fault('definition', `Parameters have no description: ${silent.map(([key]) => key).join(', ')}.`)
  }
  const named = definition?.env
  if (named !== undefined && (!Array.isArray(named) || named.some(one => typeof one !== 'string')))
    fault('definition', '`env` must be an array of names.')
  try {
    await tool.load?.()
    return true
  } catch (error) {
    fault('definition', `Its code cannot be loaded: ${messageOf(error)}`)
    return false
  }
}
