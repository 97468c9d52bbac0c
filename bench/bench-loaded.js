import { loadedModules } from './loaded-modules.js'
import { removeIndex } from './remove-index.js'
import { heading, row } from './table.js'
import { tree } from './tree.js'

/** How many files of code the usual commands load, and how large these are. */
export async function benchLoaded() {
  heading('code that a command loads, 100 skills')
  const { folder, skills } = await tree(100)
  removeIndex(skills)
  const commands = {
    'compile, nothing there': ['compile', skills],
    'compile, nothing changed': ['compile', skills],
    check: ['check', skills],
    list: ['list', '--path', skills],
    '--help': ['--help'],
  }
  for (const [what, args] of Object.entries(commands)) {
    const modules = loadedModules(args, folder)
    const bytes = modules.reduce((sum, module) => sum + module.bytes, 0)
    row(what, `${modules.length} files`, { net: `${Math.round(bytes / 1024).toLocaleString('en')} kB` })
  }
}
