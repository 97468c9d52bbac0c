import { afterAll } from 'vitest'
import { removeTemporary } from './temporary.js'

// Test files share a process and its modules, so a module that they import cannot register this for each of them.
afterAll(removeTemporary)
