// What every process costs before it does anything.
export {}
