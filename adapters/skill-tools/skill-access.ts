import { AgentAppsError, type JsonObject } from 'agent-apps'
import type { AgentRuntime, OpenedSkill } from 'agent-apps/runtime'
import { toBase64 } from './attachment.js'
import type { ModelTool } from './model-tool.js'
import type { OfferNames } from './offer-options.js'
import { partOfData, type Shown, shownResult, shownText } from './shown.js'

/** The most skills that a search finds. */
export const FOUND_MAX = 10

/**
 * A tool that gives a model the text of a skill.
 *
 * @param listed the names of all skills, for its schema; null to leave them out
 */
export function loadTool(
  agent: AgentRuntime,
  listed: readonly string[] | null,
  { read }: OfferNames,
  withDirectory: boolean,
): ModelTool {
  const name = {
    type: 'string',
    description: 'The name of the skill.',
    ...(listed && { enum: [...listed] }),
  }
  return {
    runs: null,
    description:
      'Loads a skill: instructions for a task. Load the skill that fits a task before you begin it.',
    schema: objectOf({ name }),
    callOf: input => withText(input, 'name', ref => ({ agent, ref, args: undefined })),
    run: async (input, options) => {
      const wanted = textField(input, 'name')
      const { content, resources, directory } = await agent.open(wanted, undefined, options)
      return { content, resources, ...(withDirectory && directory !== undefined && { directory }) }
    },
    show: opened => showOpened(opened as OpenedSkill, read),
  }
}

/** The skill that a model follows, whose files it may read. */
interface OwnFiles {
  name: string
  read: (path: string) => Promise<Uint8Array>
}

/** A tool that gives a model one of a skill's files. */
export function readTool(agent: AgentRuntime, { load }: OfferNames, own: OwnFiles | null = null): ModelTool {
  return {
    runs: null,
    description: `Reads one of the files of a skill that ${load} listed.`,
    schema: objectOf({
      name: { type: 'string', description: 'The name of the skill.' },
      path: { type: 'string', description: "The file's path, as it was listed." },
    }),
    callOf: input =>
      withText(input, 'name', ref => (ref === own?.name ? null : { agent, ref, args: undefined })),
    run: async (input, options) => {
      const [name, path] = [textField(input, 'name'), textField(input, 'path')]
      if (name === own?.name) return fileOf(path, await own.read(path))
      return fileOf(path, await agent.readResource(name, path, options))
    },
    show: file => showFile(file as ReadFile),
  }
}

/**
 * A tool that finds skills for which the catalog has no space.
 *
 * @param skills those that the model may load
 * @param isPart true where the agent that searches may find others too
 */
export function searchTool(
  agent: AgentRuntime,
  skills: readonly string[],
  { load }: OfferNames,
  isPart: boolean,
): ModelTool {
  const may = new Set(skills)
  const discovered = (query: string): JsonObject => ({
    ...{ query, runs: false, limit: FOUND_MAX },
    ...(isPart && { names: [...skills] }),
  })
  return {
    runs: null,
    description: `Finds skills by words of a task. Load one of those found with ${load}.`,
    schema: objectOf({ query: { type: 'string', description: 'Words of the task.' } }),
    callOf: input => withText(input, 'query', query => ({ agent, ref: DISCOVER, args: discovered(query) })),
    run: async (input, options) => {
      const args = discovered(textField(input, 'query'))
      const { output } = (await agent.invoke(DISCOVER, args, options)) as DiscoverResult
      const found = output.tools.filter(({ name }) => may.has(name))
      return { skills: found.map(({ name, description }) => ({ name, description })) }
    },
    show: shownResult,
  }
}

/** The library's tool that searches. */
export const DISCOVER = 'agent-discover'

interface DiscoverResult {
  output: { tools: { name: string; description?: string }[] }
}

function objectOf(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** A string of a model's input. Throws ARGS_INVALID. */
function textField(input: unknown, field: string): string {
  const value = withText(input, field, text => text)
  if (value !== null) return value
  throw new AgentAppsError('ARGS_INVALID', `"${field}" must be a string.`, {
    hint: `Call it again with \`${field}\`.`,
  })
}

/** Maps a string of a model's input; null if the model gave none. */
function withText<Made>(input: unknown, field: string, make: (text: string) => Made): Made | null {
  const value = (input as Record<string, unknown> | null | undefined)?.[field]
  return typeof value === 'string' ? make(value) : null
}

function showOpened({ content, resources, directory }: OpenedSkill, read: string): Shown {
  const files = resources.map(({ path, size }) => `- ${path} (${size} bytes)`)
  const more = [
    ...(files.length > 0 ? [`Files of this skill, for ${read}:\n${files.join('\n')}`] : []),
    ...(directory === undefined ? [] : [`The skill's folder: ${directory}`]),
  ]
  const value = more.length === 0 ? content : [content.trimEnd(), ...more].join('\n\n')
  return shownText(value)
}

type ReadFile = { path: string; text: string } | { path: string; mediaType: string; data: string }

/** The media types of files that models can be shown, by extension. */
const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['gif', 'image/gif'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['webp', 'image/webp'],
])

/** A file as JSON, to be stored with the messages. */
function fileOf(path: string, bytes: Uint8Array): ReadFile {
  const mediaType = MEDIA_TYPES.get(/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '')
  if (mediaType) return { path, mediaType, data: toBase64(bytes) }
  try {
    return { path, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    // Neither text nor a format that models read.
    return { path, text: `(a binary file of ${bytes.length} bytes)` }
  }
}

function showFile(file: ReadFile): Shown {
  if ('text' in file) return shownText(file.text)
  return { isFailure: false, parts: [partOfData(file.data, file.mediaType, file.path)] }
}
