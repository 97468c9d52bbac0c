// Checks a folder as a client of the discovery index does, with nothing but Node and `tar`: prints what each skill has.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const [folder] = process.argv.slice(2)
const { $schema, skills } = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'))
if ($schema !== 'https://schemas.agentskills.io/discovery/0.2.0/schema.json')
  throw new Error(`schema ${$schema}`)

const found = {}
for (const { name, type, description, url, digest, ...others } of skills) {
  if (Object.keys(others).length > 0) throw new Error(`${name} has ${Object.keys(others)}`)
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) || name.length > 64) throw new Error(`name ${name}`)
  if (typeof description !== 'string' || description === '') throw new Error(`description of ${name}`)
  const index = 'https://example.com/.well-known/agent-skills/index.json'
  const path = decodeURIComponent(new URL(url, index).pathname).replace('/.well-known/agent-skills/', '')
  const bytes = readFileSync(join(folder, path))
  const actual = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  if (actual !== digest) throw new Error(`${name}: ${actual} is not ${digest}`)
  if (type === 'skill-md') found[name] = { 'SKILL.md': entry(bytes, 0o644) }
  else if (type === 'archive') found[name] = unpacked(join(folder, path))
  else throw new Error(`type ${type}`)
}
console.log(JSON.stringify(found))

function unpacked(archive) {
  const into = mkdtempSync(join(tmpdir(), 'discovery-'))
  try {
    const names = execFileSync('tar', ['-tzf', archive, '--quoting-style=literal'], { encoding: 'utf8' })
    for (const name of names.split('\n'))
      if (name.startsWith('/') || name.split('/').includes('..')) throw new Error(`${archive} has ${name}`)
    execFileSync('tar', ['-xzpf', archive, '-C', into])
    const files = readdirSync(into, { recursive: true }).filter(name => statSync(join(into, name)).isFile())
    return Object.fromEntries(
      files
        .sort()
        .map(name => [name, entry(readFileSync(join(into, name)), statSync(join(into, name)).mode & 0o777)]),
    )
  } finally {
    rmSync(into, { recursive: true, force: true })
  }
}

function entry(bytes, mode) {
  return `${mode.toString(8)} ${bytes.toString('base64')}`
}
