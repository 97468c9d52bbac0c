import { thrownText } from '../../src/base/attempt.js'
import { runtimeClosed } from '../../src/base/error.js'
import { isJsonObject, type JsonObject } from '../../src/base/json.js'
import { checkOptions, type OptionTable } from '../../src/base/options.js'
import { type DefinedTool, isDefinedTool } from '../../src/own/defined-tool.js'
import { PATTERNS } from '../../src/policy/policy-options.js'
import { jsonSchemaOf } from '../../src/schema/library-schema.js'
import {
  defineTool,
  type ExecuteResult,
  frontmatterNow,
  type ToolDefinition,
  type ToolSchema,
} from '../../src/skill/define-tool.js'
import { extractFrontmatter } from '../../src/skill/frontmatter.js'
import type { Context, Globals } from '../state/context.js'
import { addDiagnostic, defaultGlobals } from '../state/globals.js'
import type { SkillFiles, ToolDef } from '../state/tool-def.js'
import { descriptionIn } from './description-file.js'
import {
  addTool,
  type RegisterToolOptions,
  registerTool as registerOptions,
  unregisterTool,
} from './programmatic-tools.js'

/** The options of `register` with a definition. */
export interface RegisterOptions {
  /** A URI that also finds the tool. */
  src?: string
  /**
   * `owner`: the tool itself validates against schemas of unknown dialects. `ours`: a tool with such a schema does not
   * run. Default: `ours`.
   */
  validate?: 'ours' | 'owner' | undefined
  /** Makes it a server's tool, of layer `remote`: every call by an agent needs approval. */
  remote?: RemoteOrigin | undefined
}

/** The options of `register` with a function. `name` defaults to that of the function. */
export type RegisterFunctionOptions = Partial<Omit<RegisterToolOptions, 'fn' | 'module'>>

/** Registers a tool, and returns a function that unregisters it. */
export interface RegisterFunction {
  <
    Params extends ToolSchema | undefined = undefined,
    Returns extends ToolSchema | undefined = undefined,
    Config extends ToolSchema | undefined = ToolSchema | undefined,
    State extends ToolSchema = ToolSchema,
  >(
    definition: ToolDefinition<Params, Returns, ExecuteResult<Returns>, Config, State>,
    options?: RegisterOptions,
  ): () => void
  (definition: DefinedTool, options?: RegisterOptions): () => void
  (fn: AnyFunction, options?: RegisterFunctionOptions): () => void
}

type AnyDefinition = ToolDefinition<ToolSchema | undefined, ToolSchema | undefined>
type AnyFunction = (ctx: Context, args: unknown) => unknown

const DEFINITION_OPTIONS: OptionTable<keyof RegisterOptions> = {
  src: 'string',
  validate: ['ours', 'owner'],
  remote: 'object',
}
const FUNCTION_OPTIONS: OptionTable<keyof RegisterFunctionOptions> = {
  src: 'string',
  name: 'string',
  description: 'string',
  params: 'object',
  returns: 'object',
  tags: 'strings',
  visibility: ['hidden'],
  metadata: 'object',
  role: 'string',
  allowedTools: PATTERNS,
  gated: 'boolean',
  permissions: 'object',
  trust: 'object',
  content: 'string',
}

/**
 * Registers a tool with a runtime. If a function makes the definition, it is called now; look-ups wait for it, and
 * a diagnostic reports its failure.
 *
 * @returns a function that unregisters the tool, unless another tool has taken its name
 * @throws OPTIONS_INVALID; the errors of `registerTool` and `defineTool`
 */
export function register(
  globals: Globals,
  tool: AnyDefinition | DefinedTool | AnyFunction,
  options: RegisterFunctionOptions | RegisterOptions = {},
): () => void {
  if (typeof tool === 'function') {
    checkOptions('register', options, FUNCTION_OPTIONS)
    const { name = tool.name, ...rest } = options as RegisterFunctionOptions
    const named = { ...rest, name }
    registerOptions(globals, { ...named, fn: tool })
    return undoing(globals, named.name)
  }
  checkOptions('register', options, DEFINITION_OPTIONS)
  const defined = isDefinedTool(tool) ? tool : defineTool(tool)
  const { name, fn } = defined
  const { src = null, validate, remote } = options as RegisterOptions
  const frontmatter = frontmatterNow(defined, jsonSchemaOf)
  const add = (made: JsonObject): void => {
    addTool(globals, { name, fn, src }, withDescription(made, globals))
    if (validate === 'owner' || remote) markTool(globals, name, validate, remote)
  }
  if (frontmatter) {
    add(frontmatter)
    return undoing(globals, name)
  }
  return registerLater(globals, defined, add)
}

/** Adds the description from the file that the frontmatter names, if any. */
function withDescription(frontmatter: JsonObject, { config }: Globals): JsonObject {
  const { metadata } = frontmatter
  const path = isJsonObject(metadata) ? metadata['description-path'] : undefined
  return typeof path === 'string' ? { ...frontmatter, description: descriptionIn(path, config) } : frontmatter
}

/** Registers a tool once its definition is made, unless it was unregistered before. */
function registerLater(globals: Globals, tool: DefinedTool, add: (made: JsonObject) => void): () => void {
  if (globals.closed) throw runtimeClosed()
  let undo: (() => void) | null = () => {
    undo = null
  }
  const made = tool.frontmatter().then(frontmatter => {
    if (undo === null || globals.closed) return
    add(frontmatter)
    undo = undoing(globals, tool.name)
  })
  holdLookUps(
    globals,
    made.catch(error => noteUnmade(tool.name, error, globals)),
  )
  return () => undo?.()
}

/** Has look-ups wait for some work. */
function holdLookUps(globals: Globals, work: Promise<unknown>): void {
  const before = globals.configure
  const wait = async (): Promise<void> => {
    await work
    if (globals.configure === wait) {
      if (before) globals.configure = before
      else delete globals.configure
    }
    await globals.configure?.()
  }
  globals.configure = wait
}

function noteUnmade(name: string, error: unknown, globals: Globals): void {
  addDiagnostic(globals, {
    file: `(definition of ${name})`,
    rule: 'definition-fails',
    severity: 'error',
    reason: `The definition of "${name}" cannot be made: ${thrownText(error)}`,
    note: 'Mend the function that makes it; the tool is left out.',
  })
}

function undoing(globals: Globals, name: string): () => void {
  const registered = globals.tools.programmaticTools.get(name)
  return () => {
    if (registered && globals.tools.programmaticTools.get(name) === registered) unregisterTool(globals, name)
  }
}

/**
 * Registers a tool; with one argument, on the process's default globals, whose tools every runtime finds after its
 * own. It shadows tools from disk, and replaces a registered tool of its name.
 *
 * @throws NAME_INVALID for a name that is empty or longer than 64 characters; DEFINITION_INVALID for an
 *   unknown field, a missing function, an unknown role or a schema that is not JSON Schema;
 *   SCHEMA_UNSUPPORTED if a schema provides no JSON Schema
 */
export function registerTool<
  const Params extends ToolSchema | undefined = undefined,
  const Returns extends ToolSchema | undefined = undefined,
  Result = unknown,
  Config extends ToolSchema | undefined = ToolSchema | undefined,
  State extends ToolSchema = ToolSchema,
>(definition: ToolDefinition<Params, Returns, Result, Config, State>): void
export function registerTool(definition: DefinedTool): Promise<void>
export function registerTool<
  const Params extends ToolSchema | undefined = undefined,
  const Returns extends ToolSchema | undefined = undefined,
  Result = unknown,
  Config extends ToolSchema | undefined = ToolSchema | undefined,
  State extends ToolSchema = ToolSchema,
>(globals: Globals, definition: ToolDefinition<Params, Returns, Result, Config, State>): void
export function registerTool(globals: Globals, definition: DefinedTool): Promise<void>
export function registerTool<Params extends JsonObject | undefined = undefined>(
  globals: Globals,
  options: RegisterToolOptions<Params>,
): void
export function registerTool(
  given: Globals | DefinedTool | AnyDefinition,
  options?: RegisterToolOptions | DefinedTool | AnyDefinition,
): void | Promise<void> {
  if (!isGlobals(given)) {
    if (isDefinedTool(given)) return registerDefined(defaultGlobals(), given)
    register(defaultGlobals(), given)
  } else if (isDefinedTool(options)) return registerDefined(given, options)
  else if (options && 'execute' in options) register(given, options)
  else registerOptions(given, options as RegisterToolOptions)
}

function isGlobals(given: object): given is Globals {
  return 'tools' in given && 'events' in given
}

/** Synchronous if the frontmatter is ready, so that importing a module is enough. */
async function registerDefined(globals: Globals, tool: DefinedTool): Promise<void> {
  const frontmatter = frontmatterNow(tool, jsonSchemaOf)
  addTool(globals, tool, withDescription(frontmatter ?? (await tool.frontmatter()), globals))
}

/** The server's part in a registered tool. */
export interface RemoteOrigin {
  /** The digest of the server and its description of the tool, which approvals are bound to. Another digest asks again. */
  digest: string
  /** Set for a skill, which agents open instead of calling it. */
  skill?: RemoteSkill | undefined
}

/** A skill whose files are on a server. Its functions must return verified data. */
export interface RemoteSkill {
  /** Reads its text, without frontmatter. */
  content: () => Promise<string>
  files: SkillFiles
}

/** Marks a registered tool as a server's, or as one that validates its own arguments. */
function markTool(
  { tools: { programmaticTools }, stats }: Globals,
  name: string,
  validate: 'ours' | 'owner' | undefined,
  remote: RemoteOrigin | undefined,
): void {
  const tool = programmaticTools.get(name) as ToolDef
  programmaticTools.set(name, {
    ...tool,
    ...(validate === 'owner' && { validate }),
    ...(remote && remoteParts(tool, remote)),
  })
  if (!remote) return
  stats.via.programmatic--
  stats.via.remote++
}

function remoteParts(
  { name, frontmatter, origin }: ToolDef,
  { digest, skill }: RemoteOrigin,
): Partial<ToolDef> {
  return {
    digest,
    origin: { ...origin, layer: 'remote', via: 'remote' },
    ...(skill && {
      kind: 'folder',
      runs: false,
      fn: skill.content,
      ...skill,
      frontmatter: extractFrontmatter({ ...described(frontmatter) }, { kind: 'folder', name }),
    }),
  }
}

/** Keeps the description only: no other field from a server has an effect. */
function described({ description }: ToolDef['frontmatter']): { description?: string } {
  return description === undefined ? {} : { description }
}
