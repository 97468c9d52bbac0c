type Esbuild = typeof import('esbuild')

/** Thrown if code ended esbuild's process, as deep nesting does. */
export class EsbuildEnded extends Error {
  constructor() {
    super('it nests too deeply to be parsed')
  }
}

/** The work that is done alone, one after the other. */
let alone: Promise<unknown> = Promise.resolve()

/**
 * Uses esbuild. All uses share one process: if one ends it, those in progress are repeated, each alone, so
 * that only the one at fault fails.
 *
 * @throws EsbuildEnded, and errors of esbuild
 */
export async function useEsbuild<Result>(work: (esbuild: Esbuild) => Promise<Result>): Promise<Result> {
  const esbuild = await import('esbuild')
  await alone
  try {
    return await work(esbuild)
  } catch (error) {
    if (!isEnded(error)) throw error
    const again = alone.then(() => workAlone(esbuild, work))
    alone = again.catch(() => {})
    return again
  }
}

async function workAlone<Result>(
  esbuild: Esbuild,
  work: (esbuild: Esbuild) => Promise<Result>,
): Promise<Result> {
  // esbuild itself does not notice that its process is gone; after this it starts another one.
  await esbuild.stop()
  try {
    return await work(esbuild)
  } catch (error) {
    if (!isEnded(error)) throw error
    await esbuild.stop()
    throw new EsbuildEnded()
  }
}

function isEnded(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^The service (?:was stopped|is no longer running)|write EPIPE/.test(error.message)
  )
}
