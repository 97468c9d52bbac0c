// Follows the README from "Five minutes" on, in an empty folder with the packed package: writes its files, runs its commands and programs.
// Usage: node scripts/follow-readme.js TARBALL FOLDER
import { execSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const [tarball, folder] = process.argv.slice(2).map(path => resolve(path))
const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const part = text.slice(text.indexOf('## Five minutes'), text.indexOf('## Three words'))

mkdirSync(folder, { recursive: true })
run('npm init --yes')
run(`npm install --silent ${tarball} zod ai@6`)

// Fenced blocks, and indented ones with the empty lines in them.
for (const [, fenced, indented] of part.matchAll(/^```[jt]s\n([\s\S]*?)^```|^((?: {4}.*\n|\n(?= {4}))+)/gm)) {
  if (fenced?.includes('defineTool(')) write('skills/word-count.skill.ts', fenced)
  // They have no types of their own, so that Node runs them as they are.
  else if (fenced?.includes('generateText')) write('agent.mjs', fenced)
  else if (fenced) write('app.mjs', fenced)
  else if (/^\n* {4}---/.test(indented))
    write('skills/deploy-check/SKILL.md', indented.trimStart().replace(/^ {4}/gm, ''))
  else follow(indented)
}
// What `check` advised.
run('npx agent-apps check --fix')
run('npx agent-apps compile')
if (run('node agent.mjs') !== '3 words\n') throw new Error('The agent of the README gave another answer.')
run('node app.mjs')
run('npx agent-apps check --strict')
run('npx agent-apps compile --check')
console.log('the README can be followed')

/** Runs the commands of a block. What it shows of results and counts is what they print. */
function follow(block) {
  const lines = block.split('\n').map(line => line.slice(4))
  // The first block is for skills that a reader has, and here are none yet.
  if (!existsSync(join(folder, 'skills'))) return
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
