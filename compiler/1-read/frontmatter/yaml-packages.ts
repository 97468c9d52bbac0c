import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * The YAML packages, each loaded when it is first needed. Loading all of them takes as long as reading some
 * hundred skills; plain frontmatter needs none, and `yaml` is needed only for the positions of faults.
 */
export const yamlPackages = {
  get grayMatter(): typeof import('gray-matter') {
    return require('gray-matter')
  },
  get jsYaml(): typeof import('js-yaml') {
    return require('js-yaml')
  },
  get yaml(): typeof import('yaml') {
    return require('yaml')
  },
}
