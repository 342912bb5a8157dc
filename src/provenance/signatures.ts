import { bytesOfBase64 } from "../kernel/bytes.ts";
import { sha256Hex } from "../kernel/canonical-json.ts";

/*
 * What proofs need to know of signatures, without the platform that computes them: the service and the command line
 * have Node's crypto, the web app has WebCrypto.
 */

/** A key that signs: Ed25519, named by the digest of its public part. */
export interface Signer {
  readonly keyId: string;
  sign(bytes: Uint8Array): string;
}

/** Is this the signature (base64) of these bytes under this public key (base64 SPKI)? False for anything malformed. */
export type SignatureCheck = (
  publicKey: string,
  bytes: Uint8Array<ArrayBuffer>,
  signature: string,
) => boolean;

/** The name of a public key: `ed25519:` and the first 16 bytes of the SHA-256 of its SPKI form. */
export function keyIdOf(publicKey: string): string {
  return `ed25519:${sha256Hex(bytesOfBase64(publicKey) ?? new Uint8Array()).slice(0, 32)}`;
}
