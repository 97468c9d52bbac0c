import { nearest } from '../../../src/base/nearest.js'
import { namesOurs, ROOTS } from '../../../src/content/interpolate.js'
import type { DirectivePart } from '../../../src/index/content-record.js'

/**
 * The attributes that each directive of the library knows, and which of them are paths over the values of a
 * call.
 */
export const LIBRARY_ATTRIBUTES: Readonly<Record<string, { attributes: readonly string[]; path?: string }>> =
  {
    each: { attributes: ['path', 'as'], path: 'path' },
    if: { attributes: ['path', 'equals'], path: 'path' },
    include: { attributes: ['lines', 'section'] },
    skill: { attributes: ['show'] },
    tool: { attributes: ['show'] },
    tools: { attributes: ['library'] },
    value: { attributes: ['default'], path: 'arg' },
  }

/**
 * The arguments of a library's directive that do nothing: unknown attributes, and paths that lead to no
 * value.
 */
export function idleInDirective(directive: DirectivePart): { message: string; hint: string }[] {
  const { name, arg, attributes = {} } = directive
  const looksAt = Object.hasOwn(LIBRARY_ATTRIBUTES, name) ? LIBRARY_ATTRIBUTES[name] : undefined
  if (!looksAt) return []
  const idle = Object.keys(attributes)
    .filter(key => !looksAt.attributes.includes(key))
    .map(key => ({
      message: `the directive "${name}" does not look at "${key}"`,
      hint: suggest(key, looksAt.attributes) ?? attributesOf(looksAt.attributes),
    }))
  const path = looksAt.path === 'arg' ? arg : looksAt.path && attributes[looksAt.path]
  if (!path || path.includes('${') || namesOurs(path)) return idle
  const [root = ''] = /^\w*/.exec(path) ?? []
  const hint = suggest(root, ROOTS) ?? `A path begins with one of ${ROOTS.join(', ')}: \`args.${path}\`.`
  return [...idle, { message: `the path "${path}" leads to no value of a call`, hint }]
}

function suggest(word: string, known: readonly string[]): string | null {
  const near = nearest(word, known)
  return near === null ? null : `Did you mean "${near}"?`
}

function attributesOf(known: readonly string[]): string {
  return `It looks at ${known.map(key => `"${key}"`).join(', ')}.`
}
