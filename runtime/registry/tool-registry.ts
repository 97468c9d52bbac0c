import { disk } from '#disk'
import { AgentAppsError } from '../../src/base/error.js'
import { checkOptions } from '../../src/base/options.js'
import { isPermission, PERMISSIONS, type Permission } from '../../src/base/permissions.js'
import type { DescribedSchema } from '../../src/schema/standard-schema.js'
import { defineTool } from '../../src/skill/define-tool.js'
import type { ToolContext } from '../../src/skill/tool-context.js'
import { defaultGlobals } from '../state/globals.js'
import { descriptionIn } from './description-file.js'
import { register as registerTool } from './register.js'
import { checkExecute, checkInfo, type Tool } from './tool.js'

/** A permission that a tool of a registry may require. */
export type ToolPermission = Permission

/** The permissions of a tool in a registry. */
export interface ToolPermissions {
  /** Those that it cannot do without. */
  required: ToolPermission[]
  /** Those that it uses if granted. */
  optional?: ToolPermission[]
}

/** The options of a tool in a registry. */
export interface RegistryOptions {
  permissions?: ToolPermissions
  /** A text file with its description, relative to the working directory. */
  descriptionPath?: string
}

// biome-ignore lint/suspicious/noExplicitAny: the arguments and metadata of a tool are of any type, which only its author knows
type AnyInfo = Tool.Info<any, any>
type AnyDefinition = Tool.Definition<DescribedSchema>

interface Entry extends RegistryOptions {
  info: AnyInfo
  /** Its definition, once it was initialised. A failed attempt is forgotten. */
  ready?: Promise<AnyDefinition> | undefined
  /** Unregisters it from the runtimes. */
  undo?: () => void
}

const entries = new Map<string, Entry>()
const results = new Map<string, Tool.Result>()

/** The registry of the process's tools with an id. */
export const ToolRegistry = {
  /** Registers a tool, in place of one with its id. */
  register,
  /** Registers several tools, whose descriptions may be text files in a directory. */
  registerBuiltinTools,
  /** Removes a tool. Returns false if there was none. */
  unregister,
  /** Returns a registered tool; undefined if there is none. */
  get,
  /** Lists the registered tools. */
  list,
  /** Lists the tools whose required permissions are all granted. */
  enabled,
  /** Makes the definition of a tool, once. */
  init,
  /** Runs a tool with arguments that its schema accepts. */
  execute,
  /** The last result of each tool, by its id. */
  lastResults: results as ReadonlyMap<string, Tool.Result>,
}

/**
 * Registers a tool, in place of one with its id. Every runtime finds it, too: at once, or if a function makes its
 * definition, once it was initialised.
 *
 * @throws DEFINITION_INVALID for anything but a result of `Tool.define`, and for unknown permissions;
 *   OPTIONS_INVALID; RESOURCE_NOT_FOUND if `descriptionPath` does not exist
 */
function register(info: AnyInfo, options: RegistryOptions = {}): void {
  checkOptions('ToolRegistry.register', options, { permissions: 'object', descriptionPath: 'string' })
  checkInfo(info)
  checkPermissions(info.id, options.permissions)
  unregister(info.id)
  const entry: Entry = { info, ...options }
  if (info.definition) offer(entry, described(entry, info.definition))
  entries.set(info.id, entry)
}

/**
 * Registers several tools. Each description is read from `<id>.txt` in their directory, if that exists.
 *
 * @throws the errors of `register`
 */
function registerBuiltinTools(dir: string, tools: readonly (RegistryOptions & { tool: AnyInfo })[]): void {
  for (const { tool, ...options } of tools) {
    const path = disk.resolve(dir, `${tool?.id}.txt`)
    register(tool, { ...(disk.readText(path) !== null && { descriptionPath: path }), ...options })
  }
}

/** Removes a tool. Returns false if there was none. */
function unregister(id: string): boolean {
  entries.get(id)?.undo?.()
  results.delete(id)
  return entries.delete(id)
}

function get(id: string): AnyInfo | undefined {
  return entries.get(id)?.info
}

/** Lists all tools, in order of registration. */
function list(): AnyInfo[] {
  return [...entries.values()].map(({ info }) => info)
}

/** Lists the tools whose required permissions are all among these. */
function enabled(permissions: Iterable<ToolPermission>): AnyInfo[] {
  const has = new Set(permissions)
  return [...entries.values()]
    .filter(({ permissions }) => (permissions?.required ?? []).every(one => has.has(one)))
    .map(({ info }) => info)
}

/**
 * Initialises a tool, and returns its definition. `init` is called once, with the first `initCtx`, and again only after
 * a failure.
 *
 * @throws TOOL_NOT_FOUND; the errors of `init`
 */
async function init(id: string, initCtx?: Tool.InitContext): Promise<AnyDefinition> {
  return initialised(entryOf(id), initCtx)
}

/**
 * Runs a tool for the host, without any policy. Initialises it first, once.
 *
 * @throws TOOL_NOT_FOUND; ARGS_INVALID; the errors of the tool
 */
async function execute(id: string, args: unknown, ctx: Partial<Tool.Context> = {}): Promise<Tool.Result> {
  const entry = entryOf(id)
  const definition = await initialised(entry)
  const full: Tool.Context = {
    sessionID: '',
    messageID: '',
    agent: '',
    abort: new AbortController().signal,
    metadata: () => {},
    ...ctx,
  }
  return (await toolOf(entry, definition, () => full).fn(undefined, args)) as Tool.Result
}

function entryOf(id: string): Entry {
  const entry = entries.get(id)
  if (entry) return entry
  throw new AgentAppsError('TOOL_NOT_FOUND', `There is no tool ${JSON.stringify(id)} in the registry.`, {
    hint: 'Import the module that registers it. `ToolRegistry.list()` lists the registered tools.',
    tool: id,
  })
}

function initialised(entry: Entry, initCtx: Tool.InitContext = {}): Promise<AnyDefinition> {
  entry.ready ??= initialise(entry, initCtx).catch(error => {
    entry.ready = undefined
    throw error
  })
  return entry.ready
}

async function initialise(entry: Entry, initCtx: Tool.InitContext): Promise<AnyDefinition> {
  const made = await entry.info.init(initCtx)
  checkExecute(entry.info.id, made)
  const definition = described(entry, made)
  const isCurrent = entries.get(entry.info.id) === entry
  if (isCurrent && !entry.undo) offer(entry, definition)
  return definition
}

function described({ descriptionPath }: Entry, definition: AnyDefinition): AnyDefinition {
  return descriptionPath === undefined
    ? definition
    : { ...definition, description: descriptionIn(descriptionPath) }
}

/** Lets every runtime find a tool. */
function offer(entry: Entry, definition: AnyDefinition): void {
  entry.undo = registerTool(defaultGlobals(), toolOf(entry, definition, contextOf))
}

/** The tool for runtimes. Keeps its last result. */
function toolOf(
  { info: { id }, permissions }: Entry,
  { description, parameters, execute: run }: AnyDefinition,
  contextFrom: (ctx: ToolContext) => Tool.Context,
) {
  return defineTool({
    name: id,
    description,
    params: parameters,
    ...(permissions && { metadata: { permissions: { ...permissions } } }),
    execute: async (args, ctx) => {
      const result = await run(args, contextFrom(ctx))
      if (entries.has(id)) results.set(id, result)
      return result
    },
  })
}

function contextOf(ctx: ToolContext): Tool.Context {
  const { sessionID = '', messageID = '', agent = '', callID, abort, metadata } = ctx
  return { sessionID, messageID, agent, callID, abort, metadata }
}

function checkPermissions(tool: string, permissions: ToolPermissions | undefined): void {
  if (permissions === undefined) return
  const { required, optional = [], ...rest } = permissions
  const isKnown = (list: unknown): boolean => Array.isArray(list) && list.every(isPermission)
  if (isKnown(required) && isKnown(optional) && Object.keys(rest).length === 0) return
  throw new AgentAppsError('DEFINITION_INVALID', `The tool "${tool}" has permissions that do not exist.`, {
    hint: `Write \`{ required: [...], optional: [...] }\` with values of ${PERMISSIONS.join(', ')}.`,
    tool,
  })
}
