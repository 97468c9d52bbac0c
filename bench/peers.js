/**
 * Other systems for skills, pinned. Each is a script of `peers/` that does the system's own work on a directory of skills:
 * it lists all and loads one (`list`), loads one that it is told the folder of (`one`), or builds something from all (`build`).
 *
 * - `packages`: what is installed; the first is the system
 * - `link`: where in the folder that it runs in the skills have to be, for systems that take no directory
 * - `files`: what else of `peers/` it needs there
 * - `argument`: the script's last argument
 * - `most`: the largest tree that it is tried on
 * - `does`: what its time is spent on, in a few words
 */
export const peers = [
  {
    name: 'openskills',
    kind: 'list',
    packages: ['openskills@1.5.0'],
    script: 'openskills.js',
    link: '.claude/skills',
    does: 'regular expression, one level',
  },
  {
    name: 'openskills, one by its folder',
    kind: 'one',
    packages: ['openskills@1.5.0'],
    script: 'openskills-read.js',
    link: '.claude/skills',
    does: 'reads that folder, lists nothing',
  },
  {
    name: 'skills-ref',
    kind: 'list',
    packages: ['skills-ref@0.1.5'],
    script: 'skills-ref.js',
    does: 'frontmatter, prompt',
  },
  {
    name: 'skills-ref validate',
    kind: 'list',
    packages: ['skills-ref@0.1.5'],
    script: 'skills-ref-validate.js',
    does: 'all rules, frontmatter once more',
  },
  {
    name: 'pi, its loader alone',
    kind: 'list',
    packages: ['@mariozechner/pi-coding-agent@0.73.1'],
    script: 'pi.js',
    does: 'frontmatter, rules, ignore files',
  },
  {
    name: 'deepagents',
    kind: 'list',
    packages: ['deepagents@1.14.1'],
    script: 'deepagents.js',
    does: 'frontmatter, real paths',
  },
  {
    name: 'opencode',
    kind: 'list',
    packages: ['opencode-ai@1.18.33'],
    script: 'opencode.js',
    link: '.opencode/skills',
    does: 'whole agent starts, bodies',
  },
  {
    name: 'Mastra',
    kind: 'list',
    packages: ['@mastra/core@1.71.0'],
    script: 'mastra.js',
    does: 'gray-matter, rules, bodies, resources',
  },
  {
    name: 'Cloudflare `agents/skills`',
    kind: 'list',
    packages: ['agents@0.32.0'],
    script: 'cloudflare.js',
    does: 'frontmatter, rules, bodies, catalog',
  },
  {
    name: 'Google ADK',
    kind: 'list',
    packages: ['@google/adk@2.0.0'],
    script: 'google-adk.js',
    does: 'everything read, rules',
  },
  {
    name: 'velite, bodies raw',
    kind: 'build',
    packages: ['velite@0.4.0'],
    script: 'velite.js',
    files: ['velite.config.js'],
    argument: 'raw',
    does: 'yaml, schema, JSON',
  },
  {
    name: 'content-collections',
    kind: 'build',
    packages: ['@content-collections/core@0.15.3', 'zod@4.6.7', 'typescript@5.9.3'],
    script: 'content-collections.js',
    files: ['content-collections.config.js'],
    does: 'frontmatter, zod, JS',
  },
  {
    name: 'velite, Markdown to HTML',
    kind: 'build',
    packages: ['velite@0.4.0'],
    script: 'velite.js',
    files: ['velite.config.js'],
    argument: 'html',
    most: 1_000,
    does: 'yaml, schema, Markdown to HTML',
  },
]
