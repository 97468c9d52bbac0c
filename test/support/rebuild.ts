import { execFileSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'

/** Builds anew before each run of `npm run test:watch` that a change leads to. */
export default function rebuild(project: TestProject): void {
  project.onTestsRerun(() => {
    execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  })
}
