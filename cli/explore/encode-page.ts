import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { deflateRawSync } from 'node:zlib'

/** The blocks of the data by name: bytes, or a value that is written as JSON. */
export type PageBlocks = ReadonlyMap<string, Uint8Array | object>

/** The page's code and style, as `scripts/build-explore.js` puts them beside the command's own. */
interface Built {
  script: string
  style: string
}

/**
 * The page as one HTML document that needs nothing else. The data is compressed and written in Base64, so that no text of a skill
 * can end the element that it is in; elements of another type are never run. The policy allows this script and this style, and
 * nothing to be loaded.
 */
export function encodePage(blocks: PageBlocks): string {
  const [first, ...others] = [...blocks].map(([name, value]) => blockElement(name, packed(value)))
  return pageDocument(
    { 'connect-src': "'none'" },
    // What the first view needs comes before the code, all else behind it.
    { before: first ?? '', behind: others.join('') },
  )
}

/** The page without data, which its code fetches from the server that it came from. */
export function servedPage(): string {
  return pageDocument({ 'connect-src': "'self'" }, { before: '', behind: '' })
}

/** A block as it is stored and sent. */
export function packed(value: Uint8Array | object): Uint8Array {
  return deflateRawSync(value instanceof Uint8Array ? value : JSON.stringify(value))
}

function pageDocument(
  more: Record<string, string>,
  { before, behind }: { before: string; behind: string },
): string {
  const { script, style } = built()
  const policy = Object.entries({
    'default-src': "'none'",
    'script-src': `'sha256-${sha256(script)}'`,
    'style-src': `'sha256-${sha256(style)}'`,
    'base-uri': "'none'",
    'form-action': "'none'",
    'require-trusted-types-for': "'script'",
    'trusted-types': "'none'",
    ...more,
  }).map(([directive, value]) => `${directive} ${value}`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>Explore</title>
<style>${style}</style>
</head>
<body>
<div id="page"><noscript>This page shows skills with JavaScript, which is off.</noscript></div>
${before}<script>${script}</script>
${behind}</body>
</html>
`
}

function blockElement(name: string, bytes: Uint8Array): string {
  return `<script type="application/octet-stream" data-block="${name}">${Buffer.from(bytes).toString('base64')}</script>\n`
}

function built(): Built {
  return { script: builtFile('page.js'), style: builtFile('page.css') }
}

/** A file of the built page. */
export function builtFile(name: string): string {
  const manifest = createRequire(import.meta.url).resolve('agent-apps/package.json')
  return readFileSync(join(dirname(manifest), 'dist/explore', name), 'utf8')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
