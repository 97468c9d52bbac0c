import { EXPRESSION_START } from '../../../src/content/interpolate.js'
import { hasExpression, renderContent } from '../../../src/content/render-content.js'
import {
  type ContentPart,
  type DirectivePart,
  isDirective,
  type NestedContent,
} from '../../../src/index/content-record.js'

/** Runs a static directive. Null leaves it for when the content is rendered. */
type RunStatic = (directive: DirectivePart, children: string | null) => Promise<string | NestedContent | null>

/**
 * Runs a content's static directives, inner ones first, and puts their results in their places. A block
 * runs only where the text inside it is final.
 */
export async function foldContent(
  text: string,
  parts: readonly ContentPart[],
  run: RunStatic,
): Promise<ContentPart[]> {
  const folded: ContentPart[] = []
  for (const part of parts) folded.push(isDirective(part) ? await foldDirective(text, part, run) : part)
  return folded
}

async function foldDirective(text: string, part: DirectivePart, run: RunStatic): Promise<DirectivePart> {
  const directive = {
    ...part,
    ...(part.children && { children: await foldContent(text, part.children, run) }),
    ...(part.else && { else: await foldContent(text, part.else, run) }),
  }
  if (hasExpression(directive)) return directive
  const children = directive.children ? await finalText(text, directive.children) : null
  if (children === undefined) return directive
  const result = await run(directive, children)
  if (result === null) return directive
  // The parts inside it stay, since they may contain references.
  return typeof result === 'string' ? { ...directive, text: result } : { ...directive, content: result }
}

/**
 * The text of parts that need no rendering; undefined if they do, or if the skill may inherit `interpolate`.
 */
async function finalText(text: string, parts: readonly ContentPart[]): Promise<string | undefined> {
  const isFinal = (part: ContentPart): boolean =>
    isDirective(part) ? part.text !== undefined : !text.slice(...part).includes(EXPRESSION_START)
  if (!parts.every(isFinal)) return undefined
  return renderContent(
    { text, parts, place: null },
    { run: async ({ text: result = '' }) => result, inside: place => place, fill: range => range },
  )
}
