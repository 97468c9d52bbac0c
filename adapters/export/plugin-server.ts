import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AgentAppsError, type ToolDef } from 'agent-apps'
import { type BuildFailure, build } from 'esbuild'
import { agentApps } from '../esbuild.js'
import type { ServedPlugin } from '../serve-plugin.js'
import { byText, type ExportedFiles, exportedFile } from './exported-files.js'
import type { PluginProject } from './plugin.js'

export const SERVER_FILE = 'server.mjs'

/**
 * The files of an MCP server on stdio with these tools. They contain everything that it needs, so that Node can run it
 * where nothing is installed.
 *
 * @throws MODULE_MISSING if the packages of the protocol are not installed; EXPORT_FAILED if the tools' code cannot be
 *   bundled
 */
export async function serverFiles(
  served: readonly ToolDef[],
  identity: { name: string; version: string },
  { cwd, config, paths }: PluginProject,
): Promise<ExportedFiles> {
  const names = served.map(({ name }) => name)
  const options: ServedPlugin = { ...identity, tools: names, permissions: permissionsOf(served) }
  const main = fileURLToPath(new URL('./serve-plugin.js', import.meta.url))
  const entry = [
    `import { servePlugin } from ${JSON.stringify(main)}`,
    `import { runtime } from 'virtual:agent-apps'`,
    `servePlugin(runtime, ${JSON.stringify(options)})`,
  ].join('\n')
  const { outputFiles, metafile } = await build({
    stdin: { contents: entry, resolveDir: cwd, sourcefile: SERVER_FILE },
    absWorkingDir: cwd,
    outdir: cwd,
    entryNames: SERVER_FILE.replace('.mjs', ''),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Comments would contain paths of this machine.
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'silent',
    banner: { js: REQUIRE },
    plugins: [
      agentApps({ cwd, keep: names, ...(config !== undefined && { config }), ...(paths && { paths }) }),
    ],
  }).catch((error: BuildFailure) => {
    throw failure(error)
  })
  const files = outputFiles.map(
    ({ path, contents }) => [relative(cwd, path).replaceAll('\\', '/'), exportedFile(contents)] as const,
  )
  const inputs = Object.keys(metafile.inputs).map(path => resolve(cwd, path))
  return new Map([
    ...files.sort(([a], [b]) => byText(a, b)),
    ['THIRD-PARTY.txt', exportedFile(licencesOf(inputs))],
  ])
}

/** CommonJS code loads Node's modules with `require`, which ES modules lack. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"

/** The permissions that the tools declare, which installing the plugin grants to its server. */
function permissionsOf(served: readonly ToolDef[]): string[] {
  const declared = served.flatMap(({ frontmatter: { metadata } }) => {
    const { required = [], optional = [] } = (metadata.permissions ?? {}) as Record<string, unknown>
    return [required, optional].flat().filter(one => typeof one === 'string')
  })
  return [...new Set(declared)].sort(byText)
}

function failure(error: BuildFailure): unknown {
  const [first] = error.errors ?? []
  if (!first) return error
  const [, missing] = /Could not resolve "(@modelcontextprotocol\/[^"/]+)/.exec(first.text) ?? []
  if (missing !== undefined)
    return new AgentAppsError('MODULE_MISSING', `The package ${missing} is not installed.`, {
      hint: `The plugin's server needs it: run \`npm install ${missing}\`.`,
      cause: error,
    })
  const { location } = first
  return new AgentAppsError('EXPORT_FAILED', `The tools' code cannot be bundled: ${first.text}`, {
    hint: first.notes[0]?.text ?? 'Run `agent-apps check` for details.',
    ...(location && { file: location.file, position: { line: location.line, column: location.column + 1 } }),
    cause: error,
  })
}

/** The licences of the packages whose files (absolute) are in a bundle: most must be included with the code. */
function licencesOf(files: readonly string[]): string {
  const folders = new Set(files.flatMap(file => packageOf(file) ?? []))
  const notices = [...folders].map(noticeOf).sort(byText)
  return `${['This server contains code of these packages.', ...new Set(notices)].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

/** The folder in `node_modules` of the package that a file belongs to; null for any other file. */
function packageOf(file: string): string | null {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0] ?? null
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >
  const file = readdirSync(folder).find(one => /^licen[cs]e/i.test(one))
  const text = file === undefined ? '' : `\n\n${readFileSync(join(folder, file), 'utf8').trim()}`
  return `${name} ${version} (${typeof license === 'string' ? license : 'see its licence'})${text}`
}
