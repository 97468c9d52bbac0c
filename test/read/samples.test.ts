import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { createRuntime, type ToolDef } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, it } from 'vitest'
import { searchDirectories } from '../../src/skill/path-entry.js'
import { expectAsWritten } from '../support/expected.js'
import { expectListedAsRecorded } from '../support/listed-as-recorded.js'
import { ownTools } from '../support/own-tools.js'
import { layOut, type Sample, samples } from '../support/sample.js'

/** Longer content stands in `expected.json` as its length and digest. */
const CONTENT_SHOWN = 1000

/**
 * Each folder `samples/<phase>/<case>/` is a case: `skills/` (and `skills-2/`, a second path entry; `setup.json`
 * for what version control does not keep) and `expected.json`, what compiling it must give. `UPDATE=1` writes
 * the expected file anew; read the diff.
 */
describe('samples', () => {
  it.each(samples().map(sample => [sample.id, sample] as const))('%s', async (_, sample) => {
    expectAsWritten(sample.folder, await outcome(sample))
  })
})

async function outcome(sample: Sample): Promise<unknown> {
  const { cwd, paths } = layOut(sample)
  const { counts, diagnostics } = await compile({ cwd, paths })
  for (const { dir } of searchDirectories(paths)) expectListedAsRecorded(join(cwd, dir))
  const runtime = createRuntime({ cwd, paths, freshness: 'trust' })
  const tools: Record<string, unknown> = {}
  for (const tool of await ownTools(runtime)) tools[tool.name] = await shown(tool, cwd, runtime)
  return {
    counts,
    diagnostics: diagnostics.map(
      ({ file, line, column, ruleId, severity, fatal }) =>
        `${file}:${line}:${column} ${ruleId} ${severity}${fatal ? ' fatal' : ''}`,
    ),
    tools,
  }
}

async function shown(
  tool: ToolDef,
  cwd: string,
  runtime: ReturnType<typeof createRuntime>,
): Promise<unknown> {
  const { name: _, ...frontmatter } = tool.frontmatter
  const { resources, verbatim } = await runtime.describe(tool.name)
  const { entry, file, shadows } = tool.origin
  return {
    file: join(entry, file).slice(cwd.length + 1),
    kind: tool.kind,
    frontmatter,
    verbatim,
    content: shortened((await tool.content?.()) ?? ''),
    ...(resources.length > 0 && { resources: resources.map(({ path, size }) => `${path} ${size}`) }),
    ...(shadows.length > 0 && {
      shadows: shadows.map(one => join(one.entry, one.file).slice(cwd.length + 1)),
    }),
  }
}

function shortened(content: string): string {
  if (content.length <= CONTENT_SHOWN) return content
  return `${content.length} characters, SHA-256 ${createHash('sha256').update(content).digest('hex')}`
}
