import { render } from 'preact'
import { App } from './app.js'
import { blocksInDocument, blocksOfServer, isWhole } from './data/blocks.js'
import { followServer, openSession } from './data/server.js'
import { openStore } from './data/store.js'
import './styles.css'

async function show(): Promise<void> {
  const root = document.getElementById('page')
  if (!root) return
  if (isWhole()) openStore(blocksInDocument())
  else {
    await openSession()
    openStore(blocksOfServer())
    followServer()
  }
  root.textContent = ''
  render(<App />, root)
}

void show()
