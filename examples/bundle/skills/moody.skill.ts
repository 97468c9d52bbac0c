export const frontmatter = {
  name: 'moody',
  description: 'Answers every second time.',
}

let calls = 0

export default function moody(): string {
  calls++
  if (calls % 2 === 1) throw Object.assign(new Error('Not now.'), { retryable: true })
  return 'Yes?'
}
