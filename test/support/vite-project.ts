import { type AgentAppsOptions, agentApps } from 'agent-apps/vite'
import { build, type InlineConfig } from 'vite'

/** A config with a logger that keeps what is said. */
export function config(root: string, own: AgentAppsOptions, said: string[] = []): InlineConfig {
  const keep = (message: string): void => {
    // How long a build takes is the machine's.
    if (!message.includes('PLUGIN_TIMINGS')) said.push(message)
  }
  return {
    root,
    configFile: false,
    logLevel: 'warn',
    customLogger: {
      info() {},
      warn: keep,
      warnOnce: keep,
      error: keep,
      clearScreen() {},
      hasErrorLogged: () => false,
      hasWarned: false,
    },
    plugins: [agentApps(own)],
  }
}

/** Builds a project with the plugin. */
export function built(
  root: string,
  options: InlineConfig['build'],
  own: AgentAppsOptions = {},
  said: string[] = [],
) {
  return build({ ...config(root, own, said), build: { ssr: 'app.js', outDir: 'out', ...options } })
}

export interface Failure {
  message: string
  loc?: object
  pluginCode?: string
  plugin?: string
}

/** What a build, or a module of the server, fails with. */
export const failure = (work: Promise<unknown>): Promise<Failure> =>
  work.then(
    () => ({ message: 'did not fail' }),
    error => error.errors?.[0] ?? error,
  )
