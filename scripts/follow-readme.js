// Follows "Five minutes" of the README in an empty folder, with the packed package: writes its files, runs its commands and its program.
// Usage: node scripts/follow-readme.js TARBALL FOLDER
import { execSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const [tarball, folder] = process.argv.slice(2).map(path => resolve(path))
const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const part = text.slice(text.indexOf('## Five minutes'), text.indexOf('**Check it in CI.**'))

mkdirSync(folder, { recursive: true })
run('npm init --yes')
run(`npm install --silent ${tarball} zod`)

// Fenced blocks, and indented ones with the empty lines in them.
for (const [, fenced, indented] of part.matchAll(/^```ts\n([\s\S]*?)^```|^((?: {4}.*\n|\n(?= {4}))+)/gm)) {
  if (fenced?.includes('defineTool(')) write('skills/word-count.skill.ts', fenced)
  // It has no types of its own, so that Node runs it as it is.
  else if (fenced) write('app.mjs', fenced)
  else if (/^\n* {4}---/.test(indented))
    write('skills/deploy-check/SKILL.md', indented.trimStart().replace(/^ {4}/gm, ''))
  else follow(indented)
}
// What `check` advised.
run('npx agent-apps check --fix')
run('npx agent-apps compile')
run('node app.mjs')
run('npx agent-apps check --strict')
run('npx agent-apps compile --check')
console.log('the README can be followed')

/** Runs the commands of a block. What it shows of results and counts is what they print. */
function follow(block) {
  const lines = block.split('\n').map(line => line.slice(4))
  const commands = lines.filter(line => /^(?:\$ )?npx /.test(line))
  const printed = commands.map(line => run(line.replace(/^\$ /, '').replace(/ {2,}#.*/, ''))).join('')
  for (const line of lines.filter(line => /^\d+(?: skills? in .*)?$/.test(line)))
    if (!printed.split('\n').includes(line))
      throw new Error(`The README shows "${line}", and there was:\n${printed}`)
}

function run(command) {
  console.log(`$ ${command}`)
  return execSync(command, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

function write(file, content) {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), content)
}
