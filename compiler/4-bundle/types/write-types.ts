import { mkdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { AgentAppsError } from '../../../src/base/error.js'
import { holds, writeAtomic } from '../../index/index-directory.js'
import { type DeclaredTool, declareVirtualTools } from './declare-tools.js'

/**
 * Writes what the virtual module's tools take and give, unless that is what is there.
 *
 * @param file absolute
 * @throws BUNDLE_NOT_WRITABLE
 */
export function writeTypes(file: string, tools: readonly DeclaredTool[]): void {
  const contents = Buffer.from(declareVirtualTools(tools))
  const folder = dirname(file)
  const name = basename(file)
  try {
    if (holds(folder, name, contents)) return
    mkdirSync(folder, { recursive: true })
    writeAtomic(folder, name, contents)
  } catch (error) {
    const { message } = error as Error
    throw new AgentAppsError('BUNDLE_NOT_WRITABLE', `The declarations cannot be written: ${message}`, {
      hint: 'Make the folder writable, or write them elsewhere.',
      file,
      cause: error,
    })
  }
}
