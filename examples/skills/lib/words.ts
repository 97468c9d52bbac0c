export function words(text: string): string[] {
  return text.match(/[\p{L}\p{N}'’-]+/gu) ?? []
}

export function sentences(text: string): string[] {
  return text.split(/(?<=[.!?])\s+/).filter(sentence => sentence.trim() !== '')
}
