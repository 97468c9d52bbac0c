import { slug } from 'github-slugger'
import { defineConfig } from 'vitepress'
import { search } from '../search.js'
import { showExamples } from './code-blocks.js'
import { sidebar } from './sidebar.js'
import { copySources, linkSources } from './sources.js'

/** Vue, while pages are rendered, is in this folder's packages, where pages outside of it would not find it. */
const packagesForPages = {
  name: 'packages-for-pages',
  enforce: 'pre',
  resolveId: id => (/^vue(?:\/|$)/.test(id) ? { id, external: true } : null),
}

/** The pages stay where the code host shows them; only the home page and the API are the site's own. */
export default defineConfig({
  title: 'agent-apps',
  description: "Checks an agent's skills when you build, and finds and runs them when the agent works.",
  // A page is loaded when it is asked for, and not each that a link in sight leads to.
  router: { prefetchLinks: false },
  // No browser has to ask for a picture.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcDir: '..',
  srcExclude: ['!(docs|site|CHANGELOG.md)/**', 'site/!(index.md|api)/**'],
  rewrites: { 'site/index.md': 'index.md', 'site/api/:path*': 'api/:path*' },
  outDir: 'dist',
  markdown: {
    // The anchors of the code host, which the pages link to.
    anchor: { slugify: slug },
    config(md) {
      linkSources(md)
      showExamples(md)
    },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/docs/start' },
      { text: 'All pages', link: '/docs/README' },
      { text: 'API', link: '/api/' },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local', options: { miniSearch: search } },
  },
  vite: { plugins: [packagesForPages] },
  buildEnd: copySources,
})
