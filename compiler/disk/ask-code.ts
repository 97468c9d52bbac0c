import { join } from 'node:path'
import type { CodeAnswer } from '../../src/content/disk-parser.js'
import { evaluateModules, evaluationFault } from '../2-resolve/modules/evaluate-modules.js'
import { FILE_START, type Finding, finding, toDiagnostic } from '../diagnostics/diagnostics.js'
import { forbiddenKeyIn } from '../diagnostics/forbidden-keys.js'
import { bundleApart } from '../esbuild/import-bundled.js'

/**
 * Runs a code skill that is not compiled for the metadata that only running it tells. It runs in a process
 * of its own, with the limits of compiling, since its top level may do anything.
 *
 * @throws TOOL_BROKEN where the code cannot be bundled
 */
export async function askCode(
  directory: string,
  file: string,
  exported: string,
  external?: readonly string[],
): Promise<CodeAnswer> {
  const bundled = await bundleApart(directory, { file: join(directory, file) }, external)
  const [result] = await evaluateModules([{ file: bundled.file, exports: [exported] }])
  const broken = (why: Finding): CodeAnswer => ({ broken: toDiagnostic(file, why) })
  if (result?.problem) return broken(evaluationFault(result.problem, file))
  const { message, hint } = result?.unsupported.get(exported) ?? {}
  if (message !== undefined && hint !== undefined)
    return broken(finding('schema-unsupported', FILE_START, message, hint))
  const verbatim = result?.frontmatter.get(exported) ?? {}
  const key = forbiddenKeyIn(verbatim)
  return key === null ? { verbatim } : broken(finding('forbidden-key', FILE_START, key))
}
