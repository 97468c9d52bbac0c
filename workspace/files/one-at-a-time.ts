import type { PreviewContext } from 'agent-apps'
import { type Place, placeOf } from '../wall/place.js'
import { processWide } from '../wall/process-wide.js'
import { expectWritable } from '../wall/protected-files.js'
import type { Workspace } from '../wall/workspace.js'
import { throwIfAborted } from './aborted.js'

/** The last running or waiting work for each file. */
const turns = processWide('turns', () => new Map<string, Promise<unknown>>())

/**
 * Changes a file after all work on it that started earlier.
 *
 * @throws PATH_OUTSIDE, FILE_PROTECTED, RUN_ABORTED
 */
export async function oneAtATime<Result>(
  path: string,
  workspace: Workspace,
  ctx: Pick<PreviewContext, 'signal'>,
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  const { real } = await placeOf(path, workspace)
  return inTurn(real, async () => {
    throwIfAborted(ctx)
    // Earlier work may have created the file or a folder above it.
    const place = await placeOf(path, workspace)
    expectWritable(workspace.protected, place)
    return work(place)
  })
}

function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const last = turns()
  const before = last.get(key) ?? Promise.resolve()
  // A failure of earlier work concerns only its own caller.
  const running = before.then(work, work)
  last.set(key, running)
  const end = (): void => {
    if (last.get(key) === running) last.delete(key)
  }
  running.then(end, end)
  return running
}
