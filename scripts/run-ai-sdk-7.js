// Tests agent-apps/ai-sdk with version 7 of the AI SDK, which needs a newer Node than the project: as it is packed. It is for Node 24.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install, pack, run } from './processes.js'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const PACKAGES = ['ai@7.0.173', 'zod@4.6.7']

const scratch = mkdtempSync(join(process.env.AGENT_APPS_CI_SCRATCH ?? tmpdir(), 'ai-sdk-7-'))
try {
  const tarball = pack(scratch)
  install(scratch, [tarball, ...PACKAGES])
  const packages = join(scratch, 'node_modules')
  const vitest = join(PROJECT, 'node_modules/vitest/vitest.mjs')
  const env = { ...process.env, AGENT_APPS_TESTED_WITH: packages }
  console.log(run(process.execPath, [vitest, 'run', 'test/ai-sdk', 'test/agent'], { cwd: PROJECT, env }))
} catch (error) {
  console.log(`${error.stack}\n${error.stdout ?? ''}${error.stderr ?? ''}`)
  process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
