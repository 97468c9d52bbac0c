import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { EXPORT_PROJECT, exported } from '../support/export-project.js'

const CHECK = fileURLToPath(new URL('../support/check-discovery.mjs', import.meta.url))

function checked(dir: string): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [CHECK, dir], { encoding: 'utf8' })
}

const base64 = (item: unknown): string => Buffer.from(item as string).toString('base64')

it('the digests are right, and an archive has the whole folder', async () => {
  const { dir } = await exported('well-known')
  const { status, stdout, stderr } = checked(dir)
  expect(stderr).toBe('')
  expect(status).toBe(0)
  const found = JSON.parse(stdout) as Record<string, Record<string, string>>
  expect(Object.keys(found)).toEqual(['lint', 'pdf', 'review'])
  expect(found.pdf).toEqual({ 'SKILL.md': `644 ${base64(EXPORT_PROJECT['skills/pdf/SKILL.md'])}` })
  expect(found.review).toEqual({
    'SKILL.md': `644 ${base64(
      '---\nname: review\ndescription: What review does.\nmetadata:\n  author: Ann\n' +
        '  agent-apps: "{\\"timeout\\":5000}"\n---\nFirst What lint does. Then run scripts/run.sh.\n',
    )}`,
    'logo.png': `644 ${base64(EXPORT_PROJECT['skills/review/logo.png'])}`,
    'references/naïve names.md': `644 ${base64('Whole words.\n')}`,
    'scripts/run.sh': `755 ${base64('#!/bin/sh\necho checked\n')}`,
  })
})

it('the script sees a file that is not what its digest says', { tags: 'long' }, async () => {
  const { dir } = await exported('well-known')
  const file = join(dir, 'review/review.tar.gz')
  const bytes = readFileSync(file)
  bytes[20] = (bytes[20] ?? 0) ^ 1
  writeFileSync(file, bytes)
  expect(checked(dir).stderr).toMatch(/review: sha256:\w+ is not sha256:/)
})

it('an archive has neither times nor owners', async () => {
  const { dir } = await exported('well-known')
  const { stdout } = spawnSync(
    'tar',
    ['--utc', '--numeric-owner', '-tvzf', join(dir, 'review/review.tar.gz')],
    {
      encoding: 'utf8',
    },
  )
  const lines = stdout.trim().split('\n')
  expect(lines).toHaveLength(4)
  for (const line of lines) expect(line).toMatch(/^-rw[x-]r-[x-]r-[x-] 0\/0 +\d+ 1970-01-01 00:00 /)
})
