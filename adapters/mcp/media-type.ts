const TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  txt: 'text/plain',
  csv: 'text/csv',
  css: 'text/css',
  html: 'text/html',
  js: 'text/javascript',
  mjs: 'text/javascript',
  ts: 'text/typescript',
  py: 'text/x-python',
  sh: 'application/x-sh',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  xml: 'application/xml',
  pdf: 'application/pdf',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
}

/** The media type of a file, by its extension. */
export function mediaType(path: string): string {
  const extension = /[^/]\.([a-zA-Z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(TYPES, extension) ? (TYPES[extension] as string) : 'application/octet-stream'
}
