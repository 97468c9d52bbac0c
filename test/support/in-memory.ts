import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const ENOUGH = 2 ** 30

/**
 * Makes the temporary folders of all tests in memory, where Linux offers enough of it, and removes what is left of them at the end:
 * waiting for the disk, and for others that use it, is most of what it takes to compile and remove thousands of small files. A `TMPDIR`
 * in the environment decides otherwise.
 */
export default function inMemory(): (() => void) | undefined {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return undefined
  const folder = mkdtempSync(join(realpathSync(MEMORY), 'agent-apps-tests-'))
  // Like any folder for temporary files: some tests run as another user.
  chmodSync(folder, 0o1777)
  process.env.TMPDIR = folder
  return () => {
    delete process.env.TMPDIR
    rmSync(folder, { recursive: true, force: true })
  }
}

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize > ENOUGH
}
