import { defineTool } from 'agent-apps'

export default defineTool({
  name: 'deploy',
  description: 'Deploys. It counts how often it ran in this process.',
  gated: true,
  params: { type: 'object' },
  execute: () => {
    globalThis.deployed = (globalThis.deployed ?? 0) + 1
    return 'deployed'
  },
})
