/** The functions that can be transferred. */
export type TransferableName = 'stringify' | 'parse' | 'reviveFns'

/** `transferred.ts` and all that it imports, as `var serializer = …`; `scripts/bundle-package.js` puts it here. */
declare const SERIALIZER_CODE: string

/**
 * Returns JavaScript source of `stringify(value, options?, indent?)`, `parse(text, options?)` and
 * `reviveFns(structure)`. They are this package's own, without a limit of bytes, and need only the language:
 * they are for environments that cannot import this module, like a sandbox. `reviveFns` runs the text of
 * functions as code. Evaluating the source declares the named functions.
 *
 * `vm.runInContext(transferableSerializerSource(['stringify']) + '; stringify({ a: () => 1 })', context)`
 */
export function transferableSerializerSource(
  names: readonly TransferableName[] = ['stringify', 'parse', 'reviveFns'],
): string {
  return `var { ${names.join(', ')} } = (() => { ${SERIALIZER_CODE} return serializer })();`
}
