import { hash, randomBytes } from "node:crypto";
import { newId, randomHex } from "../../kernel/ids.ts";

const SESSION_TOKEN = /^(ses_[0-9a-z]{26})\.([0-9a-f]{64})$/;
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const CODE_LENGTH = 16;
const CODES = 10;

/** What is kept of a token or a code: they are random, so a plain SHA-256 cannot be searched. */
export function digestOfToken(token: string): string {
  return `sha256:${hash("sha256", token, "hex")}`;
}

/** A token of a session: the id finds the row, 256 random bits prove it. */
export function newSessionToken(id: string = newId("ses")): { readonly id: string; readonly token: string } {
  return { id, token: `${id}.${randomHex(32)}` };
}

/** The session that a token names, or null when it is not one. */
export function sessionIdIn(token: string): string | null {
  return SESSION_TOKEN.exec(token)?.[1] ?? null;
}

/** The secret of a one-time link. */
export function newLinkToken(): string {
  return randomHex(32);
}

/** Ten codes of 79 random bits, in groups of four characters. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: CODES }, () => {
    let code = "";
    while (code.length < CODE_LENGTH) {
      for (const byte of randomBytes(CODE_LENGTH * 2)) {
        // 248 is a multiple of 31: bytes above it would make the first characters more likely.
        if (byte < 248 && code.length < CODE_LENGTH) code += ALPHABET.charAt(byte % ALPHABET.length);
      }
    }
    return code.replaceAll(/(.{4})(?!$)/g, "$1-");
  });
}

/** The digest of a code as a person typed it: case, spaces and dashes do not matter. */
export function digestOfCode(personId: string, typed: string): string {
  return digestOfToken(`${personId} ${typed.toLowerCase().replaceAll(/[\s-]/g, "")}`);
}
