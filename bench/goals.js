/** What the figures are held against. Ratios are against a floor of the same run: absolutes depend on the machine. */
export const goals = {
  /** The size that the goals for compiling and listing are about. */
  size: 10_000,
  /** Compile with nothing there, against reading all and js-yaml. */
  cold: 2,
  /** Compile with nothing changed, against reading all. */
  unchanged: 1.5,
  /** Compile with one skill changed, against reading all. */
  oneChanged: 1.6,
  /** Cold compile of real files, against reading, hashing and js-yaml. */
  corpus: 2,
  /** Cold compile of code skills, against one bare esbuild call with splitting. */
  code: 2.5,
  /** Start to one loaded skill in the largest tree, against the smallest. */
  start: 1.3,
  startSize: 100_000,
  /** Start to one loaded skill of a namespace, against the same without a namespace. */
  namespace: 1.1,
  /** Start to a name of a directory that is not compiled, a compiled one after it, against the same without that one. */
  development: 1.2,
  /** Listing everything, against a JSON index and a Map. */
  list: 1.5,
  /** The fastest peer to all skills listed and one loaded, against our start to one loaded skill, both without an empty process. */
  peerStart: 50,
  /** The fastest peer that builds, against compile with nothing there: time, and memory. */
  peerBuild: 3,
  /** µs of one warm `findTool`. */
  warm: 2,
  /** µs of one of 1,000 calls at once, in the slowest hundredth. */
  concurrent: 50,
  /** µs that invoking with ten middlewares costs above the tool's function. */
  invoke: 5,
  /** MB of memory at most while compiling 100,000. */
  memory: 512,
  memorySize: 100_000,
  /** The tools `glob` and `grep`, against the fastest package and against ripgrep. */
  glob: 1.1,
  grep: 1.2,
  /** MB of memory at most that one of the tools for files takes. */
  toolMemory: 100,
  /** Bytes of the slim runtime, minified and gzipped. */
  bundle: 12 * 1024,
}
