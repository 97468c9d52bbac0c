import { defineTool } from 'agent-apps'
import { type BashArguments, bash, commandKey, commandPreview } from './process/bash.js'

export default defineTool({
  name: 'bash',
  description:
    'Runs a shell command in the workspace; returns its output and exit code. It gets no input. Processes that it starts end with it.',
  tags: ['meta-runnable', 'meta-workspace'],
  permissions: { required: ['execute'] },
  params: {
    type: 'object',
    properties: {
      command: {
        type: 'string',
        // An argument of a program has at most 128 KiB.
        maxLength: 30_000,
        pattern: '^[^\\u0000]+$',
        description: 'The command, as bash reads it.',
      },
      cwd: { type: 'string', default: '.', description: 'The working directory, in the workspace.' },
      timeoutMs: {
        type: 'integer',
        default: 120_000,
        minimum: 1,
        maximum: 3_600_000,
        description: 'Milliseconds after which it is ended, with all of its processes.',
      },
    },
    required: ['command'],
    additionalProperties: false,
  },
  config: {
    type: 'object',
    properties: {
      wrap: {
        type: 'array',
        items: { type: 'string' },
        default: [],
        description: 'A program, with arguments, that starts the shell.',
      },
      env: {
        type: 'array',
        items: { type: 'string' },
        default: [],
        description: 'Names of other host variables for commands.',
      },
    },
    additionalProperties: false,
  },
  deriveApprovalKey: args => commandKey(args as unknown as BashArguments),
  preview: (args, ctx) => commandPreview(args as unknown as BashArguments, ctx),
  execute: async (args, ctx) => bash(args as unknown as BashArguments, ctx),
})
