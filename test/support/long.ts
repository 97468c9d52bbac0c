/** Whether this is `npm run test:long`. */
export const isLong = process.env.LONG !== undefined

/** How many times something is done: a few in every run, the full figure in `npm run test:long`, or the `SHARE` of it. */
export function times(few: number, full: number): number {
  if (!isLong) return few
  return Math.max(few, Math.ceil(full * Number(process.env.SHARE ?? 1)))
}

/** Some of several ways of the same thing, the last ones, in every run; all of them in `npm run test:long`. */
export function some<Way>(all: readonly Way[], few = 1): readonly Way[] {
  return isLong ? all : all.slice(-few)
}

/** One in so many cases in every run, the first among them; all of them in `npm run test:long`. */
export function oneIn<const Case>(every: number, all: readonly Case[]): Case[] {
  return all.filter((_, number) => isLong || number % every === 0)
}

/** Says how far a long run is, every so many rounds. */
export function progress(round: number, what: string): void {
  if (isLong && round % 20 === 0) console.log(what)
}
