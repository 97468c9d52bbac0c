// Debian's Chromium for checks of pages: what a page requests, logs and throws, and whether axe-core finds something.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium } from 'playwright-core'

const CHROMIUM = '/usr/bin/chromium'
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let passed = 0
let failed = 0

/** Starts the browser, which is installed if it is missing. */
export function launchChromium() {
  if (!existsSync(CHROMIUM)) installChromium()
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  })
}

/** Runs a check, and counts it. */
export async function check(name, work) {
  try {
    await work()
    passed++
    console.log(`ok: ${name}`)
  } catch (error) {
    failed++
    console.log(`FAIL: ${name}\n${error.stack}`)
  }
}

/** Prints the number of checks, and lets the process fail if one did. */
export function countChecks() {
  console.log(`\n${passed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
}

export function expect(isTrue, message) {
  if (!isTrue) throw new Error(message)
}

/**
 * Opens a page in a context of its own. A request to another host, an error or a dialog is a fault, which `close` throws.
 *
 * @param {(to: URL) => boolean} isOwn true for a request that the page may make
 */
export async function openPage(browser, url, options, isOwn) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 760 }, ...options })
  const page = await context.newPage()
  const faults = []
  page.on('request', request => {
    if (!isOwn(new URL(request.url()))) faults.push(`requested ${request.url()}`)
  })
  page.on('console', message => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', error => faults.push(`threw ${error.message}`))
  page.on('dialog', dialog => {
    faults.push(`opened a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  context.on('page', other => faults.push(`opened ${other.url()}`))
  await page.goto(url)
  return {
    page,
    faults,
    async close() {
      await context.close()
      expect(faults.length === 0, faults.join('\n'))
    },
  }
}

/** Throws if the page is wider than its window. */
export async function expectNoOverflow(page, where) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(wide <= page.viewportSize().width, `${where}: ${wide} pixels wide`)
}

/** Throws what axe-core finds, by all rules or all but some. */
export async function expectAccessible(page, where, except = []) {
  // In the world of the test: the page's own policy would refuse the code.
  const session = await page.context().newCDPSession(page)
  const { executionContextId } = await session
    .send('Page.getFrameTree')
    .then(({ frameTree }) =>
      session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'axe' }),
    )
  const run = async expression =>
    (
      await session.send('Runtime.evaluate', {
        expression,
        contextId: executionContextId,
        awaitPromise: true,
        returnByValue: true,
      })
    ).result.value
  await run(AXE)
  const found = await run(
    `axe.run({ rules: ${JSON.stringify(Object.fromEntries(except.map(rule => [rule, { enabled: false }])))} }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(one => one.html + ' ' + one.failureSummary).join(' | ')))`,
  )
  await session.detach()
  expect(Array.isArray(found) && found.length === 0, `${where}:\n${[found].flat().join('\n')}`)
}

function installChromium() {
  const quiet = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  }
  execFileSync('apt-get', ['update', '-qq'], quiet)
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], quiet)
}
