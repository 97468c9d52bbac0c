// A checkpointer of LangGraph that keeps its threads in a file, for an example that goes on in another process.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import { MemorySaver } from '@langchain/langgraph'

export class FileSaver extends MemorySaver {
  constructor(file) {
    super()
    this.file = file
    if (existsSync(file)) Object.assign(this, deserialize(readFileSync(file)))
  }

  async put(...given) {
    const config = await super.put(...given)
    this.#write()
    return config
  }

  async putWrites(...given) {
    await super.putWrites(...given)
    this.#write()
  }

  #write() {
    const { storage, writes } = this
    writeFileSync(this.file, serialize({ storage, writes }))
  }
}
