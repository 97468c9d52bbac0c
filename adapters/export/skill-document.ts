import type { JsonObject, ToolDef } from 'agent-apps'
import { Document, parse, stringify, visit } from 'yaml'
import { isObject } from '../is-object.js'

/** A skill's file for other hosts. */
interface SkillDocument {
  bytes: Uint8Array
  /** The fields that it lacks, since other hosts would refuse or misread them. */
  dropped: string[]
}

/** The fields of the open specification. */
const FIELDS = ['name', 'description', 'license', 'compatibility', 'allowed-tools', 'metadata']

/** Those of them that must be strings. */
const TEXTS = ['description', 'license', 'compatibility', 'allowed-tools'] as const

/** The key of `metadata` that packs all other than string values. */
const OWN = 'agent-apps'

/** Keys of `metadata` that were applied to the exported content, and must not be applied again. */
const SPENT = ['interpolate', 'static']

/**
 * A text skill's SKILL.md. A file that follows the specification and contains no directives stays unchanged, byte for byte.
 *
 * @param content the content with its directives run
 * @param own true for a top-level field that the host has besides those of the specification
 */
export async function skillDocument(
  tool: ToolDef,
  verbatim: JsonObject,
  content: string,
  own: (field: string) => boolean,
): Promise<SkillDocument> {
  const isKept = (field: string): boolean => FIELDS.includes(field) || own(field)
  const written = await tool.source?.()
  if (written && (await isPlain(tool, verbatim, content, written, isKept)))
    return { bytes: written, dropped: [] }
  const { name: _, description: __, metadata, ...rest } = verbatim
  const { 'allowed-tools': allowedTools, license, compatibility, description } = tool.frontmatter
  const fields = {
    name: tool.label,
    description,
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    ...(allowedTools && { 'allowed-tools': allowedTools }),
    ...Object.fromEntries(Object.entries(rest).filter(([field]) => !FIELDS.includes(field) && own(field))),
  }
  const { strings, dropped } = asStrings(isObject(metadata) ? metadata : {})
  const head = toYaml({ ...fields, ...(Object.keys(strings).length > 0 && { metadata: strings }) })
  return {
    bytes: new TextEncoder().encode(`---\n${head}---\n${content}`),
    dropped: [...Object.keys(rest).filter(field => !isKept(field)), ...dropped.map(key => `metadata.${key}`)],
  }
}

async function isPlain(
  tool: ToolDef,
  verbatim: JsonObject,
  content: string,
  written: Uint8Array,
  isKept: (field: string) => boolean,
): Promise<boolean> {
  const { metadata = {} } = verbatim
  return (
    tool.kind === 'folder' &&
    verbatim.name === tool.label &&
    Object.keys(verbatim).every(isKept) &&
    TEXTS.every(field => verbatim[field] === tool.frontmatter[field]) &&
    isObject(metadata) &&
    asStrings(metadata).isSame &&
    (await tool.content?.()) === content &&
    isStrictYaml(written, content, verbatim)
  )
}

/** A date, or `yes`, is a string in only one of them. */
const VERSIONS = ['1.1', '1.2'] as const

/** True if a strict parser reads the frontmatter as ours did, which corrects frequent mistakes. */
function isStrictYaml(written: Uint8Array, content: string, verbatim: JsonObject): boolean {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(written)
  const [, head] = /^---[ \t]*\r?\n([\s\S]*\n)---[ \t]*(?:\r?\n|$)/.exec(
    text.slice(0, text.length - content.length),
  ) ?? [null, null]
  if (head === null || head === undefined || !text.endsWith(content)) return false
  try {
    const expected = JSON.stringify(verbatim)
    return VERSIONS.every(version => JSON.stringify(parse(head, { version })) === expected)
  } catch {
    // Not YAML.
    return false
  }
}

/** `metadata` with only strings: other values are packed into one string, which is read as if they were written out. */
function asStrings(metadata: JsonObject): {
  strings: Record<string, string>
  dropped: string[]
  /** True if nothing changed. */
  isSame: boolean
} {
  const packed: JsonObject = {}
  const strings = new Map<string, string>()
  const dropped: string[] = []
  let isSame = true
  for (const [key, value] of Object.entries(metadata)) {
    const inside = key === OWN ? unpacked(value) : { [key]: value }
    for (const [own, one] of Object.entries(inside)) {
      if (own.startsWith('$') || SPENT.includes(own)) dropped.push(own)
      else if (key !== OWN && typeof one === 'string') strings.set(own, one)
      else {
        packed[own] = one
        // Reserves its position: the order of keys is the order of middleware.
        if (!strings.has(OWN)) strings.set(OWN, '')
      }
    }
    isSame &&= typeof value === 'string'
  }
  if (strings.has(OWN)) strings.set(OWN, JSON.stringify(packed))
  return { strings: Object.fromEntries(strings), dropped, isSame: isSame && dropped.length === 0 }
}

/** The entries of a packed value; empty for anything else. */
function unpacked(packed: unknown): JsonObject {
  const value: unknown = typeof packed === 'string' ? parse(packed) : null
  return isObject(value) ? value : {}
}

/** YAML with each value on one line, quoted if any version of YAML needs it. */
function toYaml(fields: object): string {
  const document = new Document(fields, { version: '1.1' })
  visit(document, {
    Scalar(_, scalar) {
      const { value } = scalar
      if (typeof value === 'string' && stringify(value, ON_ONE_LINE) !== `${value}\n`)
        scalar.type = 'QUOTE_DOUBLE'
    },
  })
  return document.toString(ON_ONE_LINE)
}

const ON_ONE_LINE = { lineWidth: 0, blockQuote: false } as const
