import type { VFileMessage } from 'vfile-message'
import type { Diagnostic, Severity } from '../../src/base/diagnostic.js'
import { ROLES } from '../../src/skill/frontmatter.js'
import { SPEC_NAME_MAX } from '../../src/skill/names.js'
import { middlewareConfigFault } from '../../src/skill/skill-faults.js'
import { importHint } from '../esbuild/import-hint.js'
import { limits } from '../files/limits.js'

interface Rule {
  severity: Severity | ((...found: string[]) => Severity)
  /** True where a skill with this fault does not load. */
  fatal?: true
  /** True if another skill's fault causes this one. */
  follows?: true
  /** True for a fault that may allow something which its author forbids. It cannot be silenced. */
  security?: true
  reason: (...found: string[]) => string
  note: string | ((...found: string[]) => string)
}

function capitalized(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1)
}

/** For rules whose findings contain the message, as part of a sentence, and the remedy. */
const MESSAGE_IN_FINDING = {
  severity: 'error',
  reason: capitalized,
  note: (_message: string, hint: string) => hint,
} as const

/** The note on a field that has no meaning in its place. */
function fieldNote(field: string, near = '', place = ''): string {
  if (field === 'descriptionPath')
    return "Import the text (`import description from './a.txt'`), and give it as `description`: only a program that registers a tool names a file."
  if (place !== '') return `Move it under \`${place}\`: only there does "${field}" mean anything.`
  return near === '' ? 'Data of your own belongs under `metadata`.' : `Did you mean "${near}"?`
}

/**
 * Every rule: its severity, the fault and the remedy: its severity, the fault and the remedy. `docs/rules.md`
 * explains each.
 * The arguments are strings, so that a finding is plain data which a cache can hold.
 */
export const RULES = {
  'agent-invalid': {
    severity: 'error',
    reason: problem => `"agent" ${problem}`,
    note: 'Correct it. Until then calls of the skill throw DEFINITION_INVALID.',
  },
  'annotation-idle': { ...MESSAGE_IN_FINDING, severity: 'warning' },
  'annotation-invalid': MESSAGE_IN_FINDING,
  'annotation-nested': MESSAGE_IN_FINDING,
  'annotation-unknown': MESSAGE_IN_FINDING,
  'block-not-skill': {
    severity: 'warning',
    reason: why => `This looks like the frontmatter of a further skill, and was taken as content: ${why}`,
    note: 'Write "---" after a blank line, `name`, `description`, and "---" again. An example belongs into a code fence.',
  },
  'chain-too-large': MESSAGE_IN_FINDING,
  'code-exits': {
    severity: 'error',
    fatal: true,
    reason: what => `Importing the file ended the process: ${what}`,
    note: 'Only declare at the top level; move code that ends the process into a function.',
  },
  'code-hangs': {
    severity: 'error',
    fatal: true,
    reason: what => `Importing the file ${what}`,
    note: 'Do nothing at the top level that waits; move it into the tool, or into the function given to `defineTool`.',
  },
  'code-import': {
    severity: 'error',
    fatal: true,
    reason: problem => `The code cannot be bundled: ${problem}`,
    note: problem => importHint(problem),
  },
  'code-syntax': {
    severity: 'error',
    fatal: true,
    reason: problem => `The file is not valid code: ${problem}`,
    note: 'Correct the line.',
  },
  'code-throws': {
    severity: 'error',
    fatal: true,
    reason: message => `Importing the file throws: ${message}`,
    note: 'Do nothing at the top level that can fail; move it into the tool.',
  },
  'colon-in-value': {
    severity: 'warning',
    reason: key =>
      `The value of "${key}" contains ": ", which YAML takes for a mapping; it was read as one string`,
    note: 'Put the value in quotes, or run `agent-apps check --fix`.',
  },
  'comment-in-value': {
    severity: 'warning',
    reason: (key, cut) =>
      `The value of "${key}" ends before " #", where a comment begins in YAML; left out: ${JSON.stringify(cut)}`,
    note: 'Put the value in quotes. If it is a comment, move it to its own line.',
  },
  'compatibility-length': {
    severity: 'warning',
    reason: length => `The compatibility has ${length} characters; the specification allows 1 to 500`,
    note: length =>
      length === '0' ? 'Say what it needs, or remove the field.' : 'Shorten it, or remove the field.',
  },
  'declaration-invalid': {
    severity: 'warning',
    reason: (key, problem) => `"${key}" ${problem}`,
    note: key => `Correct it. Until then "${key}" has no effect.`,
  },
  'default-refused': {
    severity: 'error',
    reason: (_part, property, problem) =>
      `The default of "${property}" does not fit its own schema: ${problem}`,
    note: 'Correct the default or the schema. Until then a call that leaves it out is refused.',
  },
  'definition-duplicate': {
    severity: 'error',
    fatal: true,
    reason: (field, first) => `"${field}" and "${first}" are two names of one field of \`defineTool\``,
    note: 'Keep one of them.',
  },
  'definition-field': {
    severity: 'error',
    fatal: true,
    reason: field => `"${field}" is not a field of \`defineTool\`, which refuses it`,
    note: fieldNote,
  },
  'delegate-broken': { ...MESSAGE_IN_FINDING, follows: true },
  'delegate-invalid': {
    severity: 'error',
    reason: (delegate, problem) => `The delegate ${JSON.stringify(delegate)} cannot be used: ${problem}`,
    note: (_delegate, _problem, hint) =>
      hint ?? 'Give the name of a tool, a path relative to this file, or an `inline://` text.',
  },
  'delegate-unknown': {
    severity: 'warning',
    reason: name => `The delegate names an unknown tool: "${name}"`,
    note: (_name, near = '') =>
      near ? `Did you mean "${near}"?` : 'Correct the name, unless a program registers a tool of this name.',
  },
  'description-ambiguous': {
    severity: 'warning',
    reason: (name, other, place, alike, concerned = '', all = '', worst = '') =>
      concerned === ''
        ? `The description of "${name}" is nearly that of "${other}" (${place}): ${alike} alike`
        : `The descriptions of ${concerned} of ${all} skills are nearly those of others: ${worst}`,
    note: 'Say in each what sets it apart: models choose skills by their descriptions.',
  },
  'description-length': {
    severity: 'warning',
    reason: length => `The description has ${length} characters; the specification allows 1 to 1,024`,
    note: 'Shorten it: say what the skill does and when to use it, and leave the rest to the content.',
  },
  'description-missing': {
    severity: kind => (kind === 'folder' ? 'error' : 'warning'),
    reason: () => 'The skill has no description',
    note: 'Add `description: <what it does and when to use it>`. Until then a catalog has the name alone.',
  },
  'description-vague': {
    severity: 'info',
    reason: (name, most) => `Each word in the description of "${name}" is in more than ${most} descriptions`,
    note: 'Name what it works with, and what users call it: no search tells it from the others.',
  },
  'directive-failed': MESSAGE_IN_FINDING,
  'directive-idle': { ...MESSAGE_IN_FINDING, severity: 'warning' },
  'directive-invalid': MESSAGE_IN_FINDING,
  'directive-unknown': {
    severity: 'info',
    reason: (name, _near, fault, form) => {
      if (form) return `Malformed directive "${name}"; treated as text`
      return fault
        ? `"${name}" is a skill that does not load; treated as text: ${fault}`
        : `Unknown directive "${name}"; treated as text`
    },
    note: (_name, near = '', fault = '', form = '') => {
      if (form !== '') return form
      return fault ? 'Correct that skill first, if it is a directive.' : `Did you mean "${near}"?`
    },
  },
  'duplicate-copy': {
    severity: 'info',
    reason: (name, other) =>
      `The skill "${name}" is a copy of ${other}, which comes first and is the one that counts`,
    note: 'Remove one of the two.',
  },
  'duplicate-name': {
    severity: 'error',
    fatal: true,
    reason: (name, line, other) =>
      other
        ? `The name "${name}" is taken by ${other}:${line}, which comes first and is the one that loads`
        : `The name "${name}" is taken in line ${line} of this file, which comes first and is the one that loads`,
    note: 'Rename one of the two.',
  },
  'dynamic-cycle': MESSAGE_IN_FINDING,
  'execute-missing': {
    severity: 'error',
    fatal: true,
    reason: () => 'The definition has no function `execute`',
    note: (near = '') =>
      near === ''
        ? 'Add `execute: async (args, context) => { … }`.'
        : `Call "${near}" \`execute\`, if it is that.`,
  },
  'field-type': {
    severity: 'error',
    reason: (field, expected, found) => `"${field}" must be ${expected}, not ${found}; it is left out`,
    note: 'Correct the value.',
  },
  'field-misplaced': {
    severity: 'warning',
    reason: field => `"${field}" has no effect here; it belongs under \`metadata\``,
    note: field => `Move it there: \`metadata:\`, and below it, indented, \`${field}: …\`.`,
  },
  'field-near': {
    severity: 'warning',
    reason: (field, known) => `"${field}" is not a field and has no effect; "${known}" is one`,
    note: (_field, known) =>
      `If you meant "${known}", correct it. Data of your own belongs under \`metadata\`.`,
  },
  'file-name-case': {
    severity: 'warning',
    reason: name => `The file is called "${name}"; on a case-sensitive system other tools do not find it`,
    note: 'Rename it to SKILL.md.',
  },
  'file-name-near': {
    severity: 'warning',
    reason: name => `The file is called "${name}" and begins like a skill, but is not recognized as one`,
    note: (_name, meant = '') => `Rename it to ${meant}, if it should be a skill.`,
  },
  'file-too-large': {
    severity: 'error',
    fatal: true,
    reason: () => `The file has more than ${limits.fileBytes} bytes, the most that are read`,
    note: 'Move long material into separate files beside the skill.',
  },
  'file-unreadable': {
    severity: 'error',
    fatal: true,
    reason: why => `The file cannot be read: ${why}`,
    note: 'Make it a regular file that this user may read.',
  },
  'forbidden-key': {
    severity: 'error',
    security: true,
    fatal: true,
    reason: key => `The key "${key}" is not allowed: it could reach an object's prototype`,
    note: 'Choose another key.',
  },
  'frontmatter-fence': {
    severity: 'error',
    fatal: true,
    reason: line => `The line ${JSON.stringify(line)} is not a fence: only spaces may follow "---"`,
    note: 'Write the fence as "---" alone on its line. The frontmatter is YAML; no other language is accepted.',
  },
  'frontmatter-missing': {
    severity: 'error',
    reason: () => 'The file does not begin with frontmatter; all of it was taken as content',
    note: 'Begin the file with "---", `name` and `description`, and "---" again.',
  },
  'frontmatter-not-mapping': {
    severity: 'error',
    fatal: true,
    reason: found => `The frontmatter must be a mapping of keys to values, not ${found}`,
    note: 'Write `name: …` and `description: …`, each on its own line.',
  },
  'frontmatter-too-large': {
    severity: 'error',
    fatal: true,
    reason: size => `The frontmatter has ${size} bytes; at most ${limits.frontmatterBytes} are read`,
    note: 'Move long material into the content.',
  },
  'frontmatter-unclosed': {
    severity: 'error',
    fatal: true,
    reason: () => 'The frontmatter is not closed: no line after this one is "---" alone',
    note: 'Add a line "---" after the last field.',
  },
  'gate-off': {
    severity: 'warning',
    security: true,
    reason: (name, permissions) =>
      `"${name}" has \`gated: false\` and declares ${permissions}: agents call it without approval`,
    note: 'Leave `gated` out, unless nothing that it does is worth a question.',
  },
  'guard-invalid': { ...MESSAGE_IN_FINDING, security: true },
  'hidden-character': {
    severity: 'warning',
    security: true,
    reason: (character, where) => `${character} in the ${where}: a reader does not see it, a model does`,
    note: 'Remove it, unless you know why it is there.',
  },
  'invalid-utf8': {
    severity: 'error',
    fatal: true,
    reason: () => 'The file is not valid UTF-8 here',
    note: 'Save the file as UTF-8.',
  },
  'ignore-idle': {
    severity: 'warning',
    reason: (rule, why) =>
      `This comment does not make agent-apps ignore ${rule === '' ? 'anything' : `"${rule}"`}: ${why}`,
    note: (_rule, _why, hint = '') => hint,
  },
  'inherit-broken': { ...MESSAGE_IN_FINDING, follows: true },
  'inherit-cycle': MESSAGE_IN_FINDING,
  'inherit-missing': MESSAGE_IN_FINDING,
  'inline-interpolated': MESSAGE_IN_FINDING,
  'link-broken': {
    severity: 'error',
    reason: () => 'The symbolic link leads nowhere',
    note: 'Correct the link or remove it.',
  },
  'link-escapes': {
    severity: 'error',
    security: true,
    reason: () => "The symbolic link leaves the skill's own folder, so it is not followed",
    note: 'Copy the file into the skill, or link the whole skill folder.',
  },
  'link-missing': {
    severity: 'info',
    reason: path => `The link leads to a file that is not there: ${JSON.stringify(path)}`,
    note: 'Correct the path, which begins at the folder of this file, or add the file.',
  },
  'link-not-followed': {
    severity: 'warning',
    reason: () =>
      'The symbolic link leads out of this directory to a folder that is not a skill, so it is not followed',
    note: 'Link each skill folder, or add the folder to the paths.',
  },
  'main-broken': {
    severity: 'error',
    security: true,
    reason: () => 'Invalid main skill; the tools below it are disabled',
    note: 'Correct the other faults of this file.',
  },
  'main-duplicate': MESSAGE_IN_FINDING,
  'manifest-escapes': {
    severity: 'error',
    reason: (what, path = '', outcome = '') =>
      path === ''
        ? `The manifest ${JSON.stringify(what)} is a link out of the directory, so it is not read${outcome && `; ${outcome}`}`
        : `The plugin "${what}" names a path out of the directory: ${JSON.stringify(path)}`,
    note: 'Name a folder of the repository. A folder outside it needs its own path entry.',
  },
  'manifest-invalid': {
    severity: 'error',
    reason: (problem, outcome = '') =>
      `The plugin manifest cannot be used: ${problem}${outcome && `; ${outcome}`}`,
    note: 'Correct it. Until then a plugin has the name that its marketplace gives it, or that of its folder; without one its skills do not load.',
  },
  'metadata-dynamic': {
    severity: 'info',
    reason: path => `"${path}" is not a literal and not evaluated: it is known only once the file has run`,
    note: '`agent-apps compile` runs the file to learn it. Write it out where it should be known without.',
  },
  'metadata-key-twice': {
    severity: 'error',
    fatal: true,
    reason: key => `The key "${key}" is in \`metadata\` and in the string \`metadata.agent-apps\``,
    note: 'Remove one of the two.',
  },
  'metadata-near-key': {
    severity: 'warning',
    reason: (key, known, how = '') =>
      how === 'field'
        ? `"${key}" in metadata is plain data; "${known}" is a field of the frontmatter itself`
        : `"${key}" in metadata is ${how === 'spelling' ? `another spelling of` : 'one edit from'} "${known}", and is kept as plain data`,
    note: (_key, known, how) =>
      how === 'field'
        ? `If you meant "${known}", write it beside \`name\`.`
        : `If you meant "${known}", correct it.`,
  },
  'metadata-not-string': {
    severity: 'warning',
    reason: (key, type) => `"${key}" in metadata is ${type}; the specification allows only strings there`,
    note: 'Write it in the string `agent-apps`, where hosts that insist on strings need to read the skill.',
  },
  'middleware-broken': { ...MESSAGE_IN_FINDING, follows: true },
  'middleware-config': {
    severity: 'error',
    reason: (key, problem) => capitalized(middlewareConfigFault(key, problem).message),
    note: (key, problem = '') => middlewareConfigFault(key, problem).hint,
  },
  'name-differs': {
    severity: 'warning',
    reason: (name, folder) => `The name "${name}" differs from the folder's, "${folder}"`,
    note: 'Give both the same name: the specification asks for it, and other tools find a skill by its folder.',
  },
  'name-from-file': {
    severity: 'warning',
    reason: name => `The code exports no \`frontmatter\`, so the skill takes the name of its file: "${name}"`,
    note: name => `Add \`export const frontmatter = { name: '${name}', description: '…' }\`.`,
  },
  'name-from-folder': {
    severity: 'warning',
    reason: folder => `The skill has no name, so it takes its folder's: "${folder}"`,
    note: 'Add `name:` to the frontmatter, or run `agent-apps check --fix`.',
  },
  'name-invalid': {
    severity: 'error',
    fatal: true,
    reason: (name, problem) => `The name ${JSON.stringify(name)} ${problem}`,
    note: 'Use 1 to 64 of a-z, 0-9 and "-", with no hyphen first, last or doubled.',
  },
  'name-long': {
    severity: (_length, isError) => (isError === 'error' ? 'error' : 'warning'),
    reason: length => `The name has ${length} characters; the specification allows 1 to ${SPEC_NAME_MAX}`,
    note: 'Shorten it, and the folder of the same name: other tools may not find the skill.',
  },
  'name-missing': {
    severity: 'error',
    fatal: true,
    reason: () => 'The skill has no name',
    note: (kind = '') =>
      kind === 'code'
        ? "Write it out: in the export `frontmatter`, or in `defineTool({ name: 'my-tool', … })` of agent-apps."
        : 'Add `name:` to the frontmatter; a .skill.md file needs its own.',
  },
  'name-not-literal': {
    severity: 'error',
    fatal: true,
    reason: () => 'The name is not a literal, so it cannot be known without running the file',
    note: "Write the name out: `name: 'my-tool'`.",
  },
  'name-replaced': {
    severity: 'warning',
    reason: (name, problem, folder) =>
      `The name ${JSON.stringify(name)} ${problem}, so the skill takes its folder's, "${folder}", and keeps this as its title`,
    note: 'Use the name that it resolves by, or run `agent-apps check --fix`.',
  },
  'no-tool': {
    severity: 'error',
    fatal: true,
    reason: (what = '') =>
      what === '' ? 'The file exports no tool' : `The file exports no tool: its default export is ${what}`,
    note: (_what, maker = '') =>
      maker === ''
        ? 'Export a function as default with `frontmatter` beside it, or something made with `defineTool`.'
        : `${maker === 'defineTool' ? '' : 'Did you mean `defineTool`? '}Import it: \`import { defineTool } from 'agent-apps'\`.`,
  },
  'name-ambiguous': {
    severity: 'info',
    reason: (name, first, others) =>
      `"${name}" by itself means "${first}", and is also the name of ${others}`,
    note: 'Write the namespace before the name to refer to another one.',
  },
  'namespace-invalid': {
    severity: 'error',
    fatal: true,
    reason: (folder, problem) =>
      `The folder ${JSON.stringify(folder)} is not a namespace: its name ${problem}`,
    note: 'Rename the folder, or take `namespace` from the path entry.',
  },
  'not-evaluated': {
    severity: 'info',
    reason: what => `${capitalized(what)} is not evaluated, because that would run the project's code`,
    note: '`agent-apps compile` runs it, and no command does that only looks.',
  },
  'nul-byte': {
    severity: 'error',
    fatal: true,
    reason: () => 'The file contains a NUL byte',
    note: 'Remove it, or save the file as UTF-8 if it is UTF-16.',
  },
  'package-place': {
    severity: 'warning',
    reason: (name, asked, more) =>
      `The package "${name}" asks for ${asked}, but the files there are not in the bundle${more === '0' ? '' : `; ${more} more ${more === '1' ? 'place does' : 'places do'} the same`}`,
    note: name =>
      `If it reads files, list "${name}" under \`external\`, and install it where the bundle runs.`,
  },
  'params-not-object': {
    severity: 'error',
    reason: type => `A tool's arguments are an object, so the "type" of its params cannot be ${type}`,
    note: 'Make it `type: object`, with what the tool takes as properties.',
  },
  'path-unportable': {
    severity: 'error',
    security: true,
    fatal: true,
    reason: () =>
      'The path contains a backslash or a control character, which other systems read differently',
    note: 'Rename the file or its folder.',
  },
  'paths-guessed': {
    severity: 'warning',
    reason: (skills, _paths, where = '') =>
      `No plugin manifest and no convention leads to the ${skills === '1' ? 'skill of this directory; it was' : `${skills} skills of this directory; they were`} found by searching: ${where}`,
    note: (_skills, paths = '') =>
      paths === ''
        ? 'Run `agent-apps init`, which writes a configuration that leads to them.'
        : `Write {"paths": ${paths}} into agent-apps.config.json, or run \`agent-apps init\`.`,
  },
  'pattern-invalid': {
    severity: 'error',
    security: true,
    reason: (pattern, problem) =>
      `The pattern ${JSON.stringify(pattern)} in allowed-tools cannot be read: ${problem}; it matches nothing`,
    note: 'Correct the pattern, or remove it.',
  },
  'pattern-unmatched': {
    // A name unlike any other is most likely a host's own tool.
    severity: (pattern, near) => (near || !/^[\w-]+(?:\(|$)/.test(pattern ?? '') ? 'warning' : 'info'),
    reason: pattern => `The pattern ${JSON.stringify(pattern)} in allowed-tools matches no known tool`,
    note: (_pattern, near = '') =>
      near === ''
        ? "Correct its spelling. If the tool is a host's own, add its name to `hostTools` in the configuration."
        : `Did you mean ${JSON.stringify(near)}? Ignore this if the tool is registered at run time.`,
  },
  'plugin-duplicate': {
    severity: 'warning',
    reason: (name, source) =>
      `The plugin "${name}" is left out: another one has its name or its skills (${JSON.stringify(source)})`,
    note: 'Give each plugin its own name and skills.',
  },
  'plugin-name': {
    severity: 'error',
    reason: (name, problem) => `The name of the plugin ${JSON.stringify(name)} ${problem}`,
    note: 'Rename it, with 2 to 64 of a-z, 0-9 and "-": until then its skills do not load, as their names begin with it.',
  },
  'plugin-path-meant': {
    severity: 'warning',
    reason: (name, path, meant) =>
      `The plugin "${name}" names a missing folder, ${JSON.stringify(path)}; ${JSON.stringify(meant)} was read`,
    note: 'Begin a path at the marketplace with "./", and one in its `pluginRoot` without.',
  },
  'plugin-path-missing': {
    severity: 'warning',
    reason: (name, path) => `The plugin "${name}" names a missing folder: ${JSON.stringify(path)}`,
    note: 'Correct the path, or add the folder.',
  },
  'plugin-remote': {
    severity: 'info',
    reason: name => `The plugin "${name}" is stored elsewhere and is not read`,
    note: 'Install it, and add its folder to the paths.',
  },
  'requires-unmet': {
    severity: 'error',
    reason: (range, version) => `This skill requires agent-apps ${range}, and this is ${version}`,
    note: 'Install a version that the skill was written for, or correct `requires`.',
  },
  'resource-unreadable': {
    severity: 'error',
    reason: (path, why) => `The skill's file "${path}" cannot be read, so it is left out: ${why}`,
    note: 'Make it a regular file that this user may read, or remove it.',
  },
  'role-unknown': {
    severity: 'error',
    security: true,
    reason: role => `Unknown role ${JSON.stringify(role)}; it is left out`,
    note: (_role, meant = '') =>
      meant === '' ? `Use one of ${ROLES.join(', ')}, or remove the key.` : `Did you mean "${meant}"?`,
  },
  'rule-unmatched': {
    severity: 'warning',
    security: true,
    reason: pattern => `The rule ${JSON.stringify(pattern)} in trust.rules matches no known tool`,
    note: (_pattern, near = '') =>
      near === ''
        ? "Correct its spelling. If the tool is a host's own, add its name to `hostTools` in the configuration."
        : `Did you mean ${JSON.stringify(near)}? Ignore this if the tool is registered at run time.`,
  },
  'schema-invalid': {
    severity: 'error',
    reason: (part, problem) => `The schema "${part}" cannot be used: ${problem}`,
    note: 'Correct it. Until then the tool does not run.',
  },
  'schema-near-keyword': {
    severity: 'warning',
    reason: (keyword, known) =>
      `"${keyword}" is not a keyword of JSON Schema, and has no effect; did you mean "${known}"?`,
    note: (_keyword, known) =>
      `If you meant "${known}", correct it. Data of your own may have a key that begins with "x-".`,
  },
  'schema-property': {
    severity: 'warning',
    reason: (key, part) => `"${key}" is not a keyword of JSON Schema, so "${part}" ignores it`,
    note: (key, _part, type = 'string') =>
      `If it is a property, write \`properties: { ${key}: { type: ${type} } }\`, with \`type: object\` beside it.`,
  },
  'schema-unsupported': { ...MESSAGE_IN_FINDING, fatal: true },
  'secret-file': {
    severity: 'warning',
    security: true,
    reason: path => `"${path}" looks like a secret; it is neither served nor put into a bundle`,
    note: 'Keep secrets out of skills: anyone who can read the skill can read them.',
  },
  'shadows-guarded': {
    severity: 'warning',
    security: true,
    reason: (name, permissions) =>
      `"${name}" takes the place of a tool of this name that declares ${permissions}: permissions granted to that tool apply to this one`,
    note: 'Give it another name, unless it is meant to replace that tool.',
  },
  'skill-in-dot-directory': {
    severity: 'info',
    fatal: true,
    reason: () => 'Directories that begin with a dot are not searched, so this skill was left out',
    note: directory => `To use it, add "${directory}" to the paths.`,
  },
  'skill-is-resource': {
    severity: 'info',
    fatal: true,
    reason: owner => `The file belongs to the skill ${owner} as a resource, so it is not a skill itself`,
    note: 'To make it one, move it out of assets, references, scripts, templates, examples or fixtures.',
  },
  'skills-elsewhere': {
    severity: 'warning',
    reason: (skills, _paths, where = '') =>
      `${skills === '1' ? 'A skill lies where no plugin manifest and no convention leads, and is' : `${skills} skills lie where no plugin manifest and no convention leads, and are`} left out: ${where}`,
    note: (_skills, paths = '') =>
      paths === ''
        ? 'To load them, run `agent-apps init`, which writes their places into a new configuration, or add them to the `paths` of yours.'
        : `To load them, write {"paths": ${paths}} into agent-apps.config.json.`,
  },
  'switch-is-text': {
    severity: 'warning',
    reason: (key, text) => `"metadata.${key}" is the text "${text}", not true or false, and does nothing`,
    note: (key, _text, meant = '') => `Write \`${key}: ${meant}\`: YAML knows no other words for it.`,
  },
  'tag-idle': {
    severity: 'warning',
    reason: tag => `The tag "${tag}" has no effect in a tool without the role middleware`,
    note: 'Write `role: middleware` under `metadata`: that makes a key of this name run it. Or take the tag out.',
  },
  'tag-near': {
    severity: 'warning',
    reason: tag => `The tag "${tag}" makes no directive`,
    note: (_tag, known) => `If you meant "${known}", correct it.`,
  },
  'tag-reserved': {
    severity: 'info',
    reason: tag => `The tag "${tag}" is one of the library's`,
    note: 'Choose a tag that does not begin with "meta-".',
  },
  'tool-unreachable': {
    severity: 'info',
    reason: name => `"${name}" is hidden, and nothing that is shown or runs leads to it`,
    note: 'Refer to it where it is used, or remove it. A program that calls it by name is not seen here.',
  },
  'unknown-field': {
    severity: 'info',
    reason: field =>
      `"${field}" is not a field of agent-apps or of the specification; it is kept under \`extra\``,
    note: (field, place = '') =>
      place === ''
        ? 'Data of your own belongs under `metadata`.'
        : `Move it under \`${place}\`: only there does "${field}" mean anything.`,
  },
  'value-not-json': {
    severity: 'error',
    fatal: true,
    reason: what => `JSON has no ${what}, so an index cannot store it`,
    note: 'Write it as a string or a finite number, or leave it out.',
  },
  'value-read-as-text': {
    severity: 'warning',
    reason: (field, written, type) =>
      `The ${field} ${JSON.stringify(written)} reads as ${type} in YAML; it was taken as text`,
    note: 'Put it in quotes, or run `agent-apps check --fix`.',
  },
  'variable-foreign': {
    severity: 'info',
    reason: variable => `${variable} is a variable of another host, and is left as written`,
    note: 'Write `${args.…}` for an argument of the call. If it is meant for the other host, leave it.',
  },
  'visibility-unknown': {
    severity: 'error',
    security: true,
    reason: value =>
      `Unknown visibility ${JSON.stringify(value)}; until it is corrected, the skill is hidden`,
    note: 'Use "hidden", or remove the key.',
  },
  'walk-limit': {
    severity: 'error',
    reason: limit => `The search stopped here, and skills may be missing: ${limit}`,
    note: 'Point the path at the folder of the skills, or add an `ignore` pattern.',
  },
  'yaml-alias': {
    severity: 'error',
    fatal: true,
    reason: alias => `The YAML alias ${alias} is not allowed: a few of them can grow to gigabytes`,
    note: 'Write the value out.',
  },
  'yaml-duplicate-key': {
    severity: 'error',
    fatal: true,
    reason: key => `The key "${key}" occurs twice in one mapping`,
    note: 'Remove one of the two.',
  },
  'yaml-merge-key': {
    severity: 'error',
    fatal: true,
    reason: () => 'The YAML merge key "<<" is not allowed',
    note: 'Write the keys out.',
  },
  'yaml-syntax': {
    severity: 'error',
    fatal: true,
    reason: problem => `The frontmatter is not valid YAML: ${problem}`,
    note: (problem, hint = '') => {
      if (hint !== '') return hint
      return /\btabs?\b/.test(problem)
        ? 'Indent with spaces: YAML takes no tabs there.'
        : 'Correct the line. A value that contains ": ", " #" or begins with a special character needs quotes.'
    },
  },
  'yaml-tag': {
    severity: 'error',
    fatal: true,
    reason: tag => `The YAML tag ${tag} is not allowed: frontmatter is plain data`,
    note: 'Remove the tag.',
  },
  'yaml-too-deep': {
    severity: 'error',
    fatal: true,
    reason: () => `The frontmatter nests deeper than ${limits.frontmatterDepth} levels`,
    note: 'Flatten it.',
  },
  'yaml-too-many-keys': {
    severity: 'error',
    fatal: true,
    reason: () => `The frontmatter has more than ${limits.frontmatterKeys} keys`,
    note: 'Move the data into a file beside the skill.',
  },
} satisfies Record<string, Rule>

export type RuleName = keyof typeof RULES

export function isRuleName(name: string): name is RuleName {
  return Object.hasOwn(RULES, name)
}

export interface Place {
  /** From 1. */
  line: number
  /** In UTF-16 units, from 1. */
  column: number
}

export const FILE_START: Place = { line: 1, column: 1 }

/** A rule that a file breaks, the place, and the arguments of the rule's message. */
export interface Finding {
  rule: RuleName
  place: Place
  found: string[]
}

export function finding(rule: RuleName, place: Place, ...found: string[]): Finding {
  return { rule, place, found }
}

/** True where a skill with this fault does not load. */
export function isFatal({ rule }: Finding): boolean {
  return 'fatal' in RULES[rule]
}

export function severityOf({ rule, found }: Finding): Severity {
  const { severity }: Rule = RULES[rule]
  return typeof severity === 'function' ? severity(...found) : severity
}

export function toDiagnostic(file: string, finding: Finding): Diagnostic {
  const { rule, place, found } = finding
  const { fatal, reason, note }: Rule = RULES[rule]
  return {
    file,
    line: place.line,
    column: place.column,
    rule,
    severity: severityOf(finding),
    reason: reason(...found),
    note: typeof note === 'string' ? note : note(...found),
    ...(fatal && { fatal }),
  }
}

/** The counterpart of `toDiagnostic`; null if the values cannot be read from the messages. */
export function findingOf({ file, rule, line, column, reason, note }: Diagnostic): Finding | null {
  if (!isRuleName(rule)) return null
  const known: Rule = RULES[rule]
  const [before = '', after = ''] = known.reason('\0').split('\0')
  const message = reason.slice(before.length, reason.length - after.length)
  const found = typeof known.note === 'string' ? [message] : [message, note]
  const made = finding(rule, { line, column }, ...found)
  const again = toDiagnostic(file, made)
  return again.reason === reason && again.note === note ? made : null
}

/** Makes a diagnostic that is fatal although its rule is not: the fault keeps this skill from loading. */
export function brokenDiagnostic(file: string, finding: Finding): Diagnostic {
  return { ...toDiagnostic(file, finding), fatal: true }
}

/**
 * A diagnostic in the form that `unified` uses. `fatal` is true where the skill does not load; `severity`
 * gives the severity.
 */
export type Message = VFileMessage & { severity: Severity }

/** True for a message about a consequence of another skill's fault, which has its own message. */
export function isFollowUp({ ruleId = '' }: Message): boolean {
  return 'follows' in (RULES[ruleId as RuleName] ?? {})
}

/** Makes a diagnostic of the plain fields of a message, for a list or for JSON. */
export function fromMessage(message: Message): Diagnostic {
  return {
    file: message.file ?? '',
    line: message.line ?? 1,
    column: message.column ?? 1,
    rule: message.ruleId ?? '',
    severity: message.severity,
    reason: message.reason,
    note: message.note ?? '',
    ...(message.fatal && { fatal: true }),
  }
}
