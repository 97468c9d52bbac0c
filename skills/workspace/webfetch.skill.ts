import { defineTool } from 'agent-apps'
import { pageUrl } from './web/page-url.js'

export default defineTool({
  name: 'webfetch',
  description:
    'Fetches a page of the public web as Markdown. A redirect to another site is reported, not followed.',
  tags: ['meta-runnable', 'meta-workspace'],
  permissions: { required: ['network'] },
  params: {
    type: 'object',
    properties: {
      url: {
        type: 'string',
        minLength: 1,
        maxLength: 8000,
        description: 'The URL, with `http:` or `https:`.',
      },
      format: {
        enum: ['markdown', 'text', 'html'],
        default: 'markdown',
        description: 'The format for HTML.',
      },
      timeoutMs: {
        type: 'integer',
        default: 30_000,
        minimum: 1,
        maximum: 120_000,
        description: 'The time for fetching, in milliseconds.',
      },
    },
    required: ['url'],
    additionalProperties: false,
  },
  config: {
    type: 'object',
    properties: {
      allow: {
        type: 'array',
        items: { type: 'string', pattern: '^(\\*\\.)?[^\\s/*@]+$' },
        default: [],
        description: 'Hosts that may have any address: `host`, `host:port` or `*.domain`.',
      },
      proxy: {
        type: 'string',
        pattern: '^https?://',
        description: 'The URL of a proxy for all requests, which checks addresses.',
      },
    },
    additionalProperties: false,
  },
  deriveApprovalKey: ({ url }) => originOf(String(url)),
  preview: ({ url }) => pageUrl(String(url)).href,
  // The implementation is large, so the first call loads it.
  execute: async (args, ctx) => (await import('./web/webfetch.js')).webfetch(args, ctx),
})

/** The origin of a URL. Every call refuses a URL without one. */
function originOf(url: string): string {
  const origin = URL.canParse(url) ? new URL(url).origin : 'null'
  return origin === 'null' ? url : origin
}
