/** Shows examples as fences, indented ones too, with the path of a file above it: of "```md skills/review/SKILL.md". */
export function showExamples(md) {
  md.core.ruler.push('indented-as-fence', ({ tokens }) => {
    for (const block of tokens.filter(({ type }) => type === 'code_block'))
      Object.assign(block, { type: 'fence', info: 'text' })
  })
  const { fence } = md.renderer.rules
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const [, path] = tokens[index].info.trim().split(' ')
    const shown = path ? `<p class="file-path"><code v-pre>${md.utils.escapeHtml(path)}</code></p>\n` : ''
    return shown + fence(tokens, index, ...rest)
  }
}
