import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readPlainYaml } from '../../compiler/1-read/frontmatter/plain-yaml.js'
import { parseYaml, readYaml } from '../../compiler/1-read/frontmatter/yaml.js'
import { times } from '../support/long.js'
import { pick, type Random, randomFrom } from '../support/policy-model.js'

const ROUNDS = times(600, 1_000_000)

/** What frontmatter is made of, with all that YAML gives a meaning, and much that only looks like it. */
const KEYS = [
  ...['name', 'description', 'license', 'metadata', 'tags', 'allowed-tools', 'a', 'b', 'x1', 'null', 'True'],
  ...[
    'constructor',
    '__proto__',
    'toString',
    '"q"',
    "'s'",
    '1',
    '-',
    '?',
    '<<',
    '~',
    'é',
    'a b',
    'a.b',
    '- a',
  ],
]
const WORDS = [
  ...[
    'a',
    'use it',
    'Do this, then that.',
    'É',
    '—',
    '😀',
    '\u00A0',
    '\u2028',
    '\uFEFF',
    '\uD800',
    '\x85',
    '\t',
  ],
  ...[
    'null',
    '~',
    'true',
    'FALSE',
    'yes',
    'off',
    '.inf',
    '-.INF',
    '.nan',
    '.5',
    '0',
    '00',
    '012',
    '0o7',
    '0x1F',
  ],
  ...[
    '1',
    '-1',
    '+1',
    '1.0',
    '10.50',
    '1.',
    '1e3',
    '1_000',
    '9007199254740993',
    '1e999',
    '1.2.3',
    '2024-01-01',
  ],
  ...[
    '12:30',
    '12:30:45',
    '0b11',
    '1 2',
    '1a',
    '3 items',
    '1: 2',
    '0xg',
    '5%',
    '1,2',
    '1/2',
    '5f',
    'e5',
    'E',
  ],
  ...[
    ':',
    ': ',
    'a:b',
    'http://x.y/z',
    'a: b',
    'a:',
    ' #',
    '#',
    'a#b',
    'a # b',
    '-',
    '- ',
    '--',
    '---',
    '...',
  ],
  ...[
    '"',
    "'",
    '""',
    "''",
    '"a"',
    "'a'",
    "'it''s'",
    '"a\\n"',
    '"a" b',
    "'a' b",
    '"a',
    "'a",
    '"a: b # c"',
    '" a "',
  ],
  ...[
    '[a, b]',
    '[a,b]',
    '[]',
    '[a, ]',
    '[a, null]',
    '[1]',
    '[a b, c]',
    '[a',
    '[a]]',
    '[a, b] c',
    '{a: b}',
    '{}',
  ],
  ...[
    '|',
    '>',
    '|-',
    '>2',
    '&a',
    '*a',
    '!a',
    '!!str',
    '%a',
    '@a',
    '`a`',
    ',',
    ']',
    '}',
    '?',
    '? a',
    '=',
    '<<',
    '\\',
  ],
  ...['(a)', '/a', '$a', '^a', ';a', '<a>', '_a', '+a', '+', '.a', '.', 'A-z_0', '$' + '{x}'],
]
const SPACES = ['', '', '', ' ', '  ', '   ', '    ']

const ORDINARY = ['a', 'use it', 'Do this, then that.', '3 items', 'true', '7', '"a: b"', "'it''s'", '[a, b]']

function randomYaml(random: Random): string {
  // Half of the texts have a fault at most here and there, so that as many are read without a parser.
  const wild = random() < 0.5 ? 1 : 0.1
  const lines = Array.from({ length: 1 + Math.floor(random() * 5) }, () => randomLine(random, wild))
  return lines.join(random() < 0.02 * wild ? '\r\n' : '\n') + (random() < 0.8 ? '\n' : '')
}

function randomLine(random: Random, wild: number): string {
  const kind = random()
  const word = (): string => pick(random, random() < wild ? WORDS : ORDINARY)
  const value = random() < 0.15 * wild ? word() + word() : word()
  const end = random() < 0.1 ? pick(random, SPACES) : ''
  if (kind < 0.05)
    return pick(random, ['', '  ', '# c', '  # c', ...(random() < wild ? ['---', '...', value] : [])])
  const indent = random() < 0.3 * wild ? pick(random, SPACES) : ''
  if (kind < 0.2) return `${random() < wild ? indent : '  '}- ${value}${end}`
  const key = pick(random, random() < 0.15 * wild ? KEYS : KEYS.slice(0, 9))
  if (kind < 0.35) return `${indent}${key}:${end}`
  return `${indent}${key}:${random() < 0.05 * wild ? pick(random, SPACES) : ' '}${value}${end}`
}

describe('frontmatter that is read without a parser', () => {
  it(`is what the parser makes of it: ${ROUNDS.toLocaleString('en')} at random`, () => {
    const random = randomFrom(23)
    let plain = 0
    for (let round = 0; round < ROUNDS; round++) {
      const yaml = randomYaml(random)
      if (readPlainYaml(yaml) === null) continue
      plain++
      const [read, parsed] = [readYaml(yaml), parseYaml(yaml)]
      // The order of keys counts as well.
      const isSame = isDeepStrictEqual(read, parsed) && JSON.stringify(read) === JSON.stringify(parsed)
      if (!isSame) expect({ yaml, ...read }).toEqual({ yaml, ...parsed })
    }
    expect(plain).toBeGreaterThan(ROUNDS / 5)
  })

  it.each([
    ['name: a\ndescription: Use it when a file is large, or so.\n'],
    ["name: \"a\"\ndescription: 'It''s: a # b'\n"],
    ['name: a\nmetadata:\n  version: 1.2.3\n  tags:\n    - b\n    - c\nlicense: MIT\n'],
    ['name: a\n\n# a comment\ntags:\n- b\n- 3\nallowed-tools: [Read, Web Fetch]\nmetadata:\n'],
  ])('reads %j', yaml => {
    expect(readPlainYaml(yaml)).toEqual(parseYaml(yaml).value)
    expect(readPlainYaml(yaml)).not.toBeNull()
  })

  it.each([
    ...[
      '',
      '# c\n',
      'a\n',
      '- a\n',
      ' name: a\n',
      'name : a\n',
      'name: a\nname: b\n',
      'name: a\r\n',
      'name:\ta\n',
    ],
    ...[
      'name: a\n  b\n',
      'name: a\n  b: c\n',
      'a:\n  b: c\n d: e\n',
      'a:\n    b: c\n  d: e\n',
      'a:\n  - b\n    c\n',
    ],
    ...[
      'a: b: c\n',
      'a: b:\n',
      'a: b # c\n',
      'a: |\n  b\n',
      'a: *b\n',
      'a: !b c\n',
      '__proto__: a\n',
      '<<: a\n',
    ],
    ...[
      'null: a\n',
      'a: 012\n',
      'a: 1e3\n',
      'a: "\\n"\n',
      'a: [b, null]\n',
      'a: {}\n',
      '---\na: b\n',
      'a: \uD800\n',
    ],
  ])('leaves %j to the parser', yaml => {
    expect(readPlainYaml(yaml)).toBeNull()
  })
})
