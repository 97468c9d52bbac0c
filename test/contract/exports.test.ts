import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT, runCode } from '../support/processes.js'

/** What each entry exports. Adding to these lists is a decision: what is public stays. */
const RUNTIME = [
  'AgentAppsError',
  'clearAllCaches',
  'clearToolCache',
  'createCallbackRef',
  'createRuntime',
  'emptyGlobals',
  'findTool',
  'invoke',
  'isAgentAppsError',
  'listTools',
  'loadSkillsFromFile',
  'readResource',
  'registerTool',
  'unregisterTool',
]
const EXPORTS: Record<string, string[]> = {
  'agent-apps': [
    'AgentAppsError',
    'Tool',
    'ToolRegistry',
    'clearAllCaches',
    'clearToolCache',
    'createCallbackRef',
    'createRuntime',
    'ctxAgent',
    'ctxCwd',
    'ctxDecision',
    'ctxFolder',
    'ctxHookTarget',
    'ctxHookTrigger',
    'ctxOwn',
    'ctxPaths',
    'ctxRuntime',
    'ctxSearch',
    'ctxTarget',
    'ctxTool',
    'ctxTools',
    'ctxValue',
    'defineTool',
    'definitionOf',
    'deserialize',
    'directiveForms',
    'emptyGlobals',
    'estimateTokens',
    'extractFrontmatter',
    'extractIgnore',
    'failureForModel',
    'filterPaths',
    'findAuthority',
    'findTool',
    'foreignText',
    'interpolate',
    'interpolationPaths',
    'invoke',
    'isAgentAppsError',
    'isAllowed',
    'isDefinedTool',
    'isMetaKey',
    'isToolName',
    'isToolResult',
    'iterPaths',
    'listApprovals',
    'listTools',
    'loadSkillsFromFile',
    'mainInDir',
    'makeCatalog',
    'makeRelevant',
    'RELEVANT',
    'mapPaths',
    'matchPattern',
    'nearest',
    'normalizeTags',
    'outputForModel',
    'parse',
    'parsePatterns',
    'parseReference',
    'pathEntryDir',
    'pathGet',
    'pathKeys',
    'pathQuery',
    'pathRemove',
    'pathSet',
    'pluginOf',
    'readResource',
    'registerTool',
    'renderCatalog',
    'resolveJsonSchema',
    'revokeApproval',
    'revokeTrusted',
    'safeClone',
    'safeSnapshot',
    'safeStringify',
    'serialize',
    'serializeContext',
    'stringify',
    'transferableSerializerSource',
    'trustedProjects',
    'trustOf',
    'whyUnshowable',
    'unregisterTool',
  ],
  'agent-apps/runtime': RUNTIME,
  'agent-apps/compiler': [
    'check',
    'clean',
    'compile',
    'compileBundle',
    'fromMessage',
    'graph',
    'graphAsDot',
    'graphAsMermaid',
    'guessedDirectories',
    'isFollowUp',
    'isOwnName',
    'loadConfig',
    'proposePaths',
    'publish',
    'skillsElsewhere',
    'verify',
    'watch',
  ],
  'agent-apps/compiler/disk': ['parser'],
  'agent-apps/ai-sdk': ['registerAiTools', 'runAgent', 'skillFiles', 'skillTools', 'toAiTool'],
  'agent-apps/esbuild': ['agentApps'],
  'agent-apps/export': ['exportSkills'],
  'agent-apps/langchain': ['ToolRegistry', 'registerLangChainTools', 'skillTools', 'skillsMiddleware'],
  'agent-apps/mcp': ['connectMcp', 'serveSkills', 'skillSource'],
  'agent-apps/store': ['SQL_TABLE', 'fileStore', 'redisStore', 'sqlStore'],
  'agent-apps/testing': ['conformance', 'storeConformance', 'testRuntime'],
  'agent-apps/vite': ['agentApps'],
  'agent-apps/workspace': ['ctxWorkspace', 'pathKey'],
}
/** Files of the package that are no entries. */
const PRIVATE = ['agent-apps/dist/runtime/index.js', 'agent-apps/src/json.js', 'agent-apps/runtime/disk']
/** The framework that an adapter is for. */
const FRAMEWORKS: Record<string, string> = {
  'agent-apps/ai-sdk': 'ai',
  'agent-apps/langchain': 'langchain',
  'agent-apps/mcp': '@modelcontextprotocol/server/ext/skills',
}
/** Types leave no trace at run time, so that they are read from the declarations. */
const TYPES: Record<string, string[]> = {
  'agent-apps/runtime': [
    'AgentCall',
    'AgentOptions',
    'AgentPolicy',
    'AgentRuntime',
    'AnswerOptions',
    'Approval',
    'ApprovalAnswer',
    'ApprovalPolicy',
    'ApprovalRequest',
    'Authorization',
    'Cache',
    'CallArguments',
    'CallIds',
    'CallerKind',
    'ChainStep',
    'Context',
    'Decision',
    'Diagnostic',
    'DirectoryEntry',
    'Envelope',
    'ErrorCode',
    'ExplainedOrigin',
    'ExplainedStep',
    'Explanation',
    'Freshness',
    'Globals',
    'Hit',
    'HostPlaceholder',
    'HostRequest',
    'IgnoreEntry',
    'Interact',
    'InvokeOptions',
    'Issue',
    'JsonObject',
    'JsonValue',
    'Layer',
    'Locals',
    'Manager',
    'Model',
    'Models',
    'NamedAgent',
    'Offer',
    'OpenedSkill',
    'Origin',
    'PathEntry',
    'Patterns',
    'Permission',
    'Progress',
    'ProjectConfiguration',
    'ProjectRequest',
    'PromptRequest',
    'ReferenceKind',
    'Register',
    'RegisterToolOptions',
    'RegisteredTools',
    'RenderOptions',
    'Rerank',
    'ResourceRecord',
    'Role',
    'Run',
    'RunEvent',
    'RunEventType',
    'RunEvents',
    'RunListener',
    'RunningTool',
    'Runtime',
    'RuntimeOptions',
    'RuntimePolicy',
    'SearchFunctions',
    'SearchOptions',
    'SearchResult',
    'Severity',
    'SkillFiles',
    'SpawnPolicy',
    'SpawnedAgent',
    'SpawnedTool',
    'Stats',
    'StepAnswer',
    'Store',
    'StoredValue',
    'ToolArguments',
    'ToolConfig',
    'ToolDef',
    'ToolDetails',
    'ToolFrontmatter',
    'ToolFunction',
    'ToolFunctions',
    'ToolKind',
    'ToolName',
    'ToolPermissions',
    'ToolRef',
    'ToolReference',
    'ToolReturn',
    'ToolState',
    'TrustPolicy',
    'TurnOptions',
    'UntrustedTool',
    'Via',
    'WaitingRequest',
    'Withheld',
    'WorkspaceOptions',
  ],
  'agent-apps/compiler': [
    'Bundle',
    'CheckOptions',
    'CheckResult',
    'CleanOptions',
    'CleanResult',
    'CompileBundleOptions',
    'CompileBundleResult',
    'CompileOptions',
    'CompileResult',
    'Config',
    'Deviation',
    'FileReport',
    'GraphEdge',
    'GraphNode',
    'GraphOptions',
    'GraphSelection',
    'LoadConfigOptions',
    'LoadedConfig',
    'Looks',
    'Message',
    'Outcome',
    'Progress',
    'ProposedPaths',
    'PublishOptions',
    'PublishResult',
    'ReferenceGraph',
    'ReferenceKind',
    'RuleSetting',
    'RuleSettings',
    'ToolReference',
    'VerifyOptions',
    'VerifyResult',
    'WatchOptions',
    'Watcher',
  ],
  'agent-apps/ai-sdk': [
    'AgentRun',
    'AgentStep',
    'AgentTools',
    'AgentWork',
    'ExpectedResult',
    'ModelOutput',
    'OwnFiles',
    'RegisterAiToolsOptions',
    'SkillFile',
    'SkillToolNames',
    'SkillTools',
    'SkillToolsOptions',
    'ToolApproval',
    'WithheldTool',
  ],
  'agent-apps/esbuild': ['AgentAppsOptions'],
  'agent-apps/export': ['ExportOptions', 'ExportResult', 'LeftOut'],
  'agent-apps/langchain': [
    'RegisterLangChainOptions',
    'RegistryToolsOptions',
    'SkillToolNames',
    'SkillTools',
    'SkillToolsOptions',
    'SkillsMiddlewareOptions',
    'ToolUse',
    'WithheldTool',
  ],
  'agent-apps/mcp': [
    'ConnectOptions',
    'McpChanges',
    'McpConnection',
    'McpServerPlace',
    'ServeOptions',
    'ServedSkills',
    'SkillSourceOptions',
  ],
  'agent-apps/store': ['RedisSend', 'RedisStoreOptions', 'SqlQuery', 'SqlStoreOptions', 'Store'],
  'agent-apps/testing': [
    'CheckName',
    'ConformanceOptions',
    'ConformanceProblem',
    'ConformanceReport',
    'TestRuntimeOptions',
    'TestSkill',
    'TestedTool',
  ],
  'agent-apps/vite': ['AgentAppsOptions'],
  'agent-apps/workspace': ['ToolWorkspace', 'WorkspacePath'],
}

interface Manifest {
  exports: Record<string, string | { types: string; default: string }>
}
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest

/** The names that a file of declarations exports, values and types. */
function declarationsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list.split(',').map(one => one.trim().replace(/^type |^.* as /g, '')),
  )
  const declared = [
    ...text.matchAll(/^export (?:declare )?(?:const|function|class|interface|type|namespace) (\w+)/gm),
  ].map(([, name = '']) => name)
  const passedOn = [...text.matchAll(/^export \* from '(.*)\.js'/gm)].flatMap(([, path = '']) =>
    declarationsOf(join(file, '..', `${path}.d.ts`)),
  )
  return [...listed, ...declared, ...passedOn].filter(name => name !== '' && name !== 'default')
}

describe('public exports', () => {
  // A process of its own, which has no output and no open handle.
  const entries = Object.keys(EXPORTS)
  const { seen, refused } = JSON.parse(
    runCode(`const seen = []
      for (const [entry, framework] of ${JSON.stringify(entries.map(entry => [entry, FRAMEWORKS[entry] ?? null]))}) {
        // What a framework does is its own; who imports its adapter has it anyway.
        if (framework) await import(framework)
        const before = Reflect.ownKeys(globalThis).length
        const names = Object.keys(await import(entry))
        seen.push({ entry, names: names.sort(), added: Reflect.ownKeys(globalThis).length - before })
      }
      const refused = []
      for (const path of ${JSON.stringify(PRIVATE)})
        refused.push(await import(path).then(() => 'there', ({ code }) => code))
      console.log(JSON.stringify({ seen, refused }))`),
  ) as { seen: { entry: string; names: string[]; added: number }[]; refused: string[] }

  it.each(seen)(
    '$entry; importing it leaves no output, no open handle, no global',
    ({ entry, names, added }) => {
      expect(names).toEqual([...(EXPORTS[entry] ?? [])].sort())
      expect(added).toBe(0)
    },
  )

  it.each(Object.keys(TYPES))('the types of %s', entry => {
    const target = manifest.exports[entry.replace('agent-apps', '.')]
    const text = typeof target === 'object' ? readFileSync(join(ROOT, target.types), 'utf8') : ''
    const names = [...text.matchAll(/\btype (\w+)(?=[,\s}])|export type \{([^}]*)\}/g)].flatMap(
      ([, one, several]) => (one === undefined ? (several ?? '').split(',').map(name => name.trim()) : [one]),
    )
    expect([...new Set(names)].filter(name => name !== '').sort()).toEqual([...(TYPES[entry] ?? [])].sort())
  })

  it('each occurs in a document', () => {
    const pages = ['README.md', ...readdirSync(join(ROOT, 'docs')).map(name => `docs/${name}`)]
    const texts = pages.map(page => readFileSync(join(ROOT, page), 'utf8'))
    const words = new Set(texts.flatMap(text => text.match(/\w+/g) ?? []))
    const declared = Object.entries(manifest.exports).flatMap(([entry, target]) =>
      typeof target === 'object'
        ? declarationsOf(join(ROOT, target.types)).map(name => ({ entry, name }))
        : [],
    )
    expect(declared.length).toBeGreaterThan(400)
    expect(declared.filter(({ name }) => !words.has(name))).toEqual([])
  })

  it('no other file can be imported', () => {
    expect(refused).toEqual(PRIVATE.map(() => 'ERR_PACKAGE_PATH_NOT_EXPORTED'))
  })
})
