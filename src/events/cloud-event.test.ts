import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { ANONYMOUS, type Caller, type Scope } from "../ports/caller.ts";
import type { EventRecord } from "../ports/records.ts";
import { EVENT_TYPES, eventType } from "./catalogue.ts";
import { cloudEvent, matchesType, seesAll } from "./cloud-event.ts";

const EVENT: EventRecord = {
  sequence: 7,
  id: "event_1",
  type: "svc.run.failed",
  subject: "run_1",
  time: "2026-01-01T00:00:00.000Z",
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  data: { id: "run_1", secret: "s" },
  publicData: { id: "run_1" },
  madeIn: null,
};

const withScopes = (...scopes: Scope[]): Caller => ({ kind: "key", id: "k", scopes: new Set(scopes) });

describe("the table of events", () => {
  it("has each name once", () => {
    assert.equal(new Set(EVENT_TYPES.map(({ type }) => type)).size, EVENT_TYPES.length);
    for (const { type } of EVENT_TYPES) assert.match(type, /^svc\.[a-z]+\.[a-z_]+$/);
    assert.equal(eventType("svc.run.failed")?.type, "svc.run.failed");
    assert.equal(eventType("svc.run.exploded"), undefined);
  });

  it("has every name that the code writes", () => {
    const named = new Map<string, string>();
    for (const file of globSync("src/**/*.ts")) {
      if (file.endsWith(".test.ts") || file.includes("events/")) continue;
      for (const [, type] of readFileSync(file, "utf8").matchAll(/"(svc\.[a-z]+\.[a-z_]+)"/g)) {
        named.set(type ?? "", file);
      }
    }
    assert.ok(named.size > 5);
    const unknown = [...named].filter(([type]) => eventType(type) === undefined);
    assert.deepEqual(unknown, []);
  });
});

describe("a CloudEvent", () => {
  it("has the attributes that the specification requires", () => {
    assert.deepEqual(cloudEvent(EVENT, "https://svc.example/api/svc", "all"), {
      specversion: "1.0",
      id: "event_1",
      source: "https://svc.example/api/svc",
      type: "svc.run.failed",
      subject: "run_1",
      time: "2026-01-01T00:00:00.000Z",
      datacontenttype: "application/json",
      sequence: "0000000000000007",
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      data: { id: "run_1", secret: "s" },
    });
  });

  it("shows strangers its public part or nothing", () => {
    assert.deepEqual(cloudEvent(EVENT, "s", "public")?.["data"], { id: "run_1" });
    assert.equal(cloudEvent({ ...EVENT, publicData: null }, "s", "public"), null);
  });

  it("is shown whole to keys whose scope fits", () => {
    assert.equal(seesAll(ANONYMOUS, "svc.run.failed"), false);
    assert.equal(seesAll(withScopes("run"), "svc.run.failed"), false);
    assert.equal(seesAll(withScopes("approve"), "svc.approval.requested"), false);
    assert.equal(seesAll(withScopes("write"), "svc.workflow.created"), false);
    assert.equal(seesAll(withScopes("handoff"), "svc.handoff.accepted"), true);
    assert.equal(seesAll(withScopes("run"), "svc.handoff.accepted"), false);
    assert.equal(seesAll(withScopes("read-private"), "svc.handoff.accepted"), true);
    assert.equal(seesAll(withScopes("admin"), "svc.policy.updated"), true);
    assert.equal(seesAll(withScopes("approve", "write"), "svc.policy.updated"), false);
  });
});

describe("a pattern", () => {
  it("names one event, a family or all", () => {
    assert.equal(matchesType(["*"], "svc.run.failed"), true);
    assert.equal(matchesType(["svc.run.*"], "svc.run.failed"), true);
    assert.equal(matchesType(["svc.run.*"], "svc.runner.failed"), false);
    assert.equal(matchesType(["svc.run.failed"], "svc.run.failed"), true);
    assert.equal(matchesType(["svc.run"], "svc.run.failed"), false);
    assert.equal(matchesType([], "svc.run.failed"), false);
  });
});
