import { render } from 'preact'
import { App } from './app.js'
import { blocksInDocument } from './data/blocks.js'
import { openStore } from './data/store.js'
import './styles.css'

const root = document.getElementById('page')
if (root) {
  openStore(blocksInDocument())
  root.textContent = ''
  render(<App />, root)
}
