/** Wraps a pure function of a string so that it is called once for each argument. At most `most` results are kept. */
export function memoize<Answer extends NonNullable<unknown> | null>(
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
