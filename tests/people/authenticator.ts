import { createHash, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../support/json.ts";

/*
 * A passkey in software, as a browser and an authenticator make it together: enough of WebAuthn to answer our options,
 * honestly or not.
 */

/** What a test wants to be wrong. */
export interface Twist {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly counter?: number;
  /** User present and verified by default. */
  readonly flags?: number;
  readonly userHandle?: string;
}

const PRESENT_AND_VERIFIED = 0x05;
const ATTESTED = 0x40;

/** One credential of a device. */
export class SoftPasskey {
  readonly #key: KeyObject;
  readonly #public: { readonly x: Buffer; readonly y: Buffer };
  readonly #origin: string;
  readonly id = Buffer.from(crypto.getRandomValues(new Uint8Array(16)));
  userHandle = "";
  counter = 0;

  constructor(origin: string) {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    this.#key = privateKey;
    this.#public = { x: Buffer.from(x, "base64url"), y: Buffer.from(y, "base64url") };
    this.#origin = origin;
  }

  /** Answers creation options. */
  create(options: JsonObject, twist: Twist = {}) {
    this.userHandle = textAt(options, "user", "id");
    const cose = Buffer.concat([
      Buffer.from("a5010203262001215820", "hex"),
      this.#public.x,
      Buffer.from("225820", "hex"),
      this.#public.y,
    ]);
    const length = Buffer.from([this.id.length >> 8, this.id.length & 255]);
    const data = Buffer.concat([
      this.#head(textAt(options, "rp", "id"), twist, ATTESTED),
      Buffer.alloc(16),
      length,
      this.id,
      cose,
    ]);
    const attestation = Buffer.concat([
      Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746158", "hex"),
      Buffer.from([data.length]),
      data,
    ]);
    return this.#credential({
      clientDataJSON: this.#client("webauthn.create", textAt(options, "challenge"), twist).toString(
        "base64url",
      ),
      attestationObject: attestation.toString("base64url"),
      transports: ["internal"],
    });
  }

  /** Answers request options. */
  get(options: JsonObject, twist: Twist = {}) {
    this.counter = twist.counter ?? this.counter + 1;
    const data = this.#head(textAt(options, "rpId"), twist, 0);
    const client = this.#client("webauthn.get", textAt(options, "challenge"), twist);
    const signed = Buffer.concat([data, createHash("sha256").update(client).digest()]);
    return this.#credential({
      clientDataJSON: client.toString("base64url"),
      authenticatorData: data.toString("base64url"),
      signature: sign("sha256", signed, this.#key).toString("base64url"),
      userHandle: twist.userHandle ?? this.userHandle,
    });
  }

  #head(rpId: string, twist: Twist, more: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(twist.counter ?? this.counter);
    return Buffer.concat([
      createHash("sha256")
        .update(twist.rpId ?? rpId)
        .digest(),
      Buffer.from([(twist.flags ?? PRESENT_AND_VERIFIED) | more]),
      counter,
    ]);
  }

  #client(type: string, challenge: string, twist: Twist): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: twist.type ?? type,
        challenge: twist.challenge ?? challenge,
        origin: twist.origin ?? this.#origin,
        crossOrigin: false,
      }),
    );
  }

  #credential<T extends object>(response: T) {
    const id = this.id.toString("base64url");
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  }
}
