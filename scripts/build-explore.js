// Builds the page of `agent-apps explore`: its code and its style as one file each, and the licences of the packages in them.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { noticesOf, packageFolders } from './licences.js'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const DIST = join(PROJECT, 'dist/explore')
/** The most bytes of code and style. */
const MOST = 400_000

const [{ output }] = await build({
  root: join(PROJECT, 'explore'),
  configFile: false,
  logLevel: 'warn',
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    write: false,
    target: 'es2023',
    modulePreload: false,
    cssCodeSplit: false,
    lib: { entry: 'main.tsx', formats: ['iife'], name: 'explore', fileName: 'page', cssFileName: 'page' },
  },
})
const script = output.find(({ type }) => type === 'chunk')
const style = output.find(({ fileName }) => fileName.endsWith('.css'))
const bytes = Buffer.byteLength(script.code) + Buffer.byteLength(style.source)
if (bytes > MOST)
  throw new Error(`The page has ${bytes} bytes of code and style; at most ${MOST} are allowed.`)
// Either would end the element that holds it.
if (/<\/script|<!--/i.test(script.code) || /<\/style/i.test(style.source))
  throw new Error('The page has code or style that ends its own element.')

mkdirSync(DIST, { recursive: true })
writeFileSync(join(DIST, 'page.js'), script.code)
writeFileSync(join(DIST, 'page.css'), style.source)
const folders = packageFolders(script.moduleIds)
writeFileSync(join(DIST, 'licences.txt'), noticesOf('This page contains code of these packages.', folders))
