const LINE_FEED = 10

/** `fetch`, whose answers fail once one message in them has more bytes. */
export function boundedFetch(max: number): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false
    const bounded = new Response(response.body.pipeThrough(bound(max, isStream)), response)
    // What a response was made of is not copied with it.
    Object.defineProperties(bounded, {
      url: { value: response.url },
      redirected: { value: response.redirected },
    })
    return bounded
  }
}

/** @param isStream true where an empty line ends a message */
function bound(max: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  let last = 0
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of chunk) {
        bytes = isStream && byte === LINE_FEED && last === LINE_FEED ? 0 : bytes + 1
        // CRLF ends lines as well.
        if (byte !== 13) last = byte
        if (bytes > max)
          return controller.error(new Error(`The server sent a message of more than ${max} bytes.`))
      }
      controller.enqueue(chunk)
    },
  })
}
