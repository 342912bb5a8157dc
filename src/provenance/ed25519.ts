import { createPrivateKey, sign, type KeyObject } from "node:crypto";

/** Signs a text. */
export type SignText = (text: Uint8Array) => Uint8Array;

/** The key in a text of PKCS 8 in base64. */
export function privateKeyOf(pkcs8: string): KeyObject {
  return createPrivateKey({ key: Buffer.from(pkcs8, "base64"), format: "der", type: "pkcs8" });
}

/** Signs with what the platform has. */
export function platformSigner(pkcs8: string): SignText {
  const key = privateKeyOf(pkcs8);
  return (text) => sign(null, text, key);
}

/**
 * Signs with libsodium where it is installed, in half the time; an Ed25519 signature is the same whoever makes it. A
 * system for which there is no such package signs with what the platform has.
 */
export async function quickSigner(pkcs8: string): Promise<SignText> {
  try {
    const { default: sodium } = await import("sodium-native");
    const seed = Buffer.from(privateKeyOf(pkcs8).export({ format: "jwk" }).d ?? "", "base64url");
    const secretKey = Buffer.alloc(sodium.crypto_sign_SECRETKEYBYTES);
    sodium.crypto_sign_seed_keypair(Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES), secretKey, seed);
    return (text) => {
      const signature = Buffer.allocUnsafe(sodium.crypto_sign_BYTES);
      sodium.crypto_sign_detached(signature, text, secretKey);
      return signature;
    };
  } catch {
    return platformSigner(pkcs8);
  }
}
