/** How much processor time each stage takes, relative to the floor. */
export const ratios: Readonly<Record<string, number>>

/** The largest ratio that is accepted, relative to the one above. */
export const MOST: number
