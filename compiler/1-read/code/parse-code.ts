import { hash } from 'node:crypto'
import { toolNameProblem } from '../../../src/skill/names.js'
import { inOrder } from '../../../src/skill/reference.js'
import { readFrontmatter } from '../../../src/skill/role-meant.js'
import { FILE_START, type Finding, finding, isFatal, type Place } from '../../diagnostics/diagnostics.js'
import type { Locator } from '../../diagnostics/source-text.js'
import { fallbackName } from '../../records/walked.js'
import { checkFrontmatter, hasDelegate, pathText, seemsMain } from '../frontmatter/check-frontmatter.js'
import { frontmatterReferences } from '../frontmatter/frontmatter-references.js'
import { decode } from '../markdown/decode.js'
import { nothingParsed, type ParsedFile } from '../markdown/parse-file.js'
import type { CodeTool } from './exported-tools.js'
import type { ReadModule } from './read-module.js'

/** Reads a code file's tools without running it: its default export, and exports made with `defineTool`. */
export async function parseCode(bytes: Buffer, path: string): Promise<ParsedFile> {
  const parsed = nothingParsed(hash('sha256', bytes), bytes.length)
  const decoded = decode(bytes)
  // Loading the parser of code takes longer than reading a hundred Markdown files.
  const { readModule } = await import('./read-module.js')
  const read = 'rule' in decoded ? decoded : await readModule(decoded.text.replace(/^\uFEFF/, ''), path)
  if ('rule' in read) addBroken(parsed, read, fileName(path))
  else if (read.module.tools.length === 0) addBroken(parsed, finding('no-tool', FILE_START), fileName(path))
  else for (const tool of read.module.tools) addTool(parsed, tool, read, path)
  const [fault] = parsed.findings.filter(isFatal)
  if (fault && seemsMain(bytes.toString('latin1'))) parsed.findings.push(finding('main-broken', fault.place))
  return parsed
}

function addTool(parsed: ParsedFile, tool: CodeTool, { module, placeOf }: ReadModule, path: string): void {
  const { frontmatter: verbatim, exported } = tool
  const place = placeOf(tool.offset)
  const ofFile = exported === 'default' ? fileName(path) : null
  const name = verbatim.name ?? (tool.isBare ? ofFile : null)
  if (typeof name !== 'string') {
    addBroken(parsed, namelessFault(tool, placeOf), ofFile)
    return
  }
  if (tool.isBare) parsed.findings.push(finding('name-from-file', place, name))
  const problem = toolNameProblem(name)
  if (problem !== null) {
    addBroken(parsed, finding('name-invalid', place, name, problem), null)
    return
  }
  const [fault] = tool.problems
  if (fault) {
    addBroken(parsed, finding(fault.rule, placeOf(fault.offset), ...fault.found), name)
    return
  }
  const description = typeof verbatim.description === 'string' ? verbatim.description : undefined
  const isDynamic = (field: string): boolean => tool.dynamic.some(one => field.startsWith(one.path))
  const at = locatorOf(tool, placeOf)
  const findings = checkFrontmatter(verbatim, { kind: 'code', name, description }, at)
  // A rule about a value cannot be checked while part of the value is known only when the file runs.
  const isPart = ({ rule, found: [part] }: Finding): boolean =>
    (rule === 'description-missing' && isDynamic('description')) ||
    (rule === 'tag-idle' && isDynamic('metadata.role')) ||
    ((rule === 'schema-invalid' || rule === 'default-refused') &&
      (isDynamic(`metadata.${part}`) || tool.dynamic.some(one => one.path.startsWith(`metadata.${part}`))))
  parsed.findings.push(...findings.filter(one => !isPart(one)))
  parsed.tools.push({
    name,
    place,
    ...(hasDelegate(verbatim) && { delegatePlace: at.value('metadata', 'delegate') }),
    verbatim,
    at,
    references: inOrder(frontmatterReferences(verbatim, at)),
    record: {
      exported,
      file: path,
      ...(module.tools.length > 1 && { fragment: name }),
      frontmatter: readFrontmatter(verbatim, { kind: 'code', name }),
      kind: 'code',
      size: parsed.size,
    },
    code: {
      exported,
      dynamic: tool.dynamic.map(one =>
        finding('metadata-dynamic', placeOf(one.offset), one.path || 'frontmatter'),
      ),
      hasEffects: module.hasEffects,
    },
  })
}

function fileName(path: string): string | null {
  return fallbackName({ path, kind: 'code', folderName: '' })
}

/** The fault of a tool whose name is missing or not known. */
function namelessFault({ dynamic, problems, offset }: CodeTool, placeOf: ReadModule['placeOf']): Finding {
  const noTool = problems.find(({ rule }) => rule === 'no-tool')
  if (noTool) return finding('no-tool', placeOf(noTool.offset), ...noTool.found)
  const isWritten = dynamic.some(one => one.path === 'name' || one.path === '')
  return isWritten
    ? finding('name-not-literal', placeOf(offset))
    : finding('name-missing', placeOf(offset), 'code')
}

function locatorOf({ offsets, offset }: CodeTool, placeOf: (offset: number) => Place): Locator {
  const find = (...path: (string | number)[]): Place => {
    for (let length = path.length; length > 0; length--) {
      const found = offsets.get(pathText(path.slice(0, length)))
      if (found !== undefined) return placeOf(found)
    }
    return placeOf(offset)
  }
  return { key: find, value: find, within: (_text, _offset, ...path) => find(...path) }
}

function addBroken(parsed: ParsedFile, why: Finding, name: string | null): void {
  parsed.findings.push(why)
  if (name !== null && isFatal(why)) parsed.broken.push({ name, finding: why })
}
