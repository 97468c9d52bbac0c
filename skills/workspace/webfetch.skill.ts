import { defineTool } from 'agent-apps'
import { pageUrl } from './web/page-url.js'

export default defineTool({
  name: 'webfetch',
  description:
    'Fetches a page of the public web and gives its text as Markdown. A redirect to another site is reported, not followed.',
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
        description: 'How a page of HTML is given.',
      },
      timeoutMs: {
        type: 'integer',
        default: 30_000,
        minimum: 1,
        maximum: 120_000,
        description: 'Milliseconds that fetching it may take.',
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
        description: 'The URL of a proxy that all goes through, and that looks at addresses.',
      },
    },
    additionalProperties: false,
  },
  deriveApprovalKey: ({ url }) => originOf(String(url)),
  preview: ({ url }) => pageUrl(String(url)).href,
  // What fetches is large, and loaded by the first call.
  execute: async (args, ctx) => (await import('./web/webfetch.js')).webfetch(args, ctx),
})

/** The origin of a URL. What has none is refused by every call. */
function originOf(url: string): string {
  const origin = URL.canParse(url) ? new URL(url).origin : 'null'
  return origin === 'null' ? url : origin
}
