/** esbuild's message for a package that is not installed, with the package's name. Imports that begin with `.`, `/` or `#` name no package. */
const PACKAGE_MISSING = /\bCould not resolve "((?:@[\w.-]+\/)?\w[\w.-]*)(?:\/[^"]*)?"/

/** The remedy for code that cannot be bundled, by esbuild's message. */
export function importHint(problem: string): string {
  const name = PACKAGE_MISSING.exec(problem)?.[1]
  return name === undefined
    ? 'Correct the import. Code comes from the project itself or from packages installed for it.'
    : `If a package is meant, install it: \`npm install ${name}\`. Then run \`agent-apps compile\`, if the skill was compiled before. A file is imported by its path: \`./…\`.`
}
