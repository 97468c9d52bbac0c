import type { Command } from './command.js'

/** A command as the overview shows it, without loading it. */
interface ListedCommand {
  /** The arguments after the command's name: `[paths…]`. */
  shown: string
  /** One line for the overview. */
  summary: string
  load: () => Promise<Command>
}

const LISTED: Record<string, ListedCommand> = {
  init: {
    shown: '',
    summary: 'set up a project: configuration, example skills, package.json script, .gitignore',
    load: async () => (await import('./commands/init.js')).init,
  },
  compile: {
    shown: '[paths…]',
    summary: 'compile skills and write an index beside each of their directories',
    load: async () => (await import('./commands/compile.js')).compileCommand,
  },
  clean: {
    shown: '[paths…]',
    summary: 'delete what compile wrote',
    load: async () => (await import('./commands/clean.js')).cleanCommand,
  },
  check: {
    shown: '[paths…]',
    summary: 'report problems in skills, without running code or writing files',
    load: async () => (await import('./commands/check.js')).checkCommand,
  },
  verify: {
    shown: '[paths…]',
    summary: 'compare compiled files with their digests, without compiling',
    load: async () => (await import('./commands/verify.js')).verifyCommand,
  },
  list: {
    shown: '',
    summary: 'list the tools that resolve, where they come from and what they shadow',
    load: async () => (await import('./commands/list.js')).list,
  },
  search: {
    shown: '<words…>',
    summary: 'find the skills that words are about, as agents do',
    load: async () => (await import('./commands/search.js')).search,
  },
  eval: {
    shown: '[paths…]',
    summary: 'try whether prompts find the skills that they are for',
    load: async () => (await import('./commands/eval.js')).evalCommand,
  },
  catalog: {
    shown: '',
    summary: 'print the list of tools that a host puts into a prompt',
    load: async () => (await import('./commands/catalog.js')).catalog,
  },
  describe: {
    shown: '<ref>',
    summary: 'show a tool: where it comes from, its schema, resources and content',
    load: async () => (await import('./commands/describe.js')).describe,
  },
  explain: {
    shown: '<ref>',
    summary: "show where a tool's metadata comes from and what runs around it",
    load: async () => (await import('./commands/explain.js')).explain,
  },
  trust: {
    shown: '',
    summary: 'list the projects whose code agents may run, or revoke trust',
    load: async () => (await import('./commands/trust.js')).trust,
  },
  run: {
    shown: '<ref>',
    summary: 'call a tool and print its result',
    load: async () => (await import('./commands/run.js')).run,
  },
  render: {
    shown: '<ref>',
    summary: "print a tool's content with its directives run, but nothing that runs around the tool",
    load: async () => (await import('./commands/render.js')).render,
  },
  export: {
    shown: '',
    summary: 'export skills for other hosts: a discovery index, a plugin, or plain folders',
    load: async () => (await import('./commands/export.js')).exportCommand,
  },
  publish: {
    shown: '[path]',
    summary: 'write a directory of skills as files for a static server, and print its pin',
    load: async () => (await import('./commands/publish.js')).publishCommand,
  },
  mcp: {
    shown: '',
    summary: 'serve tools and skills over MCP, on stdio or HTTP',
    load: async () => (await import('./commands/mcp/mcp.js')).mcp,
  },
  graph: {
    shown: '[names…]',
    summary: 'print the references between tools as Mermaid, DOT or JSON',
    load: async () => (await import('./commands/graph.js')).graphCommand,
  },
  explore: {
    shown: '[paths…]',
    summary: 'serve a page to look at skills, or write it as one HTML file',
    load: async () => (await import('./commands/explore.js')).explore,
  },
  approvals: {
    shown: '',
    summary: 'list the approved calls of agents in this project, or revoke one',
    load: async () => (await import('./commands/approvals.js')).approvals,
  },
  doctor: {
    shown: '',
    summary: 'check the configuration, paths and indexes, and suggest fixes',
    load: async () => (await import('./commands/doctor.js')).doctor,
  },
}

/** The commands in the order of the overview. Each is loaded only when it is called. */
export const COMMANDS: ReadonlyMap<string, ListedCommand> = new Map(Object.entries(LISTED))
