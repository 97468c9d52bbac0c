import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { removeIndex } from './remove-index.js'
import { SETTLE } from './tree.js'

/** The checkout that this bench belongs to. */
export const HERE = fileURLToPath(new URL('..', import.meta.url))

/**
 * What a user waits for, as a fresh process each. The order counts: each finds what those before it made.
 *
 * @param root a checkout that was built
 * @param skills a directory that the stages may write to, with `file`, one of its skills, relative to it, and the skill's `name`
 * @param plain a directory of the same skills that is never compiled
 * @returns subjects for `medians`, by the stage's name
 */
export function stages(root, { skills, file, name }, plain) {
  const command = (...args) => ({ script: join(root, 'dist/cli/main.js'), args })
  const script = (script, ...args) => ({ script: join(root, 'bench/processes', script), args })
  return {
    'compile, nothing there': { ...command('compile', skills), prepare: () => removeIndex(skills) },
    'compile, nothing changed': command('compile', skills),
    'compile, one skill changed': {
      ...command('compile', skills),
      async prepare() {
        appendFileSync(join(skills, file), '\nOne more line.\n')
        await sleep(SETTLE)
      },
    },
    'from an index: all listed, one loaded': script('list-and-load.js', skills, name, 'index'),
    'from an index: one loaded': script('load-one.js', skills, name),
    "from an index: an agent's first catalog": script('first-catalog.js', skills, '8000'),
    'from disk: all listed, one loaded': script('list-and-load.js', plain, name, 'disk'),
    check: command('check', plain),
    list: command('list', '--path', skills),
  }
}
