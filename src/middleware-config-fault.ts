/** What is wrong with a middleware's configuration that does not fit its `params`: a sentence without a full stop, and what to do. */
export function middlewareConfigFault(key: string, problem: string): { message: string; hint: string } {
  return {
    message: `the middleware "${key}" cannot use its configuration: ${problem}`,
    hint: problem.endsWith(' not false')
      ? `\`false\` does not switch "${key}" off. Correct the value, or write \`null\` to do without "${key}".`
      : `Correct the value, or write \`false\` to switch "${key}" off where it takes that.`,
  }
}
