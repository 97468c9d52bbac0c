import type { PreviewContext } from 'agent-apps'
import { throwIfAborted } from '../../../workspace/files/aborted.js'
import { oneAtATime } from '../../../workspace/files/one-at-a-time.js'
import { type Place, placeOf } from '../../../workspace/wall/place.js'
import { expectWritable } from '../../../workspace/wall/protected-files.js'
import { expectSameRules } from '../../../workspace/wall/same-rules.js'
import { type Session, sessionOf, type Workspace, workspaceOf } from '../../../workspace/wall/workspace.js'

/** A file that may be changed, while all others who would change it wait. */
export interface Turn {
  place: Place
  workspace: Workspace
  session: Session
}

/**
 * Does work on the file that a call is to change, after all that was started earlier for this file.
 *
 * @throws PATH_OUTSIDE, FILE_PROTECTED, TOOL_DENIED, RUN_ABORTED
 */
export async function inTurn<Result>(
  args: { path: string },
  ctx: PreviewContext,
  work: (turn: Turn) => Promise<Result>,
): Promise<Result> {
  const workspace = await workspaceOf(ctx)
  const session = sessionOf(workspace, ctx)
  const { real } = await placeOf(args.path, workspace)
  return oneAtATime(real, async () => {
    throwIfAborted(ctx)
    // An earlier call may have created it, or a folder on the way.
    const place = await placeOf(args.path, workspace)
    expectWritable(workspace.protected, place)
    await expectSameRules(ctx, place, args)
    return work({ place, workspace, session })
  })
}
