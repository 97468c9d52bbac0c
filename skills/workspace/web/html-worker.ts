import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { AgentAppsError } from 'agent-apps'
import type { ConvertedPage, PageFormat } from './convert-html.js'

/** This module as it was compiled: taken out of `import.meta`, since the name of that alone is the source. */
const { url: ownUrl } = import.meta

/** Marks a thread as ours: another one may import this module, too. */
const PURPOSE = 'agent-apps: convert a page'

interface Job {
  purpose: string
  html: string
  url: string
  format: PageFormat
}

const job = workerData as Partial<Job> | null
if (!isMainThread && job?.purpose === PURPOSE) await answer(job as Job)

async function answer({ html, url, format }: Job): Promise<void> {
  const { convertHtml } = await import('./convert-html.js')
  parentPort?.postMessage(await convertHtml(html, url, format))
}

/** Megabytes that converting a page may take, of which the stack is for pages that nest deeply. */
const LIMITS = { maxOldGenerationSizeMb: 512, stackSizeMb: 16 }

/**
 * Converts a page in a thread of its own: a large one takes seconds, in which nothing else would run, and a
 * strange one may take forever.
 *
 * @throws FETCH_FAILED; the signal's reason
 */
export async function convertApart(
  html: string,
  url: string,
  format: PageFormat,
  signal: AbortSignal,
): Promise<ConvertedPage> {
  signal.throwIfAborted()
  const workerData: Job = { purpose: PURPOSE, html, url, format }
  const worker = new Worker(new URL(ownUrl), { workerData, resourceLimits: LIMITS, env: {}, execArgv: [] })
  try {
    const [page] = await once(worker, 'message', { signal })
    return page as ConvertedPage
  } catch (error) {
    signal.throwIfAborted()
    throw new AgentAppsError(
      'FETCH_FAILED',
      `${url} cannot be converted: it nests too deeply or is too large.`,
      {
        hint: 'Fetch another page.',
        tool: 'webfetch',
        cause: error,
      },
    )
  } finally {
    await worker.terminate()
  }
}
