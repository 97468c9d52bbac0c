import type { JsonObject } from '../../src/base/json.js'
import { type Promotion, readAnnotations } from '../../src/cascade/annotations.js'
import { valueFaults } from '../../src/cascade/metadata-faults.js'
import { rootMain } from '../find/find-authority.js'
import type { Promotions } from '../state/cache.js'
import type { Globals } from '../state/context.js'
import { isOwn, reachesOut } from '../state/directory-state.js'
import type { ToolDef } from '../state/tool-def.js'
import { cascadeTool } from './resolve-cascade.js'

/**
 * True for a registered tool without metadata that no promotion reaches: there is nothing to resolve.
 * Programs register thousands of such.
 */
export async function isReachedByNobody(
  { origin, frontmatter }: ToolDef,
  globals: Globals,
): Promise<boolean> {
  if (origin.entry !== '' || Object.keys(frontmatter.metadata).length > 0) return false
  const { cache, config } = globals
  const isTrusted = config.freshness === 'trust'
  const promotions = (isTrusted && cache.promotions) || (await readPromotions(globals))
  cache.promotions = promotions
  // Under `check` a main skill may change at any time: what is resolved is kept with the files that it came
  // from.
  return (
    isTrusted &&
    promotions !== null &&
    Object.keys({ ...promotions.local, ...promotions.global }).length === 0
  )
}

/** Reads the promotions that reach all tools without a file; null where a main skill has a fault. */
export async function readPromotions(globals: Globals): Promise<Promotions | null> {
  const project = await rootMain(state => isOwn(state) && reachesOut(state, globals), globals)
  const library = await rootMain(one => one.library === true, globals)
  if (project?.fault || library?.fault) return null
  const ofLibrary = promotedBy(library?.tool)
  const ofProject = promotedBy(project?.tool)
  if (!ofLibrary || !ofProject) return null
  return {
    local: project ? ofProject.local : ofLibrary.local,
    global: { ...ofLibrary.global, ...ofProject.global },
  }
}

function promotedBy(main: ToolDef | undefined): Promotions | null {
  if (!main) return { local: {}, global: {} }
  const tool = cascadeTool(main)
  const { annotations, problems } = readAnnotations(tool)
  if (problems.length + valueFaults(tool).length > 0) return null
  return { local: byKey(annotations.local), global: byKey(annotations.global) }
}

function byKey(promotions: readonly Promotion[] = []): JsonObject {
  return Object.fromEntries(promotions.map(({ key, value }) => [key, value]))
}
