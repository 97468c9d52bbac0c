// Opens the page of `agent-apps explore` in Chromium: each view, its links, keyboard and accessibility, hostile skills, ten thousand
// rows, and the server. `--screenshots DIR` writes the pictures of the documentation there.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  check,
  countChecks,
  expect,
  expectAccessible,
  expectNoOverflow,
  launchChromium,
  openPage,
} from './chromium.js'
import { hostileProject, manySkills, sampleProject, writeFiles } from './explore-sample.js'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const COMMAND = join(PROJECT, 'dist/cli/main.js')
/** Milliseconds that nothing may take for which a person waits. */
const FRAME = 50
/** A picture must not make the package large. */
const PICTURE_MAX = 150_000

const VIEWS = [
  ['skills', '#/skills'],
  ['skill', '#/skill/send-invoice'],
  ['problems', '#/problems'],
  ['prompt', '#/prompt?budget=450'],
  ['ask', '#/ask?query=write%20to%20a%20customer%20about%20the%20release'],
  ['graph', '#/graph?focus=billing-base&depth=2'],
  ['policy', '#/policy?agent=support&tool=refund&args=%7B%22order%22%3A%22A-1024%22%7D'],
]

const scratch = mkdtempSync(join(tmpdir(), 'agent-apps-explore-'))
const pictures = process.argv[2] === '--screenshots' ? process.argv[3] : join(scratch, 'pictures')
mkdirSync(pictures, { recursive: true })
const browser = await launchChromium()
try {
  const sample = written('sample', sampleProject())
  const hostile = written('hostile', hostileProject())
  await check('each view, light, dark and on a small screen, without findings of axe-core', () =>
    showViews(sample),
  )
  await check('a state has an address, which shows it again', () => followLinks(sample))
  await check('the keyboard searches, moves and opens', () => useKeyboard(sample))
  await check('each question is answered in two clicks', () => answerQuestions(sample))
  await check('hostile skills run nothing and load nothing', () => openHostile(hostile))
  await check('the server: a saved skill is shown, another page gets nothing', () => followFiles())
  const many = written('many', manySkills())
  await check('ten thousand skills are searched and scrolled without waiting', () => hurry(many))
  await measureCorpus()
} finally {
  await browser.close()
  rmSync(scratch, { recursive: true, force: true })
}
countChecks()

/** Writes a project and its page. Returns the URL of that. */
function written(name, files) {
  const root = writeFiles(join(scratch, name), files)
  const page = join(scratch, `${name}.html`)
  const started = performance.now()
  execFileSync(process.execPath, [COMMAND, 'explore', '--quiet', '--out', page], { cwd: root, stdio: 'pipe' })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${name}: ${Object.keys(files).length} files, ${statSync(page).size} bytes in ${seconds} s`)
  return `file://${page}`
}

/** Opens a page in a context of its own, which may request nothing but itself. */
async function open(url, options = {}) {
  const own = new URL(url)
  const opened = await openPage(browser, url, options, to =>
    own.protocol === 'file:' ? to.pathname === own.pathname : to.host === own.host,
  )
  await opened.page.waitForSelector('main h1, main .notice h2', { state: 'attached' })
  return opened
}

async function settle(page) {
  await page.waitForFunction(
    () => !/Unpacking…|Making the catalog…/.test(document.getElementById('page').textContent),
  )
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 50))))
}

async function showViews(url) {
  const looks = [
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['small', { colorScheme: 'light', viewport: { width: 360, height: 740 } }],
  ]
  for (const [look, options] of looks) {
    const { page, close } = await open(url, { ...options, reducedMotion: 'reduce' })
    for (const [view, hash] of VIEWS) {
      await page.evaluate(to => location.replace(to), hash)
      await settle(page)
      await page.waitForTimeout(view === 'graph' ? 800 : 100)
      await expectNoOverflow(page, `${view}, ${look}`)
      await expectAccessible(page, `${view}, ${look}`)
      const picture = join(pictures, `explore-${view}-${look}.png`)
      if (look !== 'small') {
        await page.screenshot({ path: picture })
        expect(statSync(picture).size < PICTURE_MAX, `${picture} has ${statSync(picture).size} bytes`)
      }
    }
    await close()
  }
}

async function followLinks(url) {
  const { page, close } = await open(`${url}#/skills?words=invoice&sort=-tokens`)
  const names = () => page.locator('.row .name a').allTextContents()
  const shown = await names()
  expect(shown.includes('send-invoice') && shown.length < 25, `found ${shown}`)
  expect((await page.inputValue('.search input')) === 'invoice', 'the field has the words of the address')
  await page.fill('.search input', 'backup')
  await page.waitForURL(/words=backup/)
  await page.fill('.search input', '')
  await page.click('.facets button:has-text("Does not load")')
  await page.waitForURL(/state=broken/)
  await page.reload()
  await page.waitForFunction(() => document.querySelectorAll('.row .name a').length === 1)
  expect((await names())[0] === 'unfinished', 'the broken skill is left')
  await page.goto(`${url}#/skill/dunning?line=7`)
  await settle(page)
  expect(await page.locator('#line-7').isVisible(), 'a link to a line shows it')
  await page.goto(`${url}#/nowhere`)
  expect((await page.textContent('main h2')) === 'There is no such view', 'an unknown view says so')
  await page.goto(`${url}#/skill/no-such-skill`)
  await page.waitForSelector('text=There is no skill')
  await close()
}

async function useKeyboard(url) {
  const { page, close } = await open(url)
  await page.waitForSelector('.row .name a')
  await page.keyboard.press('Tab')
  expect(
    (await page.evaluate(() => document.activeElement.className)) === 'skip',
    'the first stop skips to the content',
  )
  await page.keyboard.press('/')
  await page.keyboard.type('oper')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  const active = await page.textContent('.row.active .name')
  await page.keyboard.press('Enter')
  await page.waitForSelector('article.skill h1')
  expect((await page.textContent('article h1')) === active, `Enter opens ${active}`)
  await page.goBack()
  await page.waitForSelector('.row .name a')
  expect((await page.inputValue('.search input')) === 'oper', 'back is where it was')
  await page.fill('.search input', '')
  await page.focus('[role=grid]')
  await page.keyboard.press('End')
  await page.waitForFunction(() => document.querySelector('.row.active .name')?.textContent === 'unfinished')
  expect(await page.locator('.row.active').isVisible(), 'the last row is in sight')
  await close()
}

/** Each question of a view, from the first page, with the text that answers it. */
async function answerQuestions(url) {
  const questions = [
    ['which are broken', ['.facets button:has-text("Does not load")'], 'unfinished'],
    ['which come from where', ['.facets button:has-text("operations")'], 'operations:incident'],
    [
      'why does it behave so',
      ['.row a:text-is("send-invoice")'],
      'inherited, skills/billing-base/SKILL.md:6',
    ],
    ['who uses it', ['.row a:text-is("billing-base")'], 'Referred to by'],
    ['what costs most', ['nav a:has-text("Prompt")', 'button:has-text("Most expensive first")'], 'Described'],
    ['what do I mend first', ['nav a:has-text("Problems")'], 'The frontmatter is not valid YAML'],
    ['why may it not', ['nav a:has-text("Policy")', 'button:has-text("support")'], 'Withheld'],
    ['what breaks if I change this', ['nav a:has-text("Graph")'], 'A change concerns'],
  ]
  for (const [question, clicks, answer] of questions) {
    const { page, close } = await open(url)
    for (const click of clicks) await page.click(click)
    await settle(page)
    expect((await page.textContent('main')).includes(answer), `${question}: no “${answer}”`)
    await close()
  }
  const { page, close } = await open(url)
  await page.click('nav a:has-text("Ask")')
  await page.fill('.ask input', 'what does this release mean for our users')
  await page.waitForSelector('.hits a:text-is("release-notes")')
  expect((await page.textContent('main')).includes('Prompts that were tried'), 'will it be found')
  await close()
}

async function openHostile(url) {
  const { page, close } = await open(url)
  const { length } = Object.keys(hostileProject()).filter(path => path.endsWith('SKILL.md'))
  const names = [...Array(length).keys()].map(number => `hostile-${number}`)
  for (const name of [...names, 'hostile-deep', 'hostile-long', 'file:skills/hostile-broken/SKILL.md']) {
    await page.goto(`${url}#/skill/${encodeURIComponent(name)}`)
    await settle(page)
    await expectHarmless(page, name)
  }
  const text = 'safe \\u202egnp.exe\\u202c \\u200bhidden \\u0007bell'
  await page.goto(`${url}#/skill/hostile-11`)
  await settle(page)
  for (const place of ['.lead', '.markdown', '.source', '.about'])
    expect((await page.textContent(place)).includes(text), `${place} shows what cannot be seen`)
  for (const [, hash] of [...VIEWS, ['all', '#/graph?show=all']]) {
    await page.goto(`${url}${hash}`)
    await settle(page)
    await expectHarmless(page, hash)
  }
  // A link of a text leads out, with no way back to this page, and shows where.
  await page.goto(`${url}#/skill/hostile-10`)
  await settle(page)
  const link = page.locator('.markdown a').first()
  expect((await link.getAttribute('rel')).includes('noopener'), 'noopener')
  expect((await link.textContent()).includes('127.0.0.1:9'), 'a link shows where it leads')
  await close()
}

async function expectHarmless(page, where) {
  const found = await page.evaluate(() => {
    const inside = document.getElementById('page')
    const foreign = inside.querySelectorAll(
      'script, style, link, img, iframe, object, embed, video, audio, svg, base, meta, details[ontoggle]',
    )
    const links = [...inside.querySelectorAll('a[href]')].map(({ href }) => href)
    const events = [...inside.querySelectorAll('*')].flatMap(one =>
      one.getAttributeNames().filter(name => /^on|^srcdoc$|^formaction$/.test(name)),
    )
    return {
      ran: document.documentElement.dataset.ran,
      foreign: [...foreign].map(one => one.outerHTML),
      links: links.filter(href => !/^(?:https?:|mailto:|file:.*#)/.test(href)),
      events,
    }
  })
  expect(
    !found.ran && found.foreign.length + found.links.length + found.events.length === 0,
    `${where}: ${JSON.stringify(found)}`,
  )
}

async function hurry(url) {
  const { page, close } = await open(url, { reducedMotion: 'reduce' })
  await page.waitForSelector('.row .name a')
  const times = await page.evaluate(() => ({
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
  }))
  console.log(`  first paint after ${Math.round(times.paint)} ms`)
  const key = await longestAtBest(() => page.evaluate(typeEachKey))
  expect((await page.locator('.row').count()) < 80, 'only the rows in sight are drawn')
  expect(key < FRAME, `a key took ${key} ms`)
  const frame = await longestAtBest(() => page.evaluate(scrollThrough))
  expect(frame < FRAME, `a frame took ${frame} ms`)
  console.log(`  the longest key ${key.toFixed(1)} ms, the longest frame ${frame.toFixed(1)} ms`)
  await page.goto(`${url}#/ask`)
  await settle(page)
  const asked = await longestAtBest(() => page.evaluate(typeEachKey))
  expect(asked < FRAME, `a key of a question took ${asked} ms`)
  await close()
}

/**
 * The longest of some times, each as it was in its best of several rounds: other work on the machine only makes them longer.
 *
 * @param measure gives the times of one round, in milliseconds
 */
async function longestAtBest(measure) {
  let best = []
  for (let round = 0; round < 8 && (round < 2 || Math.max(...best) >= FRAME); round++) {
    const times = await measure()
    best = times.map((time, at) => Math.min(time, best[at] ?? time))
  }
  return Math.max(...best)
}

/** The time from each key to the frame that shows what it leads to. Runs in the page. */
async function typeEachKey() {
  const field = document.querySelector('main input[type=search]')
  const times = []
  for (const text of ['r', 're', 'rep', 'repo', 'repor', 'report', 'report t', 'report te', '']) {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, text)
    const started = performance.now()
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)))
    times.push(performance.now() - started)
  }
  return times
}

/** The time of each frame while the table is scrolled, first slowly, then from end to end. Runs in the page. */
async function scrollThrough() {
  const grid = document.querySelector('[role=grid]')
  const frame = () => new Promise(requestAnimationFrame)
  const times = []
  let last = await frame()
  for (let step = 0; step < 120; step++) {
    grid.scrollTop = step < 60 ? step * 400 : (step - 60) * (grid.scrollHeight / 60)
    const now = await frame()
    times.push(now - last)
    last = now
  }
  return times
}

async function followFiles() {
  const root = writeFiles(join(scratch, 'served'), sampleProject())
  const command = spawn(process.execPath, [COMMAND, 'explore', '--quiet'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const url = await new Promise(done => command.stdout.once('data', text => done(String(text).trim())))
    const { page, close } = await open(url)
    await page.waitForSelector('.row .name a')
    expect(!page.url().includes('token'), `the token is still in ${page.url()}`)
    let best = Number.POSITIVE_INFINITY
    for (let round = 0; round < 3 && best > 1000; round++) {
      const started = performance.now()
      const name = `aa-saved-${round}`
      writeFiles(root, { [`skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: New.\n---\nText.\n` })
      await page.waitForSelector(`.row a:text-is("${name}")`)
      best = Math.min(best, performance.now() - started)
    }
    expect(best <= 1000, `a saved skill was shown after ${best} ms`)
    console.log(`  a saved skill was shown after ${Math.round(best)} ms`)
    await page.reload()
    await page.waitForSelector('.row .name a')
    await close()
    await expectClosedToOthers(url)
  } finally {
    command.kill('SIGINT')
    await new Promise(done => command.once('close', done))
  }
}

/** A page of another site, and one without the token, see nothing of the server. */
async function expectClosedToOthers(url) {
  const { origin } = new URL(url)
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${origin}/`)
  await page.waitForSelector('text=This part cannot be shown')
  writeFileSync(
    join(scratch, 'other.html'),
    `<iframe src="${origin}/"></iframe><script src="${origin}/blocks/rows"></script>`,
  )
  await page.goto(`file://${join(scratch, 'other.html')}`)
  const answers = await page.evaluate(
    from =>
      Promise.all(
        ['/', '/blocks/rows', '/changes'].map(path =>
          fetch(from + path, { credentials: 'include' }).then(
            () => 'read',
            () => 'refused',
          ),
        ),
      ),
    origin,
  )
  expect(
    answers.every(answer => answer === 'refused'),
    `another page: ${answers}`,
  )
  const framed = page.frames().find(frame => frame !== page.mainFrame())
  expect(!(await framed?.content())?.includes('id="page"'), 'it is shown in a frame of another page')
  await context.close()
}

/** The largest collection of real skills, where they are at hand: how long it takes, and that each view shows it. */
async function measureCorpus() {
  const unpack = join(PROJECT, '../shared/corpus/unpack.sh')
  if (!existsSync(unpack)) return console.log('skipped: no corpus beside this checkout')
  const corpus = process.env.AGENT_APPS_CI_SCRATCH
    ? join(process.env.AGENT_APPS_CI_SCRATCH, 'corpus')
    : join(scratch, 'corpus')
  if (!existsSync(corpus)) execFileSync('sh', [unpack, corpus], { stdio: 'ignore' })
  const file = join(scratch, 'corpus.html')
  const started = performance.now()
  execFileSync(process.execPath, [COMMAND, 'explore', '--quiet', '--out', file, '.'], {
    cwd: join(corpus, 'agentskillexchange__skills'),
    stdio: 'pipe',
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  await check('the largest collection of real skills', async () => {
    const { page, close } = await open(`file://${file}`)
    await page.waitForSelector('.row .name a')
    const [paint, table] = await page.evaluate(() => [
      performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
      performance.getEntriesByName('table')[0]?.startTime,
    ])
    console.log(
      `  ${statSync(file).size} bytes in ${seconds} s; paint ${Math.round(paint)} ms, table ${Math.round(table)} ms`,
    )
    for (const view of ['problems', 'prompt', 'ask?query=review%20my%20code', 'graph?show=all', 'policy']) {
      await page.goto(`file://${file}#/${view}`)
      await settle(page)
      expect((await page.textContent('main')).length > 200, `${view} is shown`)
    }
    await close()
  })
}
