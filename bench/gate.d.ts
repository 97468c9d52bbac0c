import type { Round } from './judge-ratios.js'

/** Measures stages beside an empty process and the floor, in some rounds. */
export function measureStages(
  names: readonly string[],
  slower?: Readonly<Record<string, number>>,
  count?: number,
): Promise<Round[]>
