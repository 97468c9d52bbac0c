import { mkdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { AgentAppsError } from '../../../src/base/error.js'
import { holds, writeAtomic } from '../../index/index-directory.js'

/** True where a file of declarations, absolute, is there as it should be. */
export function areTypesWritten(file: string, text: string): boolean {
  return holds(dirname(file), basename(file), Buffer.from(text))
}

/**
 * Writes declarations of tools, unless the file already has them.
 *
 * @param file absolute
 * @returns whether it wrote them
 * @throws BUNDLE_NOT_WRITABLE
 */
export async function writeTypes(file: string, text: string): Promise<boolean> {
  const folder = dirname(file)
  try {
    if (areTypesWritten(file, text)) return false
    mkdirSync(folder, { recursive: true })
    await writeAtomic(folder, basename(file), text)
    return true
  } catch (error) {
    const { message } = error as Error
    throw new AgentAppsError('BUNDLE_NOT_WRITABLE', `The declarations cannot be written: ${message}`, {
      hint: 'Make the folder writable, or write them elsewhere.',
      file,
      cause: error,
    })
  }
}
