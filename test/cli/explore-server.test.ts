import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPageServer, type PageServer } from '../../cli/explore/page-server.js'

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

let server: PageServer
let port: number
let token: string
beforeAll(async () => {
  server = await openPageServer(name => (name === 'rows' ? Buffer.from('secret rows') : undefined))
  const url = new URL(server.url)
  port = Number(url.port)
  token = url.hash.replace('#token=', '')
})
afterAll(() => server.close())

/** Sends a request as no browser would: with any header. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((done, fail) => {
    const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('end', () =>
        done({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: String(Buffer.concat(chunks)),
        }),
      )
    })
    sent.on('error', fail)
    sent.end()
  })
}

async function session(): Promise<string> {
  const { status, headers } = await ask('/session', { authorization: `Bearer ${token}` }, 'POST')
  expect(status).toBe(204)
  const [cookie = ''] = headers['set-cookie'] ?? []
  expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/)
  expect(cookie).not.toContain(token)
  return cookie.split(';')[0] ?? ''
}

describe('the server of the explored page', () => {
  it('gives the page to everybody, and its data to who has the cookie', async () => {
    const { status, body, headers } = await ask('/')
    expect([status, body.includes('secret rows')]).toEqual([200, false])
    expect(headers['content-security-policy']).toBe("frame-ancestors 'none'")
    expect(body).toContain("connect-src 'self'")
    const cookie = await session()
    expect((await ask('/blocks/rows', { cookie })).body).toBe('secret rows')
    expect((await ask('/blocks/other', { cookie })).status).toBe(404)
    expect((await ask('/blocks/../rows', { cookie })).status).toBe(404)
  })

  it.each([
    ['no cookie', {}],
    ['another cookie', { cookie: 'agent-apps-explore-1=x' }],
    ['a guessed cookie', { cookie: 'PORT=x' }],
    ['the token itself as the cookie', { cookie: 'PORT=TOKEN' }],
  ])('refuses data with %s', async (_, headers: Record<string, string>) => {
    const { cookie } = headers
    const given = cookie?.replace('PORT', `agent-apps-explore-${port}`).replace('TOKEN', token)
    for (const path of ['/blocks/rows', '/changes']) {
      const { status, body } = await ask(path, given === undefined ? {} : { cookie: given })
      expect([status, body]).toEqual([401, 'Open the address that the command printed'])
    }
  })

  it('refuses a wrong token, and one that only begins right', async () => {
    for (const wrong of ['', 'x', token.slice(1), `${token}0`]) {
      const { status, headers } = await ask('/session', { authorization: `Bearer ${wrong}` }, 'POST')
      expect([status, headers['set-cookie']]).toEqual([401, undefined])
    }
  })

  it.each([
    ['another host', { host: 'evil.example' }],
    ['a host with another port', { host: '127.0.0.1:1' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['another port on this machine', { origin: 'http://127.0.0.1:1' }],
    ['no origin that can be named', { origin: 'null' }],
    ["another site's page", { 'sec-fetch-site': 'cross-site' }],
    ["another port's page", { 'sec-fetch-site': 'same-site' }],
  ])('refuses %s even with the cookie and the token', async (_, headers) => {
    const cookie = await session()
    const withAll = { cookie, authorization: `Bearer ${token}`, ...headers }
    for (const [path, method] of [
      ['/', 'GET'],
      ['/blocks/rows', 'GET'],
      ['/changes', 'GET'],
      ['/session', 'POST'],
    ] as const) {
      const answer = await ask(path, withAll, method)
      expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined])
      expect(answer.body).toMatch(/^The request is (?:for another host|from another site)$/)
    }
  })

  it('takes nothing that is sent', async () => {
    const cookie = await session()
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect((await ask('/blocks/rows', { cookie }, method)).status).toBe(405)
  })

  it('tells open pages that something changed', async () => {
    const cookie = await session()
    const events = await new Promise<string>((done, fail) => {
      let text = ''
      const sent = httpRequest(
        { host: '127.0.0.1', port, path: '/changes', headers: { cookie } },
        response => {
          response.on('data', chunk => {
            text += chunk
            if (text.includes('listening') && !text.includes('data:')) server.changed()
            if (text.includes('data:')) {
              sent.destroy()
              done(text)
            }
          })
        },
      )
      sent.on('error', fail)
      sent.end()
    })
    expect(events).toContain('data: changed\n\n')
  })
})
