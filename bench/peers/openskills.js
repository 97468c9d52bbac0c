// openskills has only a command. Both of its parts run in one process, which is kinder to it than starting it twice.
const command = new URL('../node_modules/openskills/dist/cli.js', import.meta.url)
const [node, script, , wanted] = process.argv
const { log } = console

const listed = await run('list')
const loaded = await run('read', wanted)
const [, total] = /Summary: .*\((\d+) total\)/.exec(listed) ?? []
log(JSON.stringify({ seen: Number(total), loaded: loaded.length }))

/** What the command prints. Each is a module of its own, since the command is what importing it does. */
async function run(...args) {
  const lines = []
  console.log = line => lines.push(line)
  process.argv = [node, script, ...args]
  await import(`${command}?${args[0]}`)
  console.log = log
  return lines.join('\n')
}
