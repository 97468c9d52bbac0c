// `npm test`: the build, the types, the lint and the tests. What needs nothing of the others runs beside them.
import { spawn } from 'node:child_process'

const VITEST = 'node_modules/vitest/vitest.mjs'

const lint = inBackground('lint')
const built = await run('build')
const types = built ? inBackground('types') : null
const tested = built && (await run('tests', process.execPath, [VITEST, 'run', ...process.argv.slice(2)]))

const failed = []
for (const [name, passed] of [
  ['build', built],
  ['lint', await shown(lint)],
  ['types', built && (await shown(types))],
  ['tests', tested],
])
  if (!passed) failed.push(name)
if (failed.length > 0) console.log(`\nfailed: ${failed.join(', ')}`)
process.exitCode = failed.length > 0 ? 1 : 0

/** Runs a script of package.json, or the command line that is given, and says whether it passed. */
function run(name, command = 'npm', args = ['run', name]) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { stdio: 'inherit' })
    child.once('error', fail)
    child.once('close', code => done(code === 0))
  })
}

/** Starts a script of package.json; `output` is what it prints, once it has ended. */
function inBackground(name) {
  const child = spawn('npm', ['run', name], { stdio: ['ignore', 'pipe', 'pipe'] })
  const chunks = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => chunks.push(chunk))
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('close', code => done({ passed: code === 0, output: Buffer.concat(chunks) }))
  })
}

/** Prints what a script that ran in the background printed, and says whether it passed. */
async function shown(running) {
  const { passed, output } = await running
  process.stdout.write(output)
  return passed
}
