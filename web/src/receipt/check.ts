import { isProof, isReceipt } from "#provenance/proof-shape.ts";
import type { SigningKeyView } from "#model/provenance.ts";
import { verifyProof, type ProofBundle, type Verdicts } from "#provenance/proof.ts";
import { verifyReceipt, type ReceiptVerdicts, type RunReceipt } from "#provenance/receipt.ts";
import type { SignatureCheck } from "#provenance/signatures.ts";
import { bytesOfBase64 } from "#kernel/bytes.ts";
import { sha256Hex } from "#kernel/canonical-json.ts";
import { at } from "../lib/read.ts";

/** A file that was read and checked: a receipt of a run, a proof of one record, or neither with the reason. */
export type Checked =
  | { readonly kind: "receipt"; readonly receipt: RunReceipt; readonly verdicts: ReceiptVerdicts }
  | { readonly kind: "proof"; readonly proof: ProofBundle; readonly verdicts: Verdicts }
  | { readonly kind: "refused"; readonly reason: string };

/** Reads a file's text and checks what it holds, in this page and without the network. */
export async function checkText(text: string, trustedKeys?: readonly SigningKeyView[]): Promise<Checked> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "refused", reason: "The file is not JSON. It may be cut off or changed." };
  }
  const trust = trustedKeys === undefined ? {} : { trustedKeys };
  const given = [value, at(value, "proof"), at(value, "data", "receipt")];
  const receipt = given.find(isReceipt);
  const proof = given.find(isProof);
  try {
    if (receipt !== undefined) {
      const verdicts = await withWebCrypto((check) => verifyReceipt(receipt, trust, check));
      return { kind: "receipt", receipt, verdicts };
    }
    if (proof !== undefined) {
      return {
        kind: "proof",
        proof,
        verdicts: await withWebCrypto((check) => verifyProof(proof, trust, check)),
      };
    }
  } catch (error) {
    return {
      kind: "refused",
      reason: error instanceof Error ? error.message : "The file could not be checked.",
    };
  }
  return {
    kind: "refused",
    reason: "The file is neither a receipt of a run nor a proof of a record, or a part of it is missing.",
  };
}

/**
 * WebCrypto answers later, the verifier asks at once: a first pass finds out which signatures it asks for, they are
 * checked, and the second pass gets the answers.
 */
async function withWebCrypto<T>(verify: (check: SignatureCheck) => T): Promise<T> {
  const asked = new Map<string, Parameters<SignatureCheck>>();
  verify((...given) => {
    asked.set(nameOf(given), given);
    return true;
  });
  const answers = new Map<string, boolean>();
  await Promise.all(Array.from(asked, async ([name, given]) => answers.set(name, await isSigned(given))));
  return verify((...given) => answers.get(nameOf(given)) === true);
}

function nameOf([publicKey, bytes, signature]: Parameters<SignatureCheck>): string {
  return `${publicKey} ${signature} ${sha256Hex(bytes)}`;
}

async function isSigned([publicKey, bytes, signature]: Parameters<SignatureCheck>): Promise<boolean> {
  const [spki, sig] = [bytesOfBase64(publicKey), bytesOfBase64(signature)];
  if (spki === null || sig === null) return false;
  if (!isSecureContext)
    throw new Error(
      "This browser checks signatures only on pages that were opened over https, or on this machine. Open the page there, or use suitectl provenance verify FILE.",
    );
  try {
    const { algorithm, fixed } = algorithmOf(publicKey, sig);
    const key = await crypto.subtle.importKey("spki", spki, algorithm, false, ["verify"]);
    return await crypto.subtle.verify(algorithm, key, fixed, bytes);
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotSupportedError")
      throw new Error(
        "This browser cannot check Ed25519 signatures. Use a newer one, or suitectl provenance verify FILE.",
        { cause: error },
      );
    return false;
  }
}

/* How the SPKI form of a key begins, in base64. */
const ED25519 = "MCowBQYDK2VwAyEA";
const P256 = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD";

/** What WebCrypto calls the algorithm of a key, and the signature as it wants it. Passkeys have all three. */
function algorithmOf(publicKey: string, signature: Uint8Array<ArrayBuffer>) {
  if (publicKey.startsWith(ED25519)) return { algorithm: { name: "Ed25519" }, fixed: signature };
  if (publicKey.startsWith(P256))
    return {
      algorithm: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
      fixed: plainEcdsa(signature),
    };
  return { algorithm: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }, fixed: signature };
}

/** The two numbers of an ECDSA signature in 32 bytes each, out of their DER form. */
function plainEcdsa(der: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const plain = new Uint8Array(64);
  let at = 2;
  for (const end of [32, 64]) {
    const length = der[at + 1] ?? 0;
    const number = der.slice(at + 2, at + 2 + length);
    const digits = number.length > 32 ? number.subarray(number.length - 32) : number;
    plain.set(digits, end - digits.length);
    at += 2 + length;
  }
  return plain;
}
