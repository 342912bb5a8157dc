/*
 * Bytes as text without Buffer, for code that runs in a browser too. Only the one spelling that we write is read, so
 * that a changed letter is never forgiven.
 */

/** The bytes of lower-case hexadecimal text; null for anything else. */
export function bytesOfHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (text.length % 2 !== 0) return null;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    const [high, low] = [digitOf(text.charCodeAt(2 * i)), digitOf(text.charCodeAt(2 * i + 1))];
    if (high < 0 || low < 0) return null;
    bytes[i] = high * 16 + low;
  }
  return bytes;
}

/** The value of a hexadecimal digit by its character code, or -1. */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  return code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
}

/** The bytes of base64 text in its exact spelling; null for anything else. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return base64Of(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}

/** Bytes as base64 text. */
export function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
