// Imports what it is told to, one entry after the other.
for (const entry of process.argv.slice(2)) await import(entry)
