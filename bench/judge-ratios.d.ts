/** The processor times of a round, by name. */
export type Round = Record<string, number[]>

/** Holds what each stage takes, relative to the floor, against its committed ratio. */
export function judgeRatios(
  rounds: readonly Round[],
  committed: Readonly<Record<string, number>>,
): { name: string; ratio: number; committed: number; isTooSlow: boolean }[]
