import { inflateRawSync } from 'node:zlib'
import {
  DETAILS_PER_BLOCK,
  detailsBlock,
  type PageRows,
  type SkillDetails,
} from '../../cli/explore/page-data.js'

/** The blocks of a page that `agent-apps explore` wrote. */
export class ExploredPage {
  readonly blocks: ReadonlyMap<string, Buffer>

  constructor(readonly html: string) {
    const elements = html.matchAll(
      /<script type="application\/octet-stream" data-block="([\w-]+)">([\w+/=]*)<\/script>/g,
    )
    this.blocks = new Map(
      [...elements].map(([, name = '', text = '']) => [name, inflateRawSync(Buffer.from(text, 'base64'))]),
    )
  }

  read<Value>(block: string): Value {
    return JSON.parse(String(this.blocks.get(block)))
  }

  get rows(): PageRows {
    return this.read('rows')
  }

  details(name: string): SkillDetails | undefined {
    const row = this.rows.rows.findIndex(one => one.name === name)
    return this.read<SkillDetails[]>(detailsBlock(row))[row % DETAILS_PER_BLOCK]
  }
}
