import type { Command } from './command.js'

/** A command as the overview shows it, without loading it. */
export interface ListedCommand {
  /** The arguments after the command's name: `[paths…]`. */
  shown: string
  /** One line for the overview. */
  summary: string
  load: () => Promise<Command>
}

/** The commands in the order of the overview. Each is loaded only when it is called. */
export const COMMANDS: ReadonlyMap<string, ListedCommand> = new Map([
  [
    'init',
    {
      shown: '',
      summary:
        'set up a project: a configuration, example skills, a package.json script, lines in .gitignore',
      load: async () => (await import('./commands/init.js')).init,
    },
  ],
  [
    'compile',
    {
      shown: '[paths…]',
      summary: 'read skills and write an index beside each directory of them',
      load: async () => (await import('./commands/compile.js')).compileCommand,
    },
  ],
  [
    'clean',
    {
      shown: '[paths…]',
      summary: 'remove what compile made, and nothing else',
      load: async () => (await import('./commands/clean.js')).cleanCommand,
    },
  ],
  [
    'check',
    {
      shown: '[paths…]',
      summary: 'say what reading the skills shows to be wrong, run no code, and write nothing',
      load: async () => (await import('./commands/check.js')).checkCommand,
    },
  ],
  [
    'verify',
    {
      shown: '[paths…]',
      summary: 'hold everything that was compiled against its digests, without compiling',
      load: async () => (await import('./commands/verify.js')).verifyCommand,
    },
  ],
  [
    'list',
    {
      shown: '',
      summary: 'show the tools that resolve, where they come from and what they shadow',
      load: async () => (await import('./commands/list.js')).list,
    },
  ],
  [
    'catalog',
    {
      shown: '',
      summary: 'print the listing of tools that a host puts into a prompt',
      load: async () => (await import('./commands/catalog.js')).catalog,
    },
  ],
  [
    'describe',
    {
      shown: '<ref>',
      summary: 'show one tool: where it comes from, its schema, resources and content',
      load: async () => (await import('./commands/describe.js')).describe,
    },
  ],
  [
    'explain',
    {
      shown: '<ref>',
      summary: "say where each of a tool's metadata comes from, and what runs around it",
      load: async () => (await import('./commands/explain.js')).explain,
    },
  ],
  [
    'trust',
    {
      shown: '',
      summary: 'show the projects whose code agents may run, or revoke that',
      load: async () => (await import('./commands/trust.js')).trust,
    },
  ],
  [
    'run',
    {
      shown: '<ref>',
      summary: 'call a tool and print what it gives',
      load: async () => (await import('./commands/run.js')).run,
    },
  ],
  [
    'render',
    {
      shown: '<ref>',
      summary: "print a tool's content with its directives run, and nothing that runs around the tool",
      load: async () => (await import('./commands/render.js')).render,
    },
  ],
  [
    'export',
    {
      shown: '',
      summary: 'write skills for other hosts: a discovery index, a plugin, or plain folders',
      load: async () => (await import('./commands/export.js')).exportCommand,
    },
  ],
  [
    'mcp',
    {
      shown: '',
      summary: 'serve tools and skills over MCP: on standard input and output, or over HTTP',
      load: async () => (await import('./commands/mcp/mcp.js')).mcp,
    },
  ],
  [
    'graph',
    {
      shown: '[names…]',
      summary: 'print what tools refer to, as Mermaid, DOT or JSON',
      load: async () => (await import('./commands/graph.js')).graphCommand,
    },
  ],
  [
    'approvals',
    {
      shown: '',
      summary: 'show the calls of agents that were approved for this project, or revoke one',
      load: async () => (await import('./commands/approvals.js')).approvals,
    },
  ],
  [
    'doctor',
    {
      shown: '',
      summary: 'show what was found of configuration, paths and indexes, and what to do',
      load: async () => (await import('./commands/doctor.js')).doctor,
    },
  ],
])
