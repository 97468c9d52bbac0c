import type { Round } from './judge-ratios.js'

/** Measures stages, each beside an empty process and the floor. */
export function measureStages(
  names: readonly string[],
  slower?: Readonly<Record<string, number>>,
): Promise<Round[]>
