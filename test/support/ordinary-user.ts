import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './processes.js'
import { temporary } from './temporary.js'

/** The number of the user whom permissions hold back. */
export const ORDINARY_USER = 65534
const isSuperuser = process.geteuid?.() === 0

/** Runs work as a user whom permissions hold back: to the superuser nothing is unreadable. */
export async function asOrdinaryUser<Result>(root: string, work: () => Promise<Result>): Promise<Result> {
  if (!isSuperuser) return work()
  // `mkdtemp` lets nobody else enter.
  execFileSync('chmod', ['a+rx', root])
  process.seteuid?.(ORDINARY_USER)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}

/**
 * The folder of this package where that user can read it: its own, or a copy where that lies in a folder that only the superuser
 * may enter. What is run as that user has to be imported from there, since it loads parts of the package when it first uses them.
 */
export function readableRoot(): string {
  return isSuperuser && !isReadable() ? copyPackage() : ROOT
}

function isReadable(): boolean {
  process.seteuid?.(ORDINARY_USER)
  try {
    for (const file of ['package.json', 'dist/runtime/index.js', 'skills/.agent-apps.json'])
      readFileSync(join(ROOT, file))
    return true
  } catch {
    return false
  } finally {
    process.seteuid?.(0)
  }
}

/** Copies what an installed package consists of, with the packages that it needs. */
function copyPackage(): string {
  const copy = temporary()
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const needed = Object.keys(packages).filter(path => path !== '' && !packages[path].dev)
  for (const path of ['package.json', 'dist', 'skills', ...needed])
    if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(copy, path), { recursive: true })
  execFileSync('chmod', ['-R', 'a+rX', copy])
  return copy
}
