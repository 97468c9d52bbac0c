import type { PreviewContext } from 'agent-apps'
import { oneAtATime } from '../../../workspace/files/one-at-a-time.js'
import type { Place } from '../../../workspace/wall/place.js'
import { expectSameRules } from '../../../workspace/wall/same-rules.js'
import { type Session, sessionOf, type Workspace, workspaceOf } from '../../../workspace/wall/workspace.js'

/** A file that a call may change, while other changes of it wait. */
export interface Turn {
  place: Place
  workspace: Workspace
  session: Session
}

/**
 * Works on the file that a call changes, after all work on it that started earlier.
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
  return oneAtATime(args.path, workspace, ctx, async place => {
    await expectSameRules(ctx, place, args)
    return work({ place, workspace, session })
  })
}
