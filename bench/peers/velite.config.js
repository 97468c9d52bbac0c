import { defineConfig, s } from 'velite'

const [directory, , body] = process.argv.slice(2)

export default defineConfig({
  root: directory,
  output: { data: `${import.meta.dirname}/.velite`, assets: `${import.meta.dirname}/static` },
  collections: {
    skills: {
      name: 'Skill',
      pattern: '*/SKILL.md',
      schema: s.object({
        name: s.string(),
        description: s.string(),
        license: s.string().optional(),
        metadata: s.record(s.any()).optional(),
        content: body === 'html' ? s.markdown() : s.raw(),
      }),
    },
  },
})
