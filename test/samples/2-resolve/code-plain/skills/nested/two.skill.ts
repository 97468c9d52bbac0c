interface Result {
  name: string
}
export const frontmatter = { name: 'two', description: 'Has types before it.' } satisfies { name: string; description: string }
export default async (): Promise<string> => ({ name: 'two' }) as Result as unknown as string
