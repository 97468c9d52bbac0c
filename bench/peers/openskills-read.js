// The command with a name of a folder alone: nothing is listed.
const [node, script, , wanted] = process.argv
const { log } = console
const lines = []
console.log = line => lines.push(line)
process.argv = [node, script, 'read', wanted]
await import('../node_modules/openskills/dist/cli.js')
console.log = log
console.log(JSON.stringify({ loaded: lines.join('\n').length }))
