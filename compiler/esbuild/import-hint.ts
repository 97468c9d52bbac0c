/** A package by the name that code imports it by; a name that begins with `.`, `/` or `#` is none. */
const PACKAGE_MISSING = /\bCould not resolve "((?:@[\w.-]+\/)?\w[\w.-]*)(?:\/[^"]*)?"/

/** What to do where code cannot be bundled, by what is said of it. */
export function importHint(problem: string): string {
  const name = PACKAGE_MISSING.exec(problem)?.[1]
  return name === undefined
    ? 'Correct the import. Code comes from the project itself or from packages installed for it.'
    : `If a package is meant, install it: \`npm install ${name}\`. A file is imported by its path: \`./…\`.`
}
