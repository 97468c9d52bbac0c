import { execFileSync } from 'node:child_process'

/**
 * Does work as a user whom permissions hold back, where the tests run as the superuser, to whom nothing is unreadable.
 *
 * @param root a directory that this user may enter, as `mkdtemp` lets nobody else
 */
export async function asOrdinaryUser<Result>(root: string, work: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return work()
  execFileSync('chmod', ['a+rx', root])
  process.seteuid?.(65534)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}
