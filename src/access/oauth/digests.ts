import { hash } from "node:crypto";

/** What is kept of a token, a code or a cookie: they are random, so a plain SHA-256 cannot be searched. */
export function digestOfSecret(secret: string): string {
  return `sha256:${hash("sha256", secret, "hex")}`;
}

/** The digest of a code as a person typed it: case, spaces and dashes do not matter. */
export function digestOfUserCode(typed: string): string {
  return digestOfSecret(`user code ${typed.toUpperCase().replaceAll(/[^0-9A-Z]/g, "")}`);
}
