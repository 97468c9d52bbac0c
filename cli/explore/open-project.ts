import { createRuntime, type Runtime } from 'agent-apps'
import { guessedDirectories, loadConfig } from 'agent-apps/compiler'
import { type Invocation, projectOptions } from '../command.js'

/**
 * Creates a runtime over the project's own paths. The user's own directories are left out, so that a page that is published
 * says nothing of them. It runs no code.
 */
export async function openProject(invocation: Invocation): Promise<Runtime> {
  const { cwd, paths: given, ...configured } = projectOptions(invocation)
  const { paths, config } = given
    ? { paths: given, config: {} }
    : await loadConfig({ cwd, trusted: true, evaluate: false, ...configured })
  return createRuntime({
    paths: [...paths, ...(await guessedDirectories(paths))],
    cwd,
    evaluate: false,
    freshness: 'check',
    library: config.library ?? true,
    external: config.external ?? [],
    env: config.env ?? [],
  })
}
