// Loaded before a script: says, when that ends, how much memory it took at most, in kB.
process.on('exit', () => console.log(process.resourceUsage().maxRSS))
