import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './processes.js'
import { temporary } from './temporary.js'

const UNPACK = join(ROOT, '..', 'shared', 'corpus', 'unpack.sh')

/** Real skills: an unpacked folder that `CORPUS` names, or an archive beside the project; neither is part of it. */
export function corpus(): string | null {
  if (process.env.CORPUS) return process.env.CORPUS
  if (!existsSync(UNPACK)) return null
  const directory = temporary()
  execFileSync('sh', [UNPACK, directory])
  return directory
}
