/**
 * A pure function that keeps its answers. Where it lives as long as the process, `most` bounds what it keeps: the keys of skill
 * files are few words, over and over.
 */
export function remembering<Answer>(
  answer: (text: string) => Answer,
  most = Number.POSITIVE_INFINITY,
): (text: string) => Answer {
  const answers = new Map<string, Answer>()
  return text => {
    const known = answers.get(text)
    if (known !== undefined) return known
    const found = answer(text)
    if (answers.size < most) answers.set(text, found)
    return found
  }
}
