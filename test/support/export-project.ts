import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { type ExportOptions, type ExportResult, exportSkills } from 'agent-apps/export'
import { temporary } from './temporary.js'
import { makeTree, skill, type Tree } from './tree.js'

/** A project with a skill of each kind that exporting treats in its own way. */
export const EXPORT_PROJECT: Tree = {
  'package.json': JSON.stringify({ name: '@acme/kit', version: '1.2.3', description: 'What Acme uses.' }),
  'agent-apps.config.json': JSON.stringify({ paths: ['./skills'] }),
  'skills/pdf/SKILL.md': skill('pdf', 'Read it.\n', 'license: MIT\n'),
  'skills/review/SKILL.md': skill(
    'review',
    'First :skill[lint]{show=description} Then run scripts/run.sh.\n',
    'argument-hint: "[change]"\nmetadata:\n  author: Ann\n  timeout: 5000\n',
  ),
  'skills/review/scripts/run.sh': '#!/bin/sh\necho checked\n',
  'skills/review/references/naïve names.md': 'Whole words.\n',
  'skills/review/logo.png': new Uint8Array([137, 80, 78, 71, 0, 255]),
  'skills/lint.skill.md': skill('lint', 'Run the linter.\n'),
  'skills/word-count.skill.mjs': `
    export const frontmatter = {
      name: 'word-count',
      description: 'Counts words.',
      metadata: {
        params: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        permissions: { required: ['read'] },
      },
    }
    export default async (_ctx, { text }) => {
      console.log('noise on standard output')
      return text.split(' ').length + ' words'
    }
  `,
}

/** Exports the project, or another, from a directory of its own. */
export async function exported(
  to: ExportOptions['to'],
  { tree = EXPORT_PROJECT, cwd = makeTree(tree), ...options }: { tree?: Tree } & Partial<ExportOptions> = {},
): Promise<{ cwd: string; dir: string; result: ExportResult }> {
  const dir = join(temporary(), 'exported')
  const result = await exportSkills({ to, dir, cwd, ...options })
  return { cwd, dir: result.dir, result }
}

/** A folder's copy elsewhere, where nothing is installed beside it. */
export function movedAway(dir: string): string {
  const elsewhere = join(temporary(), 'installed')
  cpSync(dir, elsewhere, { recursive: true })
  return elsewhere
}
