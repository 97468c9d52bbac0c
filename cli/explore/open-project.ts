import { createRuntime, type Runtime } from 'agent-apps'
import { type Config, guessedDirectories, loadConfig } from 'agent-apps/compiler'
import { type Invocation, projectOptions } from '../command.js'

/** The project of a page. */
interface OpenedProject {
  /** Lists, explains and searches. */
  runtime: Runtime
  /** Decides about agents as a program does that trusts the project. */
  forAgents: Runtime
  config: Config
}

/**
 * Creates the runtimes over the project's own paths. The user's own directories are left out, so that a page that is published
 * says nothing of them. They run no code.
 */
export async function openProject(invocation: Invocation): Promise<OpenedProject> {
  const { cwd, paths: given, ...configured } = projectOptions(invocation)
  const loaded = given ? null : await loadConfig({ cwd, trusted: true, evaluate: false, ...configured })
  const { paths, config } = loaded ?? { paths: given ?? [], config: {} }
  const options = {
    paths: [...paths, ...(await guessedDirectories(paths))],
    cwd,
    evaluate: false,
    freshness: 'check' as const,
    library: config.library ?? true,
    external: config.external ?? [],
  }
  return {
    runtime: createRuntime(options),
    forAgents: createRuntime({
      ...options,
      ...(loaded && { project: loaded.project }),
      policy: { trust: { project: 'allow' } },
    }),
    config,
  }
}
