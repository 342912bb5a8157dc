import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { hmacSha256 } from "./hmac.ts";

test("gives what the platform's HMAC gives", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.string({ unit: "grapheme" }), (bytes, text) => {
      const key = Buffer.from(bytes);
      assert.equal(hmacSha256(key, text), createHmac("sha256", key).update(text).digest("hex"));
    }),
  );
});

test("refuses a key that would have to be hashed first", () => {
  assert.throws(() => hmacSha256(Buffer.alloc(65), "x"), RangeError);
});
