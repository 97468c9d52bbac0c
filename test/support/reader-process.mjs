/**
 * Reads a directory through its index, again and again from its beginning, from when it is told to until it is told to stop.
 * `node reader-process.mjs DIRECTORY`; asked by IPC.
 */
import { createRuntime } from 'agent-apps/runtime'

const [, , directory = ''] = process.argv
let isReading = false

process.on('message', async message => {
  isReading = message === 'read'
  if (!isReading) return
  const wrong = []
  let seen = 0
  do {
    const runtime = createRuntime({ paths: [directory], library: false, freshness: 'trust' })
    const versions = []
    for (let index = 0; index < 252; index += 13) {
      const tool = await runtime.findTool(`good-${index}`)
      if (tool?.origin.via !== 'index') wrong.push(`good-${index} via ${tool?.origin.via}`)
      const version = tool?.frontmatter.license
      if (version !== versions.at(-1)) versions.push(version)
    }
    // Where the old index goes meanwhile, the new one is gone on with, for all names.
    if (versions.length > 2) wrong.push(`found ${versions.join()}`)
    // What is read at once is of one version, and no mixture of two.
    const tools = await runtime.listTools()
    const listed = new Set(tools.map(({ frontmatter }) => frontmatter.license))
    if (listed.size !== 1) wrong.push(`${tools.length} listed of ${[...listed].join()}`)
    if (runtime.diagnostics().length > 0) wrong.push(JSON.stringify(runtime.diagnostics()))
    seen++
    await new Promise(done => setTimeout(done, 20))
  } while (isReading && wrong.length === 0)
  process.send({ seen, wrong })
})
process.on('disconnect', () => process.exit())
