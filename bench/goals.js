/** What the figures are held against. Ratios are against a floor of the same run: absolutes depend on the machine. */
export const goals = {
  /** The size that the goals for compiling and listing are about. */
  size: 10_000,
  /**
   * What a user waits for, against a floor of the same run, both without an empty process; `list` against an empty
   * process itself. `at` is the size that a goal is about, where that is another.
   */
  stages: {
    'compile, nothing there': { floor: 'floor-scan-yaml', limit: 2.2 },
    'compile, nothing changed': { floor: 'floor-scan', limit: 1.3 },
    'compile, one skill changed': { floor: 'floor-scan', limit: 1.5 },
    'from an index: all listed, one loaded': { floor: 'floor-index', limit: 1.8 },
    "from an index: an agent's first catalog": { floor: 'floor-index', limit: 3 },
    'from disk: all listed, one loaded': { floor: 'floor-scan-yaml', limit: 1.7 },
    check: { floor: 'floor-scan-yaml', limit: 2.8 },
    list: { floor: 'empty Node process', limit: 0.6, at: 100 },
  },
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
  /** The fastest peer to all skills listed and one loaded, against our start to one loaded skill, both without an empty process. */
  peerStart: 50,
  /** The fastest peer to all skills listed and one loaded, against ours from an index, both without an empty process. */
  peerList: 5,
  /** The fastest peer that builds, against compile with nothing there: time without an empty process, and memory. */
  peerBuild: 3,
  /** The peer that checks all rules of the format, against `check`, both without an empty process. */
  peerCheck: 10,
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
  /** Percent of prompts whose skill a search finds first, and among the first five. */
  firstHit: 80,
  amongFive: 94,
  /** Percent of prompts whose skill is described in a prompt of 4,000 tokens. */
  described: 92,
  /** ms of one warm query in 95 of 100, over 10,000 skills. */
  query: 1,
  /** Bytes of a search file for each skill. */
  searchBytes: 350,
  /** Percent of a first compile that terms and search file take. */
  searchCompile: 30,
  /** Bytes of the slim runtime, minified and gzipped. */
  bundle: 12 * 1024,
}
