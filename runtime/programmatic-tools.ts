import { type DefinedTool, isDefinedTool } from '../src/define-tool.js'
import { AgentAppsError } from '../src/error.js'
import { extractFrontmatter, type Role } from '../src/frontmatter.js'
import type { JsonObject } from '../src/json.js'
import { isToolName } from '../src/tool-name.js'
import { forgetReference } from './caches.js'
import { defaultGlobals, type Globals } from './globals.js'
import type { ToolDef, ToolFunction } from './tool-def.js'

/** A tool that a program registers. */
export interface RegisterToolOptions {
  /** The name it is found by, exactly. A name that breaks the name rule (`my_tool`) is found too. */
  name: string
  fn: ToolFunction
  description?: string
  /** JSON Schema of the arguments. Absent: it takes none. */
  params?: JsonObject
  returns?: JsonObject
  tags?: string[]
  visibility?: 'hidden'
  metadata?: JsonObject
  role?: Role
  /** Patterns of the tools it may call. */
  allowedTools?: string | string[]
  /** A URI that it is found by as well: `mcp://…`, `inline://…`. */
  src?: string
  module?: unknown
  /** The text that `content()` gives. */
  content?: string
}

/**
 * Registers a tool: with the definition alone on the process's default globals. It shadows tools from disk, and
 * replaces one of its name that was registered before.
 *
 * @throws NAME_INVALID for a name that is empty or longer than 64 characters
 */
export function registerTool(globals: Globals, options: RegisterToolOptions): void
export function registerTool(globals: Globals, definition: DefinedTool): Promise<void>
export function registerTool(definition: DefinedTool): Promise<void>
export function registerTool(
  globals: Globals | DefinedTool,
  options?: RegisterToolOptions | DefinedTool,
): void | Promise<void> {
  if (isDefinedTool(globals)) return registerDefined(defaultGlobals(), globals)
  if (isDefinedTool(options)) return registerDefined(globals, options)
  if (options === undefined) {
    throw new AgentAppsError('NAME_INVALID', 'There is no tool to register.', {
      hint: 'Give its definition.',
    })
  }
  add(globals, options)
}

async function registerDefined(globals: Globals, tool: DefinedTool): Promise<void> {
  const verbatim = await tool.frontmatter()
  add(globals, { ...optionsOf(verbatim), name: tool.name, fn: tool.fn })
}

function optionsOf(verbatim: JsonObject): Omit<RegisterToolOptions, 'fn'> {
  const { name, description, role, params, returns, tags, visibility, metadata, ...rest } =
    extractFrontmatter(verbatim, {
      kind: 'code',
      name: String(verbatim.name),
    })
  const allowedTools = rest['allowed-tools']
  return {
    name,
    ...(description !== undefined && { description }),
    ...(role !== undefined && { role }),
    ...(params !== undefined && { params }),
    ...(returns !== undefined && { returns }),
    ...(visibility !== undefined && { visibility }),
    ...(allowedTools !== undefined && { allowedTools }),
    tags,
    metadata,
  }
}

function add(globals: Globals, options: RegisterToolOptions): void {
  const { name, fn, src = null, module, content } = options
  if (typeof name !== 'string' || name === '' || name.length > 64) {
    throw new AgentAppsError(
      'NAME_INVALID',
      `${JSON.stringify(String(name).slice(0, 80))} is no name for a tool.`,
      {
        hint: 'Use 1 to 64 characters.',
      },
    )
  }
  if (typeof fn !== 'function') {
    throw new AgentAppsError('DEFINITION_INVALID', `The tool "${name}" has no function \`fn\`.`, {
      hint: 'Give `fn: (ctx, args) => …`.',
      tool: name,
    })
  }
  const tool: ToolDef = {
    name,
    kind: 'code',
    frontmatter: frontmatterOf(options),
    fn,
    src,
    ...(module !== undefined && { module }),
    ...(content !== undefined && { content: async () => content }),
    origin: { layer: 'programmatic', entry: '', file: '', via: 'programmatic', shadows: [] },
  }
  globals.tools.programmaticTools.set(name, tool)
  globals.stats.via.programmatic++
  forgetTool(globals, name, src)
}

/** The indexes stay open: what is registered says nothing of them. */
function forgetTool(globals: Globals, name: string, src: string | null | undefined): void {
  forgetReference(name, globals)
  if (src) forgetReference(src, globals)
}

function frontmatterOf({
  name,
  description,
  params,
  returns,
  tags,
  visibility,
  metadata = {},
  role,
  allowedTools,
}: RegisterToolOptions) {
  const own = { params, returns, tags, visibility, role }
  const present = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined))
  const verbatim = {
    description,
    'allowed-tools': allowedTools,
    metadata: { ...metadata, ...present },
  } as JsonObject
  return extractFrontmatter(verbatim, { kind: 'code', name })
}

/** Removes a registered tool, and what was cached under its name. */
export function unregisterTool(globals: Globals, name: string): void {
  const { programmaticTools } = globals.tools
  const src = programmaticTools.get(name)?.src
  programmaticTools.delete(name)
  forgetTool(globals, name, src)
}

/**
 * Registers a function under a name of its own, `{label}-{8 hexadecimal digits}`, and gives the name: a reference
 * to the function that can be handed to a model. Subject to `allowed-tools` like any other (`callback-*`).
 */
export function createCallbackRef(globals: Globals, label: string, fn: ToolFunction): string {
  if (!isToolName(label) || label.length > 55) {
    throw new AgentAppsError('NAME_INVALID', `${JSON.stringify(label)} is no label for a callback.`, {
      hint: 'Use 1 to 55 of a-z, 0-9 and "-".',
    })
  }
  const name = `${label}-${crypto.randomUUID().slice(0, 8)}`
  add(globals, { name, fn })
  return name
}
