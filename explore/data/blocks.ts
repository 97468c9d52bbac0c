/** The blocks of the page's data: what `cli/explore/page-data.ts` describes, unpacked when it is asked for. */
export interface Blocks {
  /** The bytes of a block; null if the page has no such block. */
  bytes: (name: string) => Promise<Uint8Array | null>
}

/** True for a page that has its data in itself. */
export function isWhole(): boolean {
  return blockElement('rows') !== null
}

/** The blocks that are in the document itself. */
export function blocksInDocument(): Blocks {
  return {
    async bytes(name) {
      const element = blockElement(name) ?? (await wholeDocument().then(() => blockElement(name)))
      return element ? inflate(fromBase64(element.textContent ?? '')) : null
    },
  }
}

/** The blocks that a server has. */
export function blocksOfServer(): Blocks {
  return {
    async bytes(name) {
      const response = await fetch(`/blocks/${name}`)
      if (response.status === 404) return null
      if (!response.ok) throw new Error(`${await response.text()}.`)
      return inflate(new Uint8Array(await response.arrayBuffer()))
    },
  }
}

/** The JSON value of a block. Throws if the page has no such block. */
export async function readBlock<Value>(blocks: Blocks, name: string): Promise<Value> {
  const bytes = await blocks.bytes(name)
  if (bytes === null) throw new Error(`The page has no block "${name}".`)
  return JSON.parse(new TextDecoder().decode(bytes)) as Value
}

function blockElement(name: string): Element | null {
  return document.querySelector(`script[data-block="${name}"]`)
}

/** Resolves once the browser has read the document to its end: the blocks of texts come after the code. */
function wholeDocument(): Promise<void> {
  if (document.readyState !== 'loading') return Promise.resolve()
  return new Promise(done => document.addEventListener('DOMContentLoaded', () => done(), { once: true }))
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return new Uint8Array(await new Response(unpacked).arrayBuffer())
}
