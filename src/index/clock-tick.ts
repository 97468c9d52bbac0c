/** Clocks of file systems tick every few milliseconds: two changes that are less apart (ms) may have one time. */
export const CLOCK_TICK = 50
