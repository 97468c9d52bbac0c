/**
 * What SARIF 2.1.0 asks of the objects that we write, as a JSON Schema. Every object is closed, so that a misspelt property is a fault.
 * The sections are those of the specification.
 */
const text = { type: 'string', minLength: 1 }
const level = { enum: ['none', 'note', 'warning', 'error'] }
const closed = (properties: object, required: string[]): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
/** A relative reference of RFC 3986, without characters that must be escaped. */
const relativeUri = { type: 'string', pattern: "^(?!/)(?![a-zA-Z][\\w+.-]*:)[\\w.~!$&'()*+,;=:@%/-]+$" }
/** 3.12. */
const multiformatMessage = closed({ text, markdown: text }, ['text'])
/** 3.11. */
const message = closed({ text, markdown: text }, ['text'])
/** 3.29, 3.30, 3.4. */
const physicalLocation = closed(
  {
    artifactLocation: closed({ uri: relativeUri, uriBaseId: { const: '%SRCROOT%' } }, ['uri']),
    region: closed(
      { startLine: { type: 'integer', minimum: 1 }, startColumn: { type: 'integer', minimum: 1 } },
      ['startLine'],
    ),
  },
  ['artifactLocation'],
)
/** 3.27. */
const result = closed(
  {
    ruleId: text,
    ruleIndex: { type: 'integer', minimum: 0 },
    level,
    message,
    locations: { type: 'array', items: closed({ physicalLocation }, ['physicalLocation']), minItems: 1 },
  },
  ['ruleId', 'message'],
)
/** 3.49. */
const rule = closed({ id: text, name: text, help: multiformatMessage }, ['id'])
/** 3.20, 3.58. */
const invocation = closed(
  {
    executionSuccessful: { type: 'boolean' },
    exitCode: { type: 'integer' },
    toolExecutionNotifications: { type: 'array', items: closed({ level, message }, ['message']) },
  },
  ['executionSuccessful'],
)
/** 3.14, 3.18, 3.19. */
const run = closed(
  {
    tool: closed(
      {
        driver: closed(
          { name: text, version: text, rules: { type: 'array', items: rule, uniqueItems: true } },
          ['name'],
        ),
      },
      ['driver'],
    ),
    columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
    invocations: { type: 'array', items: invocation },
    results: { type: 'array', items: result, maxItems: 5000 },
  },
  ['tool', 'results'],
)
/** 3.13. */
export const SARIF_SCHEMA = closed(
  { $schema: { type: 'string' }, version: { const: '2.1.0' }, runs: { type: 'array', items: run } },
  ['version', 'runs'],
)
