import { createHash } from 'node:crypto'

const NAME = /^[a-zA-Z0-9_-]{1,64}$/
const HASH = 8

/**
 * Names that models and clients accept, for those of tools: `:` becomes `__`. A name that is still none, or that another
 * tool has, gets a prefix and 8 hex digits of its digest. The same tools get the same names in every process.
 */
export function modelNames(names: readonly string[]): Map<string, string> {
  const wished = names.map(name => [name, name.replaceAll(':', '__')] as const)
  const taken = new Map<string, number>()
  for (const [, wish] of wished) taken.set(wish, (taken.get(wish) ?? 0) + 1)
  return new Map(
    wished.map(([name, wish]) => {
      // A name that fits as it is keeps it, whatever others would become.
      const fits = NAME.test(wish) && (wish === name || taken.get(wish) === 1)
      return [fits ? wish : hashed(name, wish), name]
    }),
  )
}

function hashed(name: string, wish: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, HASH)
  const prefix = wish.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64 - HASH - 1)
  return `${prefix}_${digest}`
}
