import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { AgentAppsError } from 'agent-apps'
import type { ConvertedPage, PageFormat } from './convert-html.js'

/** This compiled module. Destructured, since `import.meta.url` itself would be replaced by the source. */
const { url: ownUrl } = import.meta

/** Marks our thread, since others may import this module, too. */
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

/** The memory of a conversion in megabytes, with a stack for deeply nested pages. */
const LIMITS = { maxOldGenerationSizeMb: 512, stackSizeMb: 16 }

/**
 * Converts a page in a thread of its own, since a large page would block the process for seconds, and a strange one forever.
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
      `${url} cannot be converted: it is too large or nests too deeply.`,
      { hint: 'Fetch another page.', tool: 'webfetch', cause: error },
    )
  } finally {
    await worker.terminate()
  }
}
