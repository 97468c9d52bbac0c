import { createRuntime } from 'agent-apps'
import { check } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { isLong } from '../support/long.js'
import { processorTime } from '../support/processor-time.js'
import { makeTree, skill } from '../support/tree.js'

async function diagnosticsOf(file: string, text: string, rule: string): Promise<string[]> {
  const { diagnostics } = await check({ cwd: makeTree({ [file]: text }), paths: ['.'] })
  return diagnostics
    .filter(({ ruleId }) => ruleId === rule)
    .map(({ line, column, reason, note, severity }) => `${line}:${column} ${severity} ${reason} / ${note}`)
}

describe('what looks like a further skill of a file', () => {
  const told = async (body: string): Promise<string[]> =>
    (await diagnosticsOf('a.skill.md', skill('a', body), 'block-not-skill')).map(line =>
      line.replace(/ warning .*content: (.*) \/ .*/, ' $1'),
    )

  it.each([
    ['Text\n---\nname: b\ndescription: y\n---\nB\n', '6:1 no blank line stands before it'],
    ['Text\r\n---\r\nname: b\r\ndescription: y\r\n---\r\nB\r\n', '6:1 no blank line stands before it'],
    ['Text\n\n---\ndescription: y\nmetadata:\n  tags:\n    - z\n---\nB\n', '7:1 it has no name'],
    ['Text\n\n---\nname: b\ndescription: y\nB\n', '7:1 it is not closed'],
    ['Text\n\n---\nname: b', '7:1 it is not closed'],
  ])('%j', async (body, expected) => {
    expect(await told(body)).toEqual([expected])
  })

  it.each([
    ['rules and headings', 'One\n---\n\nTwo\n\n---\n\nThree\n\n---\n---\n\n----\n'],
    ['a heading over a definition', 'Heading\n---\nname: the name of a thing\n\nMore text.\n\n---\n'],
    ['prose between rules', 'Text\n\n---\ndescription: follows\nAnd text that is none.\n---\n'],
    ['data of another kind', 'Text\n\n---\nother: 1\n---\nMore\n'],
    ['a code fence', 'Text\n\n```md\n---\nname: b\ndescription: y\n---\n```\n'],
    ['a skill', 'Text\n\n---\nname: b\ndescription: y\n---\nB\n'],
    ['a table', '| a | b |\n---\nname: x\n'],
  ])('is not %s', async (_, body) => {
    expect(await told(body)).toEqual([])
  })

  it('takes nothing from the skill that follows it', async () => {
    const text = skill('a', 'Text\n---\nname: b\ndescription: y\n\n---\nname: c\ndescription: z\n---\nC\n')
    const { diagnostics, skills } = await check({ cwd: makeTree({ 'a.skill.md': text }), paths: ['.'] })
    expect(skills.map(({ name }) => name)).toEqual(['a', 'c'])
    expect(diagnostics.map(({ ruleId }) => ruleId)).toEqual(['block-not-skill'])
  })

  it.runIf(isLong)('costs no more in a long file of them', async () => {
    const elapsed = processorTime()
    for (const line of ['---\r\n', 'name: x\r\n---\r\n', '---\ndescription: y\r\n', '\n---\nname: b\n'])
      await told(line.repeat(Math.floor((1024 * 1024 - 100) / line.length)))
    expect(elapsed()).toBeLessThan(20_000)
  })
})

describe('a comment in a value', () => {
  const told = async (field: string): Promise<string[]> =>
    (await diagnosticsOf('a/SKILL.md', `---\n${field}\nlicense: MIT # kept\n---\n`, 'comment-in-value')).map(
      line => line.replace(/ warning .*left out: (.*) \/ .*/, ' $1'),
    )

  it.each([
    ['description: C # code', '2:16 "# code"'],
    ['description: C # code\r', '2:16 "# code"'],
    ['description: #1 tool for it', '2:14 "#1 tool for it"'],
    ['description: Use when: C # code', '2:26 "# code"'],
    ['description: first\n  second # third', '3:10 "# third"'],
    ['name: a # first', '2:9 "# first"'],
  ])('%j', async (field, expected) => {
    expect(await told(field)).toEqual([expected])
  })

  it.each([
    'description: "C # code"',
    "description: 'C # code'",
    'description: C# code',
    'description: |\n  # Heading\n  text',
    'description: >- # folded\n  text # more',
    'description: first\n  # a line of its own\nname: a',
    'description: first\n# a line of its own',
  ])('%j has none', async field => {
    expect(await told(field)).toEqual([])
  })
})

it('a file that a skill does not have is answered with what it has', async () => {
  const cwd = makeTree({ 'a/SKILL.md': skill('a'), 'a/guide.txt': 'x', 'b.skill.md': skill('b') })
  const runtime = createRuntime({ cwd, paths: ['.'], library: false })
  const hint = (ref: string, path: string): Promise<string> =>
    runtime.readResource(ref, path).then(
      () => '',
      (error: { hint: string }) => error.hint,
    )
  expect(await hint('a', 'giude.txt')).toBe('Did you mean "guide.txt"?')
  expect(await hint('a', 'elsewhere')).toBe('`agent-apps describe a` lists those it has.')
  expect(await hint('b', 'guide.txt')).toBe('It has no files besides its own.')
})

describe('a key of metadata at the top level', () => {
  it.each(['delegate', 'params', 'role', '$inherit', 'timeout'])('%s has no effect', async field => {
    const text = skill('a', '', `${field}: x\n`)
    expect(await diagnosticsOf('a/SKILL.md', text, 'field-misplaced')).toEqual([
      expect.stringContaining(`4:1 warning "${field}" has no effect here; it belongs under \`metadata\``),
    ])
  })

  it('disable-model-invocation has one', async () => {
    const text = skill('a', '', 'disable-model-invocation: true\n')
    expect(await diagnosticsOf('a/SKILL.md', text, 'unknown-field')).toEqual([])
  })

  it.each(['tags', 'enabled'])('%s may be meant for another host', async field => {
    const text = skill('a', '', `${field}: x\n`)
    expect(await diagnosticsOf('a/SKILL.md', text, 'unknown-field')).toEqual([
      expect.stringContaining(`4:1 info "${field}" is not a field`),
    ])
    expect((await diagnosticsOf('a/SKILL.md', text, 'unknown-field'))[0]).toContain(
      `Move it under \`metadata\`: only there does "${field}" mean anything.`,
    )
  })
})

describe('a fault of YAML says what to do about the line', () => {
  it.each([
    [
      'description: [Beta] Reads it.',
      'A value that begins with "[" is a list in YAML. Put the value in quotes, or run',
    ],
    [
      'description: @someone reads it.',
      'begins with "@" is a reserved character in YAML. Put the value in quotes, or run',
    ],
    ['description: *bold* text', 'begins with "*" is an alias in YAML. Put the value in quotes, or run'],
    ['description: %s reads it.', 'begins with "%" is a directive in YAML. Put the value in quotes, or run'],
    [
      'description: "a "b" c"',
      'The value has quotes inside quotes, or text after them. Put all of it in the other kind of quotes.',
    ],
    ["description: 'It's read.'", 'The value has quotes inside quotes'],
    [' description: Reads it.', 'Remove the space before "description"'],
    ['allowed-tools: [read\nlicense: MIT', 'The "[" in the entry before has no "]". Add it,'],
  ])('%s', async (line, hint) => {
    const text = `---\nname: a\n${line}\n---\n`
    expect(await diagnosticsOf('a/SKILL.md', text, 'yaml-syntax')).toEqual([expect.stringContaining(hint)])
  })
})
