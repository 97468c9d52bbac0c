import { readFileSync } from 'node:fs'

const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** A page for each export of each entry, from the docstrings. An export without one fails the build. */
export default {
  entryPoints: Object.values(exports).flatMap(({ types }) => (types ? [`../${types}`] : [])),
  tsconfig: 'tsconfig.json',
  plugin: ['typedoc-plugin-markdown'],
  out: 'api',
  name: 'API',
  readme: 'none',
  disableSources: true,
  excludeExternals: true,
  skipErrorChecking: true,
  requiredToBeDocumented: ['Function', 'Class', 'Interface', 'TypeAlias', 'Variable'],
  validation: { notDocumented: true, notExported: false },
  treatValidationWarningsAsErrors: true,
  entryFileName: 'index',
  hidePageHeader: true,
  sanitizeComments: true,
  useCodeBlocks: true,
  indexFormat: 'table',
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
}
