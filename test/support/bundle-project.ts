import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Runtime } from 'agent-apps'
import { skill, type Tree } from './tree.js'

export interface Bundle {
  runtime: Runtime
  tools: Record<string, (args?: unknown) => Promise<unknown>>
}

/** The files of a bundle, by path. */
export function filesOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => /\.\w+$/.test(name))
      .sort()
      .map(name => [name, readFileSync(join(folder, name), 'utf8')]),
  )
}

/** The source of a code skill with a function's body. */
export const CODE = (name: string, body: string, metadata: object = {}): string =>
  `export const frontmatter = ${JSON.stringify({ name, description: `Is ${name}.`, metadata })}\nexport default async (ctx, args) => {\n${body}\n}\n`

/** The error of work that fails. */
export const failure = (work: Promise<unknown>): Promise<{ code?: string; message: string; hint: string }> =>
  work.then(
    () => ({ message: 'did not fail', hint: '' }),
    error => error,
  )

/** A project with a folder skill, its resources, and a code skill. */
export const TREE: Tree = {
  'skills/review/SKILL.md': skill('review', 'See :include[references/style.md]. É!\n'),
  'skills/review/references/style.md': 'the style',
  'skills/review/assets/dot.bin': new Uint8Array([0, 255, 254, 10]),
  'skills/count.skill.ts': CODE('count', 'return `${args.text}: ${args.text.split(" ").length}`', {
    params: {
      type: 'object',
      properties: { text: { type: 'string' }, unit: { enum: ['words', 'letters'], default: 'words' } },
      required: ['text', 'unit'],
      additionalProperties: false,
    },
    returns: { type: 'string' },
    timeout: 5000,
  }),
}
