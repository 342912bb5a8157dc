import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { HmacKey } from "./hmac.ts";

test("gives what the platform's HMAC gives", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 64 }),
      fc.array(fc.string({ unit: "grapheme", maxLength: 200 })),
      (key, texts) => {
        const ours = new HmacKey(key);
        for (const text of texts) {
          assert.equal(ours.hex(text), createHmac("sha256", key).update(text).digest("hex"));
        }
      },
    ),
  );
});

test("refuses a key that would have to be hashed first", () => {
  assert.throws(() => new HmacKey(Buffer.alloc(65)), RangeError);
});
