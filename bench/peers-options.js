import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100,1000,10000' },
    only: { type: 'string', default: '' },
    runs: { type: 'string', default: '5' },
    markdown: { type: 'boolean', default: false },
  },
})
const list = text => text.split(',').filter(part => part !== '')

/**
 * How much `bench:peers` measures: `--sizes 100,1000`, `--only openskills,pi` (what names begin with), `--runs 3`, and
 * `--markdown`, which ends with what docs/comparison.md says.
 */
export const peersOptions = {
  sizes: list(values.sizes).map(Number),
  only: list(values.only).map(name => name.toLowerCase()),
  /** Measured runs of each process, after one that is not counted. */
  runs: Number(values.runs),
  markdown: values.markdown,
}
