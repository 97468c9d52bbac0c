// Opens the built site in Chromium: pages light, dark and on a small screen, links, the search, and accessibility.
// `--screenshots DIR` writes pictures there, to look at.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from 'vitepress'
import {
  check,
  countChecks,
  expect,
  expectAccessible,
  expectNoOverflow,
  launchChromium,
  openPage,
} from '../scripts/chromium.js'

/** The home page, pages with much code, with tables and with pictures, and pages of the API. */
const PAGES = [
  '',
  'docs/README.html',
  'docs/start.html',
  'docs/explore.html',
  'docs/patterns.html',
  'api/',
  'api/agent-apps/functions/defineTool.html',
]
const LOOKS = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['small', { colorScheme: 'light', viewport: { width: 360, height: 740 } }],
]

/** Rules that the search box of VitePress breaks: it makes an option of each link, with a name of its own. */
const SEARCH_BOX = ['nested-interactive', 'label-content-name-mismatch']

const pictures = process.argv[2] === '--screenshots' ? process.argv[3] : null
const { server } = await serve({ root: import.meta.dirname, port: 0 })
const site = `http://localhost:${server.address().port}`
const browser = await launchChromium()
try {
  for (const [look, options] of LOOKS) await check(`pages, ${look}`, () => showPages(look, options))
  await check('links lead on, without loading the page again', followLinks)
  await check('the search finds, by keyboard', useSearch)
  await check('a switch turns it dark', turnDark)
} finally {
  await browser.close()
  server.close()
}
countChecks()

async function open(path, options = {}) {
  const opened = await openPage(browser, `${site}/${path}`, { reducedMotion: 'reduce', ...options }, to =>
    site.endsWith(to.host),
  )
  await takenOver(opened.page)
  return opened
}

/** Waits until Vue has taken over the page, which then can be used. */
function takenOver(page) {
  return page.waitForFunction(() => document.querySelector('#app').__vue_app__)
}

async function showPages(look, options) {
  const { page, close } = await open(PAGES[0], options)
  for (const path of PAGES) {
    await page.goto(`${site}/${path}`)
    await takenOver(page)
    await expectNoOverflow(page, `${path}, ${look}`)
    await expectAccessible(page, `${path}, ${look}`)
    if (pictures) {
      mkdirSync(pictures, { recursive: true })
      await page.screenshot({ path: join(pictures, `${path.replaceAll('/', '-') || 'home'}-${look}.png`) })
    }
  }
  await close()
}

async function followLinks() {
  const { page, close } = await open('')
  await page.evaluate(() => {
    window.isSame = true
  })
  await page.click('main a:text-is("five minutes")')
  await page.waitForSelector('h1:has-text("What agent-apps is")')
  await page.click('.VPSidebar p:text-is("Commands")')
  await page.waitForSelector('h1:has-text("Commands")')
  await page.click('main a:text-is("types")')
  await page.waitForSelector('h1:has-text("Types of tools")')
  await page.click('.VPNav a:has-text("API")')
  await page.click('main a:text-is("agent-apps/store")')
  await page.click('main a:text-is("redisStore")')
  await page.waitForSelector('h1:has-text("redisStore")')
  expect(await page.evaluate(() => window.isSame), 'the page was loaded again')
  await page.goto(`${site}/docs/performance.html`)
  await page.click('main a[href*="/source/"]')
  await page.waitForURL(/\/source\/.*\.txt$/)
  expect((await page.textContent('body')).includes('export'), 'a source is shown as text')
  await close()
}

async function useSearch() {
  const { page, close } = await open('docs/start.html')
  await page.keyboard.press('/')
  await page.waitForSelector('#localsearch-input')
  await page.keyboard.type('ask the user before a tool runs')
  await page.waitForSelector('.VPLocalSearchBox a[href*="approval"]')
  await expectAccessible(page, 'the search', SEARCH_BOX)
  await page.fill('#localsearch-input', 'redisStore')
  await page.waitForSelector('.VPLocalSearchBox .result.selected[href*="redisStore"]')
  await page.keyboard.press('Enter')
  await page.waitForSelector('h1:has-text("redisStore")')
  await close()
}

async function turnDark() {
  const { page, close } = await open('docs/start.html', { viewport: { width: 1400, height: 760 } })
  await page.click('.VPNavBarAppearance button')
  expect(await page.evaluate(() => document.documentElement.classList.contains('dark')), 'it is still light')
  await page.reload()
  expect(await page.evaluate(() => document.documentElement.classList.contains('dark')), 'it was forgotten')
  await close()
}
