import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * The YAML packages, each loaded when it is first needed. Loading both takes as long as reading some hundred
 * skills; a compile that parses nothing needs neither, and `yaml` is needed only for the positions of faults.
 */
export const yamlPackages = {
  get grayMatter(): typeof import('gray-matter') {
    return require('gray-matter')
  },
  get yaml(): typeof import('yaml') {
    return require('yaml')
  },
}
