import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { platformSigner, quickSigner } from "./ed25519.ts";
import { newSigningKey, verifySignature } from "./signing.ts";

test("whoever signs, the signature is the same", async () => {
  const { privateKey, publicKey } = newSigningKey("2026-11-16T00:00:00.000Z");
  const [platform, quick] = [platformSigner(privateKey), await quickSigner(privateKey)];
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (text) => {
      const signature = Buffer.from(quick(text));
      assert.deepEqual(signature, Buffer.from(platform(text)));
      assert.ok(verifySignature(publicKey, text, signature.toString("base64")));
    }),
  );
});

test("a key that is none is refused", async () => {
  await assert.rejects(quickSigner("AAAA"));
});
