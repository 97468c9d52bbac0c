/**
 * How much processor time each stage takes, relative to reading the same files and their YAML, both without an
 * empty process; 1,000 skills. Measured by `npm run bench -- --quick --gate`, which fails where a stage takes
 * half as much again. If you make one faster, write the new figure here.
 */
export const ratios = {
  // With the search file, whose terms took this from 3.6.
  'compile, nothing there': 4.5,
  'compile, nothing changed': 1.15,
  // With the terms of the changed skill put into the search file, which took this from 1.6.
  'compile, one skill changed': 2.2,
  check: 3.3,
  list: 1.45,
}

/** The largest ratio that is accepted, relative to the one above. */
export const MOST = 1.5
