import type { Context } from 'agent-apps'

const WORDS_PER_MINUTE = 220

/** Another tool counts; this one only divides. */
export default async function readingTime(
  { manager }: Context,
  { text }: { text: string },
): Promise<{ minutes: number }> {
  const { words } = (await manager.invoke('word-count', { text })) as { words: number }
  return { minutes: Math.ceil(words / WORDS_PER_MINUTE) }
}
