import { isJsonObject, type JsonObject } from '../../../src/base/json.js'
import { TOP_LEVEL_FIELDS } from '../../../src/skill/frontmatter.js'
import { limits } from '../../files/limits.js'
import { readYaml, yamlPackages } from './yaml.js'

/**
 * Validates a SKILL.md as the reference validator of the open Agent Skills specification does (`skills-ref`,
 * in the repository agentskills/agentskills): by its rules, in its order. It accepts less YAML than we do,
 * and reads every scalar as a string.
 *
 * @returns the errors; an empty array for a valid file
 */
export function specVerdict(bytes: Buffer, folderName: string): string[] {
  const text = bytes.toString('utf8')
  if (!text.startsWith('---')) return ['The file does not begin with "---".']
  const end = text.indexOf('---', 3)
  if (end === -1) return ['There is no second "---".']
  const yaml = text.slice(3, end)
  if (Buffer.byteLength(yaml) > limits.frontmatterBytes) return ['The frontmatter is too large to be read.']
  // Our reader comes first, since it has limits: within them, YAML is safe for the other reader.
  const { value, problem } = readYaml(yaml)
  if (problem?.rule === 'frontmatter-not-mapping') return ['The frontmatter must be a mapping.']
  if (problem) return [`The YAML is refused: ${problem.found[0] || problem.rule}.`]
  const refused = strictYamlProblem(yaml)
  if (refused !== null) return [`The YAML is refused: ${refused}.`]
  const written = writtenScalars(yaml, value)
  return [
    ...unexpectedFields(value),
    ...('name' in value ? nameErrors(written.name, folderName) : ['`name` is missing.']),
    ...('description' in value ? descriptionErrors(written.description) : ['`description` is missing.']),
    ...('compatibility' in value ? compatibilityErrors(written.compatibility) : []),
    ...allowedToolsErrors(value['allowed-tools']),
  ]
}

/** Finds valid YAML that the reference's reader refuses: collections in brackets, anchors, aliases, tags. */
function strictYamlProblem(yaml: string): string | null {
  const { parseDocument, visit } = yamlPackages.yaml
  let problem: string | null = null
  visit(parseDocument(yaml), {
    Collection(_, node) {
      if (node.flow) problem = 'flow style ([…] or {…}) is not allowed'
    },
    Alias() {
      problem = 'aliases are not allowed'
    },
    Node(_, node) {
      if ('anchor' in node && node.anchor) problem = 'anchors are not allowed'
      if ('tag' in node && node.tag?.startsWith('!')) problem = 'tags are not allowed'
      return problem === null ? undefined : visit.BREAK
    },
  })
  return problem
}

/** The top-level values, with scalars as the strings that their author wrote. */
function writtenScalars(yaml: string, value: JsonObject): Record<string, unknown> {
  const { isScalar, parseDocument } = yamlPackages.yaml
  const document = parseDocument(yaml)
  return Object.fromEntries(
    Object.keys(value).map(key => {
      const node = document.get(key, true)
      if (!isScalar(node)) return [key, value[key]]
      return [key, typeof node.value === 'string' ? node.value : (node.source ?? '')]
    }),
  )
}

function unexpectedFields(value: JsonObject): string[] {
  const extra = Object.keys(value).filter(field => !TOP_LEVEL_FIELDS.includes(field))
  if (extra.length === 0) return []
  return [`Fields that the specification does not know: ${extra.sort().join(', ')}.`]
}

function nameErrors(written: unknown, folderName: string): string[] {
  if (typeof written !== 'string' || written.trim() === '')
    return ['`name` must be a string that is not empty.']
  const name = written.trim().normalize('NFKC')
  const length = [...name].length
  return [
    ...(length > 64 ? [`\`name\` has ${length} characters; at most 64 are allowed.`] : []),
    ...(name !== name.toLowerCase() ? [`\`name\` is not all lower case.`] : []),
    ...(name.startsWith('-') || name.endsWith('-') ? ['`name` begins or ends with a hyphen.'] : []),
    ...(name.includes('--') ? ['`name` doubles a hyphen.'] : []),
    ...(/^[\p{L}\p{N}-]*$/u.test(name)
      ? []
      : ['`name` has other characters than letters, digits and hyphens.']),
    ...(folderName.normalize('NFKC') === name
      ? []
      : [`\`name\` is "${name}", the folder is "${folderName}".`]),
  ]
}

function descriptionErrors(written: unknown): string[] {
  if (typeof written !== 'string' || written.trim() === '')
    return ['`description` must be a string that is not empty.']
  const length = [...written].length
  return length > 1024 ? [`\`description\` has ${length} characters; at most 1,024 are allowed.`] : []
}

function compatibilityErrors(written: unknown): string[] {
  if (typeof written !== 'string') return ['`compatibility` must be a string.']
  const length = [...written].length
  return length > 500 ? [`\`compatibility\` has ${length} characters; at most 500 are allowed.`] : []
}

function allowedToolsErrors(value: unknown): string[] {
  if (value === undefined || value === null || !isJsonObject(value)) return []
  return ['`allowed-tools` must be a string or an array of strings.']
}
