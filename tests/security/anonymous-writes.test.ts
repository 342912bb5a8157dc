import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { tidyUp } from "../../src/events/janitor.ts";
import { isObject } from "../../src/kernel/json.ts";
import { startService, type TestService } from "../support/service.ts";

const DAY_MS = 24 * 3_600_000;

function rowsOf(service: TestService): Record<string, number> {
  const file = service.app.services.settings.databaseUrl.replace(/^sqlite:/, "");
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    return Object.fromEntries(
      tables.map(({ name }) => {
        const row = database.prepare(`SELECT count(*) AS n FROM "${String(name)}"`).get();
        return [String(name), Number(row?.["n"])];
      }),
    );
  } finally {
    database.close();
  }
}

const render = async (service: TestService, field: string, key = false): Promise<string> => {
  const schema = { type: "object", properties: { [field]: { type: "string" } } };
  const { envelope, text } = await service.call("render_json_schema_form", { schema }, { key });
  assert.equal(envelope?.ok, true, text);
  return envelope.data.formId;
};
const isKept = async (service: TestService, id: string): Promise<boolean> =>
  (await service.app.services.store.read.forms.get(id)) !== null;

describe("what callers without a key leave behind", () => {
  it("is nothing but forms and their events, whatever tool or route they use", async () => {
    const service = await startService();
    try {
      // The first record that is signed makes the key.
      await service.call("render_mcp_tool_form", { toolName: "get_health" });
      const before = rowsOf(service);
      const { catalog, site } = service.app.services;
      let called = 0;
      for (const tool of catalog.tools) {
        const args = Object.entries(tool.input.properties).map(([name, schema]) => {
          const type = isObject(schema) ? schema["type"] : undefined;
          return [name, type === "object" ? { title: "x" } : type === "array" ? [] : "sample"] as const;
        });
        const required = args.filter(([name]) => (tool.input.required ?? []).includes(name));
        for (const given of [required, args, [...required, ["dryRun", false] as const]]) {
          await service.call(tool.name, Object.fromEntries(given));
          called += 1;
        }
      }
      assert.ok(called > 250);
      for (const { method, path } of site.routes) {
        if (method === "GET" || path === "/api/mcp") continue;
        const response = await service.fetch(path.replaceAll(/\{[^}]+\}/g, "x"), {
          method,
          headers: { "content-type": "application/json" },
          ...(method !== "DELETE" && { body: "{}" }),
        });
        await response.arrayBuffer();
      }
      const after = rowsOf(service);
      const grown = Object.keys(after).filter((name) => (after[name] ?? 0) > (before[name] ?? 0));
      const forms = (after["rendered_forms"] ?? 0) - (before["rendered_forms"] ?? 0);
      assert.ok(forms > 0 && forms < 10, `${forms} forms`);
      // Forms of this service's own tools are public and few: theirs are the provenance records. Attempts to sign in are
      // counted for each address and challenges live for minutes; both are deleted when their time is over.
      const allowed =
        /^(rendered_forms|events|event_\w+|provenance\w*|sqlite_\w+|sign_in_attempts|passkey_challenges)$/;
      assert.deepEqual(
        grown.filter((name) => !allowed.test(name)),
        [],
      );
      // The log only grows, so a form of a guest is not in it.
      const id = await render(service, "only_a_guest_has_this");
      assert.equal(await isKept(service, id), true);
      const { items } = await service.app.services.store.read.provenance.find(
        { subjectId: id },
        { limit: 5 },
      );
      assert.deepEqual(items, []);
    } finally {
      await service.close();
    }
  });

  it("is deleted a week after its last use; what has a key or is ours stays", async () => {
    let now = Date.parse("2026-03-01T10:00:00Z");
    const clock = { now: () => now };
    const service = await startService({ clock });
    try {
      const { store, settings } = service.app.services;
      const old = await render(service, "old");
      const used = await render(service, "used");
      const keyed = await render(service, "keyed", true);
      const { envelope } = await service.call("render_mcp_tool_form", { toolName: "get_health" });
      const own: string = envelope.data.formId;
      now += 6 * DAY_MS;
      await render(service, "used");
      now += 1.5 * DAY_MS;
      await tidyUp(store, clock, settings.anonymousForms);
      assert.equal(await isKept(service, old), false);
      for (const id of [used, keyed, own]) assert.equal(await isKept(service, id), true, id);
      const gone = await service.call("get_rendered_form", { id: old });
      assert.equal(gone.envelope.data.error.code, "not_found");
      now += 8 * DAY_MS;
      await tidyUp(store, clock, settings.anonymousForms);
      assert.equal(await isKept(service, used), false);
      for (const id of [keyed, own]) assert.equal(await isKept(service, id), true, id);
    } finally {
      await service.close();
    }
  });

  it("is bounded by settings; a key takes a form over with its provenance", async () => {
    const service = await startService({ settings: { anonymousForms: { perHour: 3, most: 2, days: 1 } } });
    try {
      const ids: string[] = [];
      for (const field of ["a", "b", "c", "d"]) ids.push(await render(service, field));
      const kept = await Promise.all(ids.map((id) => isKept(service, id)));
      assert.equal(kept.filter(Boolean).length, 2, JSON.stringify(kept));
      const at = kept.indexOf(true);
      const id = ids[at] ?? "";
      const records = async () =>
        (await service.app.services.store.read.provenance.find({ subjectId: id }, { limit: 5 })).items.length;
      assert.equal(await records(), 0);
      await render(service, ["a", "b", "c", "d"][at] ?? "", true);
      assert.equal(await records(), 1);
    } finally {
      await service.close();
    }
  });
});
