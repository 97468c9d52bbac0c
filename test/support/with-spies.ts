import { syncBuiltinESMExports } from 'node:module'
import type { MockInstance } from 'vitest'

/** Does work while what spies stand for is seen by who imported it from Node's own modules by name, too. */
export async function withSpies<Result>(
  spies: readonly Pick<MockInstance, 'mockRestore'>[],
  work: () => Promise<Result>,
): Promise<Result> {
  syncBuiltinESMExports()
  try {
    return await work()
  } finally {
    for (const spy of spies) spy.mockRestore()
    syncBuiltinESMExports()
  }
}
