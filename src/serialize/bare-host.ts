/**
 * Replacements for the host's globals that the serializer uses, for an environment with only the language.
 */

const host: { URL?: unknown; atob?: typeof globalThis.atob; btoa?: typeof globalThis.btoa } = globalThis

/** The URL class; one that parses nothing on a host without it. */
export const URL = host.URL ?? Object.assign(function NoUrl() {}, { canParse: () => false })

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

export const btoa =
  host.btoa ??
  ((bytes: string): string => {
    let text = ''
    for (let at = 0; at < bytes.length; at += 3) {
      const [a = 0, b = 0, c = 0] = [at, at + 1, at + 2].map(index => bytes.charCodeAt(index))
      const group = (a << 16) | (b << 8) | c
      for (const shift of [18, 12, 6, 0]) text += DIGITS.charAt((group >> shift) & 63)
    }
    const padding = (3 - (bytes.length % 3)) % 3
    return text.slice(0, text.length - padding) + '='.repeat(padding)
  })

export const atob =
  host.atob ??
  ((text: string): string => {
    let bytes = ''
    for (let at = 0; at < text.length; at += 4) {
      let group = 0
      for (const digit of text.slice(at, at + 4)) group = (group << 6) | (DIGITS.indexOf(digit) & 63)
      bytes += String.fromCharCode(group >> 16, (group >> 8) & 255, group & 255)
    }
    return bytes.slice(0, bytes.length - (text.split('=').length - 1))
  })
