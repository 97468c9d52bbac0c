import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { compileSubject } from './compile-subject.js'
import { goals } from './goals.js'
import { medians } from './measure.js'
import { options } from './options.js'
import { removeIndex } from './remove-index.js'
import { atMost, heading, ms, row, times } from './table.js'
import { SETTLE, temporaryFolder } from './tree.js'

const UNPACK = 'unpack.sh'
const NEIGHBOUR = fileURLToPath(new URL('../../shared/corpus', import.meta.url))

/** Compiling real skills, each collection a path entry of its own. */
export async function benchCorpus() {
  heading('compile, real skills')
  const directories = options.corpus ? collections() : null
  if (directories === null) {
    console.log('  skipped: BENCH_CORPUS names no folder of collections, or this is a quick run')
    return
  }
  await sleep(SETTLE)
  const { empty, floor, cold } = await medians(
    {
      empty: { script: 'empty.js' },
      floor: { script: 'floor-hash-yaml.js', args: directories },
      cold: { ...compileSubject(directories), prepare: () => directories.forEach(removeIndex) },
    },
    options.runs,
  )
  const ratio = cold / floor
  row('floor-hash-yaml: read all, SHA-256, js-yaml', ms(floor), { net: ms(floor - empty) })
  row(
    'compile, nothing there',
    ms(cold),
    { net: ms(cold - empty), note: times(ratio, 'floor-hash-yaml') },
    atMost(ratio, goals.corpus),
  )
}

/** The collections, copied to where compiling may write; null where there are none. */
function collections() {
  const source = process.env.BENCH_CORPUS ?? NEIGHBOUR
  if (!existsSync(source)) return null
  const folder = temporaryFolder('corpus')
  const script = join(source, UNPACK)
  if (existsSync(script)) execFileSync('sh', [script, folder])
  else cpSync(source, folder, { recursive: true, verbatimSymlinks: true })
  return readdirSync(folder, { withFileTypes: true })
    .filter(item => item.isDirectory())
    .map(item => join(folder, item.name))
}
