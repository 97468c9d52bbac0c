import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchPage } from '../../skills/workspace/web/fetch-page.js'
import type { HostAddress } from '../../skills/workspace/web/host-addresses.js'
import { isPublicAddress } from '../../skills/workspace/web/host-addresses.js'
import { codeOf } from '../support/workspace-tools.js'

/** Names that others point wherever they like. */
const NAMES: Record<string, string[]> = {
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'app.localhost': ['127.0.0.1'],
  'localtest.example': ['127.0.0.1'],
  intranet: ['10.1.2.3'],
  'printer.local': ['192.168.1.9'],
  'metadata.google.internal': ['169.254.169.254'],
  metadata: ['169.254.169.254'],
  'instance-data': ['169.254.169.254'],
  '127.0.0.1.nip.example': ['127.0.0.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'ula.example': ['fd00::1'],
  'one-of-two.example': ['93.184.215.14', '127.0.0.1'],
  'six.example': ['2606:4700::1111', '::1'],
  'xn--bcher-kva.example': ['10.0.0.1'],
  'this.example': ['0.0.0.0'],
  'wire.example': ['168.63.129.16'],
}

/** Spellings of this machine, of private networks and of what is not a web page. `PORT` is a server's that must not be asked. */
const REFUSED = `
http://127.0.0.1:PORT/
http://127.0.0.1:PORT
HTTP://127.0.0.1:PORT/
http:127.0.0.1:PORT
http:\\\\127.0.0.1:PORT\\
http:////127.0.0.1:PORT/
http://127.1:PORT/
http://127.0.1:PORT/
http://127.000.000.001:PORT/
http://127.0.0.1.:PORT/
http://127.255.255.254:PORT/
http://0177.0.0.1:PORT/
http://0177.0.0.01:PORT/
http://017700000001:PORT/
http://0x7f.0.0.1:PORT/
http://0x7f.1:PORT/
http://0x7f000001:PORT/
http://0X7F000001:PORT/
http://0x7f.0x0.0x0.0x1:PORT/
http://0x7f.0.1:PORT/
http://2130706433:PORT/
http://127.0x1:PORT/
http://127.0.0x0.1:PORT/
http://①②⑦.⓪.⓪.①:PORT/
http://１２７.０.０.１:PORT/
http://127。0。0。1:PORT/
http://127．0．0．1:PORT/
http://127%2e0%2e0%2e1:PORT/
http://%31%32%37.0.0.1:PORT/
http://12\u200b7.0.0.1:PORT/
http://127.0.0.1\t:PORT/
http://0:PORT/
http://0.0.0.0:PORT/
http://00000000:PORT/
http://0x0:PORT/
http://0.1:PORT/
http://[::1]:PORT/
http://[::0001]:PORT/
http://[0:0:0:0:0:0:0:1]:PORT/
http://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/
http://[::]:PORT/
http://[::ffff:127.0.0.1]:PORT/
http://[::ffff:7f00:1]:PORT/
http://[::ffff:7f00:0001]:PORT/
http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/
http://[::FFFF:127.0.0.1]:PORT/
http://[::127.0.0.1]:PORT/
http://[::ffff:0:127.0.0.1]:PORT/
http://[64:ff9b::127.0.0.1]:PORT/
http://[64:ff9b::7f00:1]:PORT/
http://[64:ff9b:1::7f00:1]:PORT/
http://[2002:7f00:1::]:PORT/
http://[2001:0:7f00:1::]:PORT/
http://[fe80::1]/
http://[fc00::1]/
http://[fd00:ec2::254]/latest/meta-data/
http://[fec0::1]/
http://[ff02::1]/
http://[2001:db8::1]/
http://[100::1]/
http://[5f00::1]/
http://[4000::1]/
http://[::ffff:10.0.0.1]/
http://10.0.0.1/
http://10.255.255.255/
http://167772161/
http://012.0.0.1/
http://172.16.0.1/
http://172.31.255.255/
http://192.168.0.1/
http://192.168.257/
http://0xc0a80001/
http://169.254.169.254/latest/meta-data/
http://2852039166/
http://0xa9fea9fe/
http://0251.0376.0251.0376/
http://[::ffff:169.254.169.254]/
http://100.64.0.1/
http://100.100.100.200/
http://168.63.129.16/
http://192.0.0.192/
http://192.0.2.1/
http://198.18.0.1/
http://198.51.100.1/
http://203.0.113.1/
http://224.0.0.1/
http://240.0.0.1/
http://255.255.255.255/
http://localhost:PORT/
http://LOCALHOST:PORT/
http://localhost.:PORT/
http://app.localhost:PORT/
http://localtest.example:PORT/
http://127.0.0.1.nip.example:PORT/
http://mapped.example:PORT/
http://ula.example:PORT/
http://one-of-two.example:PORT/
http://six.example:PORT/
http://bücher.example:PORT/
http://this.example:PORT/
http://wire.example:PORT/
http://intranet/
http://printer.local/
http://metadata/
http://instance-data/
http://metadata.google.internal/computeMetadata/v1/
http://public.example@127.0.0.1:PORT/
http://user:secret@127.0.0.1:PORT/
http://127.0.0.1:PORT@public.example/
http://user@public.example/
file:///etc/passwd
ftp://127.0.0.1:PORT/
ws://127.0.0.1:PORT/
data:text/html,hello
javascript:alert(1)
blob:http://127.0.0.1:PORT/x
gopher://127.0.0.1:PORT/
view-source:http://127.0.0.1:PORT/
about:blank
`

let server: Server
let asked = 0
let port = 0

beforeAll(async () => {
  server = createServer((_, response) => {
    asked++
    response.setHeader('content-type', 'text/plain')
    response.end('private')
  })
  await new Promise<void>(resolve => {
    server.listen(0, '::', resolve)
  })
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const resolve = (name: string): Promise<HostAddress[]> =>
  Promise.resolve((NAMES[name] ?? []).map(address => ({ address, family: address.includes(':') ? 6 : 4 })))
const signal = AbortSignal.timeout(60_000)
const urls = REFUSED.trim()
  .split('\n')
  .map(line => line.replaceAll('\\u200b', '\u200b').replaceAll('\\t', '\t').replaceAll('\\\\', '\\'))

describe('the addresses that webfetch refuses', () => {
  it('has a hundred spellings of them', () => {
    expect(new Set(urls).size).toBeGreaterThanOrEqual(100)
  })

  it.each(urls)('%s', async spelling => {
    const url = spelling.replace('PORT', String(port))
    const before = asked
    // What no URL may look like is refused as well.
    const fetching = URL.canParse(url)
      ? fetchPage(new URL(url), { signal, resolve })
      : Promise.reject({ code: 'FETCH_REFUSED' })
    expect(await codeOf(fetching)).toBe('FETCH_REFUSED')
    expect(asked).toBe(before)
  })

  it('are those of a server that would have answered', async () => {
    const page = await fetchPage(new URL(`http://127.1:${port}/`), { signal, resolve, allow: ['127.0.0.1'] })
    expect(Buffer.from(page.bytes).toString()).toBe('private')
    expect(asked).toBe(1)
  })

  it.each([
    ['8.8.8.8', true],
    ['2606:4700::1111', true],
    ['64:ff9b::8.8.8.8', true],
    ['64:ff9b::10.0.0.1', false],
    ['2001:4860:4860::8888', true],
    ['not an address', false],
    ['', false],
  ])('%s is public: %s', (address, isPublic) => {
    expect(isPublicAddress(address)).toBe(isPublic)
  })
})

describe('a resolver that changes its answers', () => {
  /** A resolver that says something else at each call, and what the addresses were that were connected to. */
  function changing(answers: string[][]) {
    const names: string[] = []
    const connected: string[][] = []
    return {
      names,
      connected,
      options: {
        signal,
        resolve: async (name: string) => {
          names.push(name)
          return (answers.shift() ?? []).map(address => ({ address, family: 4 }))
        },
        // No test connects to the internet: whatever was looked up, the server of this test answers.
        connectTo: (addresses: readonly HostAddress[]) => {
          connected.push(addresses.map(({ address }) => address))
          return new Agent({
            connect: {
              lookup: (_name, _options, answer) =>
                answer(null, [{ address: '127.0.0.1', family: 4 }] as never),
            },
          })
        },
      },
    }
  }

  it('is asked once, and its answer is what is connected to', async () => {
    const { names, connected, options } = changing([['93.184.215.14', '1.1.1.1'], ['127.0.0.1']])
    const page = await fetchPage(new URL(`http://public.example:${port}/`), options)
    expect(page.status).toBe(200)
    expect([names, connected]).toEqual([['public.example'], [['93.184.215.14', '1.1.1.1']]])
  })

  it('is asked again for each redirect, and refused there, too', async () => {
    const { names, connected, options } = changing([['93.184.215.14'], ['127.0.0.1']])
    const redirecting = createServer((_, response) => response.writeHead(302, { location: '/again' }).end())
    await new Promise<void>(done => {
      redirecting.listen(0, '127.0.0.1', done)
    })
    const url = new URL(`http://public.example:${(redirecting.address() as AddressInfo).port}/`)
    expect(await codeOf(fetchPage(url, options))).toBe('FETCH_REFUSED')
    expect([names.length, connected]).toEqual([2, [['93.184.215.14']]])
    redirecting.close()
  })

  it('is not believed where it has no answer, or fails', async () => {
    const url = new URL('http://public.example/')
    expect(await codeOf(fetchPage(url, changing([]).options))).toBe('FETCH_FAILED')
    const failing = { signal, resolve: () => Promise.reject(new Error('no resolver')) }
    expect(await codeOf(fetchPage(url, failing))).toBe('FETCH_FAILED')
    expect(await codeOf(fetchPage(url, changing([['nonsense']]).options))).toBe('FETCH_REFUSED')
  })
})
