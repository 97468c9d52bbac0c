/**
 * How a bundled file knows where its source lies, written and read: lines that esbuild prints again, numbered, and that
 * a bundle, in which sources lie nowhere, takes out.
 */

/** The expressions for a file's own location, and the names that replace them. */
export const OWN_PLACES = {
  'import.meta.url': '__agentAppsSourceUrl',
  'import.meta.dirname': '__agentAppsSourceDirname',
  'import.meta.filename': '__agentAppsSourceFilename',
  __dirname: '__agentAppsSourceDirname',
  __filename: '__agentAppsSourceFilename',
}

/** These names in compiled code. */
export const SOURCE_NAME = /^__agentAppsSource(Url|Dirname|Filename)\d*$/

/**
 * The definitions put before a file's first line, on that line.
 *
 * @param target the URL of the source, absolute or relative to the module
 * @param isModule false for CommonJS, which has no `import.meta`: by `require` it knows the folder of the
 * module
 */
export function placeDefinitions(target: string, isModule: boolean): string {
  const url = JSON.stringify(target)
  if (!isModule) {
    return [
      `const __agentAppsSourceFilename = require('node:url').fileURLToPath(new URL(${url}, require('node:url').pathToFileURL(require.resolve.paths('./')[0] + '/')));`,
      "const __agentAppsSourceDirname = require('node:path').dirname(__agentAppsSourceFilename);",
    ].join(' ')
  }
  return [
    "import { fileURLToPath as __agentAppsPath, pathToFileURL as __agentAppsUrl } from 'node:url';",
    'const { url: __agentAppsModuleUrl } = import.meta;',
    `const __agentAppsSourceFilename = __agentAppsPath(new URL(${url}, __agentAppsModuleUrl));`,
    // The set of encoded characters differs between versions of Node.
    'const __agentAppsSourceUrl = __agentAppsUrl(__agentAppsSourceFilename).href;',
    "const __agentAppsSourceDirname = __agentAppsPath(new URL('.', __agentAppsSourceUrl)).slice(0, -1);",
  ].join(' ')
}

export function relativeUrl(path: string): string {
  const [, up = '', rest = ''] = /^((?:\.\.\/)*)(.*)$/s.exec(path) ?? []
  const url = new URL('file:///')
  url.pathname = rest.replaceAll('%', '%25')
  return up + url.pathname.slice(1)
}

/** The places that compiled code knows. */
interface KnownPlaces {
  /** The source's URL relative to the module, by the name that replaces the source's `import.meta.url`. */
  urls: Map<string, string>
  /** The number of characters put before the source's first line, by that URL. */
  shifts: Map<string, number>
  /** The code with spaces instead of the definitions, so that all places stay the same. */
  code: string
}

const DEFINITION =
  /^ *(?:var|const) (?:\{ url: __agentAppsModuleUrl\d* \}|__agentAppsSource(?:Filename|Url|Dirname)\d*) = .*;$/gm
const FILENAME =
  /^ *(?:var|const) (__agentAppsSourceFilename\d*) = .*?\(new URL\(("(?:[^"\\]|\\.)*"), (__agentAppsModuleUrl)?/gm
const URL_OF_FILENAME = /^var (__agentAppsSourceUrl\d*) = \w+\((__agentAppsSourceFilename\d*)\)\.href;$/gm

/** Reads the output of `placeDefinitions`. */
export function knownPlaces(text: string): KnownPlaces {
  const targets = new Map<string | undefined, string>()
  const shifts = new Map<string, number>()
  for (const [, name, url = '""', base] of text.matchAll(FILENAME)) {
    const target: string = JSON.parse(url)
    targets.set(name, target)
    shifts.set(target, placeDefinitions(target, base !== undefined).length)
  }
  const urls = [...text.matchAll(URL_OF_FILENAME)].map(
    ([, name = '', file]) => [name, targets.get(file) ?? ''] as const,
  )
  return { urls: new Map(urls), shifts, code: text.replace(DEFINITION, line => ' '.repeat(line.length)) }
}
