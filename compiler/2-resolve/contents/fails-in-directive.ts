import { EXPRESSION_START } from '../../../src/content/interpolate.js'
import type { DirectivePart } from '../../../src/index/content-record.js'

/** Why a directive of the library fails at every call; null where it may succeed. */
export function failsInDirective({
  name,
  arg,
  attributes = {},
}: DirectivePart): { message: string; hint: string } | null {
  const { path, as } = attributes
  switch (name) {
    case 'value':
      return arg ? null : { message: 'the directive names no value', hint: 'Write `:value[args.file]`.' }
    case 'if':
      return path ? null : { message: 'the block says no `path`', hint: 'Write `:::if{path=args.file}`.' }
    case 'each':
      if (!path) return { message: 'the block says no `path`', hint: 'Write `:::each{path=args.files}`.' }
      return as === undefined || as.includes(EXPRESSION_START) || isName(as)
        ? null
        : { message: `${JSON.stringify(as)} is no name`, hint: 'Write `{path=args.files as=file}`.' }
    default:
      return null
  }
}

function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text)
}
