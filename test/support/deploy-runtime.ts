import { createRuntime, defineTool, type Runtime, type RuntimeOptions } from 'agent-apps'
import { z } from 'zod'

/** A runtime whose tool `deploy` needs approval, with the places that were deployed to. */
export function deployRuntime(options: Pick<RuntimeOptions, 'store' | 'interact' | 'agents'> = {}): {
  runtime: Runtime
  deployed: string[]
} {
  const deployed: string[] = []
  const runtime = createRuntime({ paths: [], ...options })
  runtime.register(
    defineTool({
      name: 'deploy',
      description: 'Deploys.',
      params: z.object({ to: z.string() }),
      gated: true,
      execute: ({ to }) => {
        deployed.push(to)
        return `deployed to ${to}`
      },
    }),
  )
  return { runtime, deployed }
}
