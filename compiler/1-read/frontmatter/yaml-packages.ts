import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * The YAML packages, each loaded when it is first needed: loading both takes as long as reading some hundred
 * skills, a compile that parses nothing needs neither, and only what went wrong needs `yaml`, for its positions.
 */
export const yamlPackages = {
  get grayMatter(): typeof import('gray-matter') {
    return require('gray-matter')
  },
  get yaml(): typeof import('yaml') {
    return require('yaml')
  },
}
