const QUICK = process.argv.includes('--quick')
const LONG = process.argv.includes('--long') || process.env.BENCH_LONG === '1'

/** How much this run measures: `--quick` for a look, `--long` (or BENCH_LONG=1) for the largest tree too. */
export const options = {
  /** Sizes at which compiling is measured. */
  compileSizes: QUICK ? [100, 1_000] : [100, 1_000, 10_000],
  /** Sizes at which starting is measured. */
  startSizes: QUICK ? [100, 1_000] : LONG ? [100, 1_000, 10_000, 100_000] : [100, 1_000, 10_000],
  /** Skills of a directory that is not compiled, and of a compiled one that is searched after it. */
  developmentSizes: [5, 400],
  /** The size at which listing, warm look-ups and memory are measured. */
  mainSize: QUICK ? 1_000 : 10_000,
  /** The largest tree that is compiled once, for its peak of memory. */
  memorySizes: QUICK ? [1_000] : LONG ? [10_000, 100_000] : [10_000],
  /** Measured runs of each process, after one that is not counted. */
  runs: QUICK ? 3 : 7,
  /** Rounds of processes that take no longer than an empty one. */
  shortRuns: QUICK ? 7 : 15,
  /** Code skills that are compiled beside esbuild. */
  codeSize: QUICK ? 200 : 1_000,
  corpus: !QUICK,
  /** Only compare processor times with those of `ratios.js`: `--gate`. */
  gate: process.argv.includes('--gate'),
  /** The one stage that the gate measures: `--only=check`. */
  only: given('only'),
  /** A stage that is made slower, to try the gate: `--slower=check=1.6`. */
  slower: given('slower'),
  /** Another checkout, built, whose stages are measured in turns with ours. */
  beside: given('beside'),
  /** Only the stages: `--stages`. */
  stages: process.argv.includes('--stages'),
}

/** What stands behind `--name=` on the command line. */
function given(name) {
  const option = `--${name}=`
  return process.argv.find(word => word.startsWith(option))?.slice(option.length)
}
