import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../support/processes.js'

/** The entries, and which of the optional packages a bundle of each may hold: those of its own SDK, and what these bring. */
const ENTRIES: Record<string, string[]> = {
  '.': [],
  './runtime': [],
  './compiler': [],
  './compiler/disk': [],
  './ai-sdk': ['@ai-sdk/*', '@opentelemetry/api', 'ai'],
  './esbuild': [],
  './export': [],
  './langchain': ['@langchain/*', 'langchain'],
  './mcp': ['@modelcontextprotocol/client', '@modelcontextprotocol/core', '@modelcontextprotocol/server'],
  './store': [],
  './testing': [],
  './vite': [],
  './workspace': [],
}

interface Package {
  exports: Record<string, { default?: string } | string>
  dependencies: Record<string, string>
  peerDependencies: Record<string, string>
}
const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Package
const modules = Object.entries(own.exports).flatMap(([entry, target]) =>
  typeof target === 'object' && target.default !== undefined ? [entry] : [],
)

/** What a bundle of an application that uses one entry is made of: packages, and files of the adapters. */
async function bundled(entry: string): Promise<{ packages: string[]; adapters: string[] }> {
  const name = `agent-apps${entry.slice(1)}`
  const { metafile } = await build({
    stdin: { contents: `import * as used from '${name}'\nconsole.log(used)`, resolveDir: ROOT },
    ...{ absWorkingDir: ROOT, bundle: true, splitting: true, format: 'esm', platform: 'node' },
    ...{ outdir: 'bundled', write: false, metafile: true, logLevel: 'silent' },
  })
  const files = Object.keys(metafile.inputs)
  const packages = files.flatMap(file => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])
  return {
    packages: [...new Set(packages)].sort(),
    adapters: files.filter(file => file.startsWith('dist/adapters/')),
  }
}

/** One name for all packages of one maker. */
const groupOf = (name: string): string => name.replace(/^(@(?:ai-sdk|langchain))\/.*$/, '$1/*')

/** The packages of SDKs: those that are optional, and what lies beside them under one maker's name. */
const isOfSdk = (name: string): boolean =>
  own.dependencies[name] === undefined &&
  (own.peerDependencies[name] !== undefined || /^@(ai-sdk|langchain|modelcontextprotocol)\//.test(name))

it('knows all entries', () => {
  expect(Object.keys(ENTRIES).sort()).toEqual(modules.sort())
})

describe('a bundle holds only what its application uses', () => {
  it.each(Object.entries(ENTRIES))('agent-apps %s', async (entry, sdk) => {
    const { packages, adapters } = await bundled(entry)
    expect([...new Set(packages.filter(isOfSdk).map(groupOf))].sort()).toEqual(sdk)
    const isAdapter = adapters.includes(`dist/adapters/${entry.slice(2)}.js`)
    // Without an adapter, nothing of any.
    if (!isAdapter) expect(adapters).toEqual([])
    const entries = adapters.filter(file => modules.includes(`./${file.replace(/^.*\/|\.js$/g, '')}`))
    expect(entries).toHaveLength(isAdapter ? 1 : 0)
  })
})
