import { readFileSync } from 'node:fs'
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
    'ctxCwd',
    'ctxFolder',
    'ctxHookTarget',
    'ctxHookTrigger',
    'ctxPaths',
    'ctxRuntime',
    'ctxTarget',
    'ctxTool',
    'ctxTools',
    'ctxValue',
    'defineTool',
    'deserialize',
    'directiveForms',
    'emptyGlobals',
    'estimateTokens',
    'extractFrontmatter',
    'extractIgnore',
    'filterPaths',
    'findAuthority',
    'findTool',
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
    'listTools',
    'loadSkillsFromFile',
    'mainInDir',
    'makeCatalog',
    'mapPaths',
    'matchPattern',
    'nearest',
    'normalizeTags',
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
    'safeClone',
    'safeSnapshot',
    'safeStringify',
    'serialize',
    'serializeContext',
    'stringify',
    'transferableSerializerSource',
    'trustOf',
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
    'skillsElsewhere',
    'verify',
    'watch',
  ],
  'agent-apps/compiler/disk': ['parser'],
  'agent-apps/esbuild': ['agentApps'],
  'agent-apps/vite': ['agentApps'],
}
/** Types leave no trace at run time, so that they are read from the declarations. */
const TYPES: Record<string, string[]> = {
  'agent-apps/runtime': [
    'AgentCall',
    'AgentOptions',
    'AgentPolicy',
    'AgentRuntime',
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
    'HostPlaceholder',
    'IgnoreEntry',
    'Interact',
    'InvokeOptions',
    'Issue',
    'JsonObject',
    'JsonValue',
    'Layer',
    'Locals',
    'Manager',
    'OpenedSkill',
    'Origin',
    'PathEntry',
    'Patterns',
    'Permission',
    'Progress',
    'ReferenceKind',
    'Register',
    'RegisterToolOptions',
    'RegisteredTools',
    'RenderOptions',
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
    'Severity',
    'Stats',
    'StepAnswer',
    'Store',
    'StoredValue',
    'ToolArguments',
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
    'Via',
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
  'agent-apps/esbuild': ['AgentAppsOptions'],
  'agent-apps/vite': ['AgentAppsOptions'],
}

interface Manifest {
  exports: Record<string, string | { types: string; default: string }>
}
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest

describe('public exports', () => {
  it.each(Object.keys(EXPORTS))('%s', entry => {
    const names = JSON.parse(
      runCode(`console.log(JSON.stringify(Object.keys(await import('${entry}'))))`),
    ) as string[]
    expect(names.sort()).toEqual([...(EXPORTS[entry] ?? [])].sort())
  })

  it.each(Object.keys(TYPES))('the types of %s', entry => {
    const target = manifest.exports[entry.replace('agent-apps', '.')]
    const text = typeof target === 'object' ? readFileSync(join(ROOT, target.types), 'utf8') : ''
    const names = [...text.matchAll(/\btype (\w+)(?=[,\s}])|export type \{([^}]*)\}/g)].flatMap(
      ([, one, several]) => (one === undefined ? (several ?? '').split(',').map(name => name.trim()) : [one]),
    )
    expect([...new Set(names)].filter(name => name !== '').sort()).toEqual([...(TYPES[entry] ?? [])].sort())
  })

  it('no other file can be imported', () => {
    for (const path of [
      'agent-apps/dist/runtime/index.js',
      'agent-apps/src/json.js',
      'agent-apps/runtime/disk',
    ]) {
      const outcome = runCode(`console.log(await import('${path}').then(() => 'there', ({ code }) => code))`)
      expect(outcome.trim()).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED')
    }
  })

  it('importing an entry does nothing: no output, no open handle, no global', () => {
    for (const entry of Object.keys(EXPORTS)) {
      const code = `const before = Reflect.ownKeys(globalThis).length
        await import('${entry}')
        console.log(Reflect.ownKeys(globalThis).length - before)`
      expect(runCode(code).trim()).toBe('0')
    }
  })
})
