import { relative } from 'node:path'
import { defineCollection, defineConfig } from '@content-collections/core'
import { z } from 'zod'

// It takes directories from where the configuration is, and that is where the process runs.
const directory = relative(process.cwd(), process.argv[2])

const skills = defineCollection({
  name: 'skills',
  directory,
  include: '*/SKILL.md',
  schema: z.object({
    name: z.string(),
    description: z.string(),
    license: z.string().optional(),
    metadata: z.record(z.string(), z.any()).optional(),
    content: z.string(),
  }),
})

export default defineConfig({ content: [skills] })
