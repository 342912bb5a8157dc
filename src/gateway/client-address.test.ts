import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClientFinder, IN_PROCESS, ProxyNotice } from "./client-address.ts";

const trusting = createClientFinder({ trustedProxies: ["10.0.0.0/8", "127.0.0.1", "fd00::/8"] });
const trustingNone = createClientFinder({ trustedProxies: [] });
const xff = (value: string) => ({ "x-forwarded-for": value });

describe("whom a request counts against", () => {
  it("is the other end of the connection, exempt when it is on this machine", () => {
    for (const remote of ["127.0.0.1", "::1", "::ffff:127.0.0.1", IN_PROCESS]) {
      assert.deepEqual(trusting(remote, {}), { address: remote, local: true });
      assert.deepEqual(trustingNone(remote, {}), { address: remote, local: true });
    }
    assert.deepEqual(trustingNone("203.0.113.5", {}), { address: "203.0.113.5", local: false });
  });

  it("is never exempt when a proxy passed it on", () => {
    for (const name of ["forwarded", "x-forwarded-for", "x-real-ip", "x-forwarded-proto", "via"]) {
      assert.equal(trustingNone("127.0.0.1", { [name]: "x" }).local, false, name);
      assert.equal(trusting("127.0.0.1", { [name]: "x" }).local, false, name);
    }
    assert.equal(trusting("10.0.0.1", xff("127.0.0.1")).local, false, "whatever the header says");
  });

  it("is not what a peer says that is not trusted", () => {
    for (const find of [trusting, trustingNone])
      assert.deepEqual(find("203.0.113.5", xff("198.51.100.1")), { address: "203.0.113.5", local: false });
  });

  it("is the first address from the right that is no trusted proxy", () => {
    const cases: readonly (readonly [string, string])[] = [
      ["198.51.100.1", "198.51.100.1"],
      ["192.0.2.66, 198.51.100.1", "198.51.100.1"],
      ["192.0.2.66, 198.51.100.1, 10.1.2.3,fd00::7", "198.51.100.1"],
      ["198.51.100.1:4711", "198.51.100.1"],
      ["[2001:DB8::1]:443", "2001:db8::1"],
      ["::ffff:198.51.100.1", "198.51.100.1"],
      ["10.4.5.6, 10.1.2.3", "10.4.5.6"],
      ["192.0.2.66, unknown, 10.1.2.3", "10.1.2.3"],
      ["nonsense", "10.0.0.1"],
      ["198.51.100.1,", "10.0.0.1"],
    ];
    for (const [header, address] of cases)
      assert.deepEqual(trusting("10.0.0.1", xff(header)), { address, local: false }, header);
    assert.equal(trusting("::ffff:10.0.0.1", xff("198.51.100.1")).address, "198.51.100.1");
  });

  it("behind a proxy that is not configured is noticed once, and reported", () => {
    const lines: string[] = [];
    const add = (line: string): void => void lines.push(line);
    const proxy = new ProxyNotice({ debug: add, info: add, warn: add, error: add });
    const finder = createClientFinder({ trustedProxies: [] }, proxy);
    finder("10.0.0.1", {});
    assert.equal(proxy.text, null);
    for (let n = 0; n < 3; n++) finder("10.0.0.1", xff("198.51.100.1"));
    assert.match(proxy.text ?? "", /SVC_TRUSTED_PROXIES is not set/);
    assert.deepEqual(lines, [proxy.text]);
    const named = new ProxyNotice({ debug: add, info: add, warn: add, error: add });
    createClientFinder({ trustedProxies: ["10.0.0.0/8"] }, named)("10.0.0.1", xff("198.51.100.1"));
    assert.equal(named.text, null);
  });

  it("is read from Forwarded too", () => {
    const cases: readonly (readonly [string, string])[] = [
      ["for=198.51.100.1", "198.51.100.1"],
      ['for=192.0.2.66, for="198.51.100.1:80";proto=https;by=10.0.0.1', "198.51.100.1"],
      ['proto=https;For="[2001:db8::1]:4711"', "2001:db8::1"],
      ["for=198.51.100.1, for=10.1.2.3", "198.51.100.1"],
      ["for=_hidden", "10.0.0.1"],
      ["for=198.51.100.1, proto=https", "10.0.0.1"],
    ];
    for (const [header, address] of cases)
      assert.deepEqual(trusting("10.0.0.1", { forwarded: header }), { address, local: false }, header);
  });

  it("is the proxy where the two headers contradict each other: a client may have written one of them", () => {
    const both = { ...xff("198.51.100.1"), forwarded: "for=192.0.2.66" };
    assert.deepEqual(trusting("10.0.0.1", both), { address: "10.0.0.1 forwarded", local: false });
    const same = { ...xff("198.51.100.1"), forwarded: "for=198.51.100.1" };
    assert.equal(trusting("10.0.0.1", same).address, "198.51.100.1");
  });
});
