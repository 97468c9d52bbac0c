// Imports the given entries, one after the other.
for (const entry of process.argv.slice(2)) await import(entry)
