// Compiles directories; with --check it only says what a compile would write.
import { compile } from 'agent-apps/compiler'

const paths = process.argv.slice(2).filter(argument => argument !== '--check')
await compile({ paths, check: process.argv.includes('--check') })
