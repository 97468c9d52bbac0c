import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './processes.js'
import { temporary } from './temporary.js'

/** A new `node_modules` with a copy of this package, as it is installed. Other packages are links. */
export function installedPackage(): { modules: string; command: string } {
  const modules = join(temporary(), 'node_modules')
  const home = join(modules, 'agent-apps')
  mkdirSync(home, { recursive: true })
  for (const part of ['dist', 'skills', 'package.json'])
    cpSync(join(ROOT, part), join(home, part), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  return { modules, command: join(home, 'dist/cli/main.js') }
}
