import assert from "node:assert/strict";
import { it } from "node:test";
import { networkOf } from "./network.ts";

it("a host of IPv6 counts once, whichever of its addresses it sends from", () => {
  for (const address of [
    "2001:db8:1:2::1",
    "2001:DB8:1:2:ffff::",
    "2001:0db8:0001:0002:1:2:3:4",
    "2001:db8:1:2::",
  ])
    assert.equal(networkOf(address), "2001:db8:1:2::/64", address);
  assert.equal(networkOf("2001:db8::1"), "2001:db8:0:0::/64");
  assert.equal(networkOf("fe80::1%eth0"), "fe80:0:0:0::/64");
});

it("every other address is its own", () => {
  for (const address of [
    "203.0.113.5",
    "::ffff:203.0.113.5",
    "::ffff:cb00:7105",
    "in-process",
    "127.0.0.1 forwarded",
    "",
  ])
    assert.equal(networkOf(address), address);
});
