// Compiles directories; --check only reports what a compile would write. `namespace=` sets their namespace.
import { compile } from 'agent-apps/compiler'

const OPTION = /^--check$|^namespace=/
const given = process.argv.slice(2)
const [namespace] = given.flatMap(argument => /^namespace=(.*)$/.exec(argument)?.[1] ?? [])
const paths = given
  .filter(argument => !OPTION.test(argument))
  .map(dir => (namespace === undefined ? dir : { dir, namespace }))
await compile({ paths, check: given.includes('--check') })
