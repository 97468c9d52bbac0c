import { disk } from '#disk'
import { CLOCK_TICK } from '../../src/index/clock-tick.js'
import { indexStamp } from '../../src/index/read-index.js'
import { isStillFresh } from '../directory/file-freshness.js'
import { directoryStates, pathsKey } from '../directory/look-up.js'
import { lazy } from '../host/later.js'
import type { Chain, KnownCascade } from '../state/chain.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'

const finding = lazy(() => import('./find-cascade.js'))

/**
 * The chain around a tool: as it was compiled, where nothing that it depends on has changed; else resolved
 * now.
 *
 * @throws CASCADE_INVALID where the tool's metadata, or that of one it inherits from, has a fault
 */
export function chainOf(tool: ToolDef, globals: Globals): Chain | Promise<Chain> {
  const key = keyOf(tool, globals)
  const known = globals.cache.cascade.get(key)
  if (known?.tool === tool && isCurrent(known, globals)) return known.resolvedChain
  const running = globals.settling.get(key)
  if (running?.tool === tool) return running.chain
  const settling = { tool, chain: settle(tool, key, globals) }
  globals.settling.set(key, settling)
  return settling.chain
}

/** The last key of each tool: to join and to hash one anew takes a tenth of a short call. */
const keys = /* @__PURE__ */ new WeakMap<ToolDef, { name: string; paths: string; key: string }>()

function keyOf(tool: ToolDef, globals: Globals): string {
  const paths = pathsKey(globals)
  const { name } = tool
  const last = keys.get(tool)
  if (last?.paths === paths && last.name === name) return last.key
  const key = `${name}\0${paths}`
  keys.set(tool, { name, paths, key })
  return key
}

async function settle(tool: ToolDef, key: string, globals: Globals): Promise<Chain> {
  return (await finding()).settleCascade(tool, key, globals)
}

/** True where what a cascade was resolved from is as it was; under `trust` nobody looks. */
function isCurrent({ sources, stamp }: KnownCascade, globals: Globals): boolean {
  if (globals.config.freshness === 'trust') return true
  return stamp !== null && stamp === stampOf(globals) && areFresh(sources, globals)
}

/**
 * A text that differs between states of the directories' tops and indexes; null where one may change unseen.
 */
export function stampOf(globals: Globals): string | null {
  if (globals.config.freshness === 'trust') return null
  const times = directoryStates(globals).map(({ dir }) => [disk.directoryTime(dir), indexStamp(disk, dir)])
  const isSettled = times.every(([time]) => time === null || Number(time) < Date.now() - CLOCK_TICK)
  return isSettled ? times.flat().join() : null
}

/** True where the files that tools came from are as they were; under `trust` nobody looks. */
export function areFresh(tools: readonly ToolDef[], { config }: Globals): boolean {
  if (config.freshness === 'trust' || tools.length === 0) return true
  return tools.every(tool => {
    const source = sourceOf(tool)
    return !source || isStillFresh(source.state, source.names, source.record.file)
  })
}
