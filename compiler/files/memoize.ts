/** A pure function that keeps its answers, at most so many. */
export function remembering<Answer extends NonNullable<unknown> | null>(
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
