/* Long on purpose: the one suite that both databases must pass. Splitting it would let one of them skip a part. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import fc from "fast-check";
import { AppError, type ErrorCode } from "../../src/kernel/errors.ts";
import { newId } from "../../src/kernel/ids.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import type { HandoffState, NewEvent, RunRecord } from "../../src/ports/records.ts";
import type { Page, PageRequest, RunFilter, Store, StoreTx } from "../../src/ports/store.ts";
import type { TriggerRecord } from "../../src/ports/triggers.ts";
import { credentialSuite } from "./credentials.testsuite.ts";
import { connectionSuite } from "./connections.testsuite.ts";
import { auditSuite } from "./audit.testsuite.ts";
import { oauthSuite } from "./oauth.testsuite.ts";
import { peopleSuite } from "./people.testsuite.ts";
import {
  AT,
  DIGEST,
  DOCUMENT,
  PROOF,
  sampleApproval,
  sampleArtifact,
  sampleDelivery,
  sampleHandoff,
  sampleLeaf,
  sampleRun,
  sampleStep,
  sampleWebhook,
  sampleWorkflow,
} from "./store.samples.ts";

/** A new, empty store and a way to open the same data again. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Another store over the same database, as another process would have. */
  reopen(): Promise<Store>;
  cleanUp(): Promise<void>;
}

/** What every store must do, whatever database is under it. */
export function storeSuite(name: string, open: () => Promise<StoreUnderTest>): void {
  const check = (title: string, body: (store: Store, under: StoreUnderTest) => Promise<void>): void => {
    it(title, async () => {
      const under = await open();
      try {
        await body(under.store, under);
      } finally {
        await under.cleanUp();
      }
    });
  };

  credentialSuite(name, check);
  peopleSuite(name, check);
  oauthSuite(name, check);
  auditSuite(name, check);

  describe(`${name}: transactions`, () => {
    check("keep all or nothing, and what they keep survives", async (store, under) => {
      const kept = sampleWorkflow();
      const lost = sampleWorkflow();
      await store.transact((tx) => tx.workflows.insert(kept));
      const failed = store.transact(async (tx) => {
        await tx.workflows.insert(lost);
        await tx.events.append([event("svc.workflow.created", lost.id)]);
        throw new AppError("conflict", "no");
      });
      await refused(failed, "conflict");
      await store.close();
      const again = await under.reopen();
      assert.deepEqual(await again.read.workflows.get(kept.id), kept);
      assert.equal(await again.read.workflows.get(lost.id), null);
      assert.deepEqual(await again.read.events.bounds(), { first: 0, last: 0 });
      await again.close();
    });

    check("that arrive together stand or fall each for itself", async (store) => {
      const results = await Promise.allSettled(
        Array.from({ length: 60 }, (_, index) =>
          store.transact(async (tx) => {
            await tx.templates.insert(template(`t${index}`));
            if (index % 3 === 0) throw new AppError("conflict", "undone");
            if (index % 7 === 0) await tx.templates.insert(template(`t${index}`));
            return index;
          }),
        ),
      );
      for (const [index, result] of results.entries()) {
        const fine = index % 3 !== 0 && index % 7 !== 0;
        assert.equal(result.status, fine ? "fulfilled" : "rejected", `transaction ${index}`);
        assert.equal((await store.read.templates.get(`t${index}`)) !== null, fine, `record ${index}`);
        if (result.status === "fulfilled") assert.equal(result.value, index);
      }
    });

    check("see what they wrote, and others see it after the commit", async (store) => {
      const workflow = sampleWorkflow();
      await store.transact(async (tx) => {
        await tx.workflows.insert(workflow);
        assert.deepEqual(await tx.workflows.get(workflow.id), workflow);
        assert.equal(await store.read.workflows.get(workflow.id), null);
        assert.match(await tx.now(), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      });
      assert.deepEqual(await store.read.workflows.get(workflow.id), workflow);
    });

    check("are worthless once they have ended", async (store) => {
      let leaked: StoreTx | undefined;
      await store.transact(async (tx) => {
        leaked = tx;
      });
      await assert.rejects(async () => leaked?.workflows.get("x"), /after it had ended/);
    });

    check("tell of an error even when nobody waited for the statement", async (store) => {
      const step = sampleStep("run_missing");
      await refused(
        store.transact(async (tx) => {
          await tx.runs.putSteps([step]);
          return "not reached by the caller";
        }),
        "conflict",
      );
    });

    check("are refused after close", async (store) => {
      await store.close();
      await refused(
        store.transact(async () => 1),
        "storage_unavailable",
      );
      await refused(store.read.workflows.get("x").then(String), "storage_unavailable");
      assert.equal((await store.status()).ready, false);
      await store.close();
    });
  });

  describe(`${name}: values`, () => {
    const hell: Readonly<Record<string, JsonObject>> = {
      "NUL and lone surrogates": {
        nul: "a\u0000b",
        high: "\ud800",
        low: "\udc00x",
        pair: "\u{1f600}",
        "k\u0000": 1,
      },
      "extreme numbers": {
        big: 1e308,
        small: 5e-324,
        max: Number.MAX_SAFE_INTEGER,
        beyond: 2 ** 53 + 2,
        tenth: 0.1,
      },
      "hostile keys": parsed(
        '{"__proto__": {"polluted": true}, "constructor": 1, "toString": null, "toJSON": "x"}',
      ),
      "a megabyte": { text: "\u00e4\u{1f600}x".repeat(262_144) },
      "500 levels": { deep: nested(500) },
      "empty things": { "": "", none: null, list: [], object: {} },
    };
    for (const [title, content] of Object.entries(hell)) {
      check(`${title} come back as they were`, async (store) => {
        const artifact = sampleArtifact({ content });
        await store.transact((tx) => tx.artifacts.insert(artifact));
        const stored = await store.read.artifacts.get(artifact.id);
        assert.equal(JSON.stringify(stored?.content), JSON.stringify(content));
        assert.equal(Reflect.get({}, "polluted"), undefined);
      });
    }

    const unfit: readonly (readonly [string, () => unknown, ErrorCode])[] = [
      ["infinite numbers", () => ({ a: Number.POSITIVE_INFINITY }), "invalid_input"],
      ["NaN", () => ({ a: [Number.NaN] }), "invalid_input"],
      ["dates", () => ({ a: new Date(0) }), "invalid_input"],
      ["functions", () => ({ a: () => 1 }), "invalid_input"],
      ["holes in a list", () => ({ a: [undefined] }), "invalid_input"],
      ["513 levels", () => ({ a: nested(513) }), "invalid_input"],
      ["17 million characters", () => ({ a: "x".repeat(17 * 1024 * 1024) }), "too_large"],
    ];
    check("that JSON or a column cannot hold are refused, not bent", async (store) => {
      for (const [title, make, code] of unfit) {
        const artifact = sampleArtifact();
        Reflect.set(artifact, "content", make());
        const insert = store.transact((tx) => tx.artifacts.insert(artifact));
        await refused(insert, code, title);
        assert.equal(await store.read.artifacts.get(artifact.id), null);
      }
      for (const title of ["a\u0000b", "\ud800", "x\udfff"]) {
        const insert = store.transact((tx) => tx.artifacts.insert(sampleArtifact({ title })));
        await refused(insert, "invalid_input", JSON.stringify(title));
      }
      await refused(
        store.transact((tx) => tx.workflows.insert(sampleWorkflow({ revision: 1.5 }))),
        "invalid_input",
      );
      await refused(store.read.workflows.get("a\u0000").then(String), "invalid_input");
    });

    check("of any JSON come back the same", async (store) => {
      await fc.assert(
        fc.asyncProperty(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), async (value) => {
          const content = parsed(JSON.stringify(value));
          const artifact = sampleArtifact({ content });
          await store.transact((tx) => tx.artifacts.insert(artifact));
          const stored = await store.read.artifacts.get(artifact.id);
          assert.equal(JSON.stringify(stored?.content), JSON.stringify(content));
        }),
        { numRuns: 60 },
      );
    });

    check("in text columns sort by code point and come back the same", async (store) => {
      const titles = ["z", "a", "Z", "\u00e9", "\u{1f600}", "'; DROP TABLE artifacts; --", "a\nb", " "];
      for (const title of titles) {
        const artifact = sampleArtifact({ title });
        await store.transact((tx) => tx.artifacts.insert(artifact));
        assert.equal((await store.read.artifacts.get(artifact.id))?.title, title);
      }
    });
  });

  describe(`${name}: lists`, () => {
    check("give every record once, newest first, whatever the page", async (store) => {
      const ids: string[] = [];
      await store.transact(async (tx) => {
        for (let index = 0; index < 25; index++) {
          const workflow = sampleWorkflow({ createdAt: `2026-01-01T00:00:0${index % 7}.000Z` });
          ids.push(workflow.id);
          await tx.workflows.insert(workflow);
        }
      });
      for (const limit of [1, 7, 25, 100]) {
        const items = await collect((page) => store.read.workflows.list(page), limit);
        assert.deepEqual(items.map((item) => item.id).toSorted(), ids.toSorted());
        const keys = items.map((item) => item.createdAt + item.id);
        assert.deepEqual(keys, keys.toSorted().toReversed());
      }
    });

    check("refuse a cursor that is not theirs", async (store) => {
      const forged = Buffer.from('[1,"x"]').toString("base64url");
      for (const cursor of ["", "x", "bnVsbA", forged, "W10"]) {
        await refused(store.read.workflows.list({ limit: 5, cursor }).then(String), "invalid_input", cursor);
      }
      const number = Buffer.from("[1]").toString("base64url");
      assert.deepEqual((await store.read.policies.list({ limit: 5, cursor: number })).items, []);
    });

    check("show strangers what is public only", async (store) => {
      const shown = sampleWorkflow({ visibility: "public", status: "published", publishedVersion: 1 });
      const own = sampleWorkflow({ createdBy: "key_1", createdAt: "2026-01-02T03:04:05.679Z" });
      await store.transact(async (tx) => {
        await tx.workflows.insert(shown);
        await tx.workflows.insert(own);
        await tx.artifacts.insert(sampleArtifact());
        await tx.artifacts.insert(sampleArtifact({ privacy: "public", deletedAt: AT }));
      });
      const { items } = await store.read.workflows.list({ limit: 10 }, { visibleTo: "public" });
      assert.deepEqual(items, [shown]);
      const both = await store.read.workflows.list({ limit: 10 }, { visibleTo: "public", ownedBy: "key_1" });
      assert.deepEqual(both.items, [own, shown]);
      assert.equal((await store.read.workflows.list({ limit: 10 })).items.length, 2);
      assert.equal((await store.read.artifacts.list({ limit: 10 }, { visibleTo: "public" })).items.length, 0);
      assert.equal(
        (await store.read.artifacts.list({ limit: 10 }, { includeDeleted: true })).items.length,
        2,
      );
    });
  });

  describe(`${name}: workflows, templates, artifacts and forms`, () => {
    check("a change made from an old revision is refused", async (store) => {
      const first = sampleWorkflow();
      await store.transact((tx) => tx.workflows.insert(first));
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          store.transact((tx) => tx.workflows.update({ ...first, name: `n${index}`, revision: 2 }, 1)),
        ),
      );
      assert.equal(outcomes.filter(Boolean).length, 1);
      assert.equal((await store.read.workflows.get(first.id))?.revision, 2);
    });

    check("a published version never changes and must exist", async (store) => {
      const workflow = sampleWorkflow();
      const version = {
        workflowId: workflow.id,
        version: 1,
        name: "As it was called then",
        digest: DIGEST,
        document: {},
        publishedAt: AT,
        publishedBy: "k",
        publishedVia: "client",
      };
      await store.transact(async (tx) => {
        await tx.workflows.insert(workflow);
        await tx.workflows.insertVersion(version);
      });
      await refused(
        store.transact((tx) => tx.workflows.insertVersion({ ...version, document: { other: true } })),
        "conflict",
      );
      assert.deepEqual(await store.read.workflows.version(workflow.id, 1), version);
      assert.deepEqual((await store.read.workflows.versions(workflow.id, { limit: 5 })).items, [version]);
      assert.equal(await store.read.workflows.name(workflow.id, 1), version.name);
      assert.equal(await store.read.workflows.name(workflow.id, null), workflow.name);
      await refused(
        store.transact((tx) => tx.workflows.insert(sampleWorkflow({ status: "published" }))),
        "conflict",
      );
    });

    check("who worked on a version is kept once for each, and goes with a deleted draft", async (store) => {
      const [workflow, draft] = [sampleWorkflow(), sampleWorkflow()];
      await store.transact(async (tx) => {
        await tx.workflows.insert(workflow);
        await tx.workflows.insert(draft);
        await tx.workflows.addEditor(workflow.id, 1, "ada");
        await tx.workflows.addEditor(workflow.id, 1, "ada");
        await tx.workflows.addEditor(workflow.id, 2, "bob");
        await tx.workflows.addEditor(draft.id, 1, "ada");
      });
      const { workflows } = store.read;
      assert.deepEqual(await workflows.editors(workflow.id, [1, 1]), ["ada"]);
      assert.deepEqual(await workflows.editors(workflow.id, [2, 2]), ["bob"]);
      assert.deepEqual([...(await workflows.editors(workflow.id, [1, 2]))].toSorted(), ["ada", "bob"]);
      assert.equal(await store.transact((tx) => tx.workflows.remove(draft.id)), true);
      assert.deepEqual(await workflows.editors(draft.id, [1, 1]), []);
      await refused(
        store.transact((tx) => tx.workflows.addEditor("none", 1, "ada")),
        "conflict",
      );
    });

    check("artifacts keep every version, and two writers cannot both be next", async (store) => {
      const first = sampleArtifact();
      await store.transact((tx) => tx.artifacts.insert(first));
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          store.transact((tx) => tx.artifacts.update({ ...first, version: 2, title: `t${index}` })),
        ),
      );
      assert.equal(outcomes.filter(Boolean).length, 1);
      const deleted = { ...first, version: 3, deletedAt: AT };
      assert.equal(await store.transact((tx) => tx.artifacts.update(deleted)), true);
      assert.deepEqual(await store.read.artifacts.get(first.id), deleted);
      assert.deepEqual(await store.read.artifacts.version(first.id, 1), first);
      const versions = await collect((page) => store.read.artifacts.versions(first.id, page), 2);
      assert.deepEqual(
        versions.map((item) => item.version),
        [3, 2, 1],
      );
      assert.deepEqual((await store.read.artifacts.list({ limit: 5 })).items, []);
    });

    check("the same form rendered again is counted", async (store) => {
      const form = {
        id: "form_1",
        title: "F",
        source: {},
        form: { fields: [] },
        createdAt: AT,
        lastRenderedAt: AT,
        renderCount: 1,
      };
      const later = "2026-02-02T00:00:00.000Z";
      await store.transact((tx) => tx.forms.upsert(form));
      await store.transact((tx) => tx.forms.upsert({ ...form, createdAt: later, lastRenderedAt: later }));
      assert.deepEqual(await store.read.forms.get("form_1"), {
        ...form,
        lastRenderedAt: later,
        renderCount: 2,
      });
    });

    check("forms of callers without a key are removed by age and by number, others never", async (store) => {
      const times = [1, 2, 3, 4].map((day) => `2026-02-0${day}T00:00:00.000Z`);
      await store.transact(async (tx) => {
        for (const at of times) {
          const form = { title: "F", form: {}, createdAt: at, lastRenderedAt: at, renderCount: 1 };
          await tx.forms.upsert({ ...form, id: `guest_${at}`, source: { anonymous: true } });
          await tx.forms.upsert({ ...form, id: `keyed_${at}`, source: { ref: '"anonymous":true' } });
        }
        await tx.forms.evictAnonymous(2, times[1] ?? "");
      });
      const left = async (kind: string): Promise<number> =>
        (await store.read.forms.list({ limit: 20 })).items.filter(({ id }) => id.startsWith(kind)).length;
      assert.deepEqual([await left("guest"), await left("keyed")], [2, 4]);
      await store.transact((tx) => tx.forms.evictAnonymous(10, "2026-02-09T00:00:00.000Z"));
      assert.deepEqual([await left("guest"), await left("keyed")], [0, 4]);
    });
  });

  describe(`${name}: runs and approvals`, () => {
    check("an epoch fences off the worker that lost the run", async (store) => {
      const run = await withRun(store);
      const claims = await Promise.all(
        Array.from({ length: 2 }, () => store.transact((tx) => tx.runs.claimAll([run.id]))),
      );
      assert.deepEqual(new Set(claims.flatMap((claim) => claim.map(({ epoch }) => epoch))), new Set([1, 2]));
      assert.equal(
        await store.transact((tx) => tx.runs.save({ ...run, epoch: 1, state: "failed", finishedAt: AT })),
        false,
      );
      const ended = {
        ...run,
        epoch: 2,
        state: "succeeded",
        outputs: { ok: true },
        startedAt: AT,
        finishedAt: AT,
      } as const;
      assert.equal(await store.transact((tx) => tx.runs.save(ended)), true);
      assert.deepEqual(await store.read.runs.get(run.id), ended);
      assert.deepEqual(await store.transact((tx) => tx.runs.claimAll([run.id])), []);
    });

    check(
      "many runs are claimed at once, and who holds a run keeps others from claiming it",
      async (store) => {
        const runs: RunRecord[] = [];
        for (let index = 0; index < 5; index++) runs.push(await withRun(store));
        const claimed = await store.transact((tx) => tx.runs.claimAll(runs.map((run) => run.id)));
        assert.deepEqual(
          claimed.map((run) => run.epoch),
          [1, 1, 1, 1, 1],
        );
        assert.deepEqual(await store.transact((tx) => tx.runs.claimAll([])), []);
        const [run] = claimed;
        assert.ok(run !== undefined);
        const held = (...wanted: RunRecord[]): Promise<string[]> =>
          store.transact(async (tx) => [...(await tx.runs.holdAll(wanted)).keys()].toSorted());
        const ids = claimed.map(({ id }) => id).toSorted();
        assert.deepEqual(await held(...claimed), ids);
        assert.deepEqual(await held({ ...run, epoch: 0 }), []);
        assert.deepEqual(
          await held(...claimed.map((one) => (one === run ? { ...run, epoch: 0 } : one))),
          ids.filter((id) => id !== run.id),
        );
        assert.deepEqual(await held(), []);
        let claim: Promise<unknown> = Promise.resolve();
        await store.transact(async (tx) => {
          assert.equal((await tx.runs.holdAll(claimed)).size, 5);
          claim = store.transact((other) => other.runs.claimAll([run.id]));
          await tx.runs.putSteps([sampleStep(run.id)]);
          assert.ok((await tx.runs.holdAll([run])).has(run.id));
        });
        await claim;
        assert.deepEqual(await held(run), []);
      },
    );

    check("a date is queued behind a run that goes on, and hides no date that could start", async (store) => {
      const ended = { state: "succeeded", startedAt: AT, finishedAt: AT } as const;
      const runs = [await withRun(store), await withRun(store, ended), await withRun(store)];
      const ids = await store.transact((tx) =>
        Promise.all(
          runs.map(async (run, nth) => {
            const trigger: TriggerRecord = {
              id: newId("trigger"),
              workflowId: run.workflowId ?? "",
              kind: "schedule",
              slug: null,
              settings: { everySeconds: 60, overlap: nth === 2 ? "allow" : "queue" },
              actsFor: "tester",
              actsVia: null,
              pausedAt: null,
              pauseNote: null,
              dueAt: null,
              fireAt: null,
              lastRunId: run.id,
              revision: 1,
              createdAt: AT,
            };
            await tx.triggers.insert(trigger);
            const none = { payload: null, headers: null, runId: null, reason: null, depth: 0 };
            const date = { key: AT, dueAt: AT, createdAt: AT, state: "queued" as const };
            await tx.triggers.insertFiring({ id: newId("firing"), triggerId: trigger.id, ...date, ...none });
            return trigger.id;
          }),
        ),
      );
      const queued = await store.read.triggers.queued(2);
      assert.deepEqual(queued.map(({ triggerId }) => triggerId).toSorted(), ids.slice(1).toSorted());
    });

    check("the new states of several runs are written at once", async (store) => {
      const runs: RunRecord[] = [];
      for (let index = 0; index < 21; index++) runs.push(await withRun(store));
      const ended = runs.map((run, nth) => ({
        ...run,
        state: "succeeded" as const,
        outputs: { nth },
        startedAt: AT,
        finishedAt: AT,
      }));
      await store.transact(async (tx) => {
        await tx.runs.holdAll(runs);
        await tx.runs.saveAll(ended);
      });
      for (const run of ended) assert.deepEqual(await store.read.runs.get(run.id), run);
    });

    check("runs that want work are found, oldest first", async (store) => {
      const waiting = (wakeAt: string | null) => ({ state: "waiting", wakeAt }) as const;
      const late = await withRun(store, waiting("2026-01-01T00:00:00.000Z"));
      await withRun(store, waiting("2027-01-01T00:00:00.000Z"));
      await withRun(store, waiting(null));
      const queued = await withRun(store);
      await withRun(store, { state: "succeeded", finishedAt: AT });
      const ids = (runs: readonly RunRecord[]): string[] => runs.map(({ id }) => id);
      assert.deepEqual(await store.read.runs.wakeable("2026-06-01T00:00:00.000Z", 10), [late.id]);
      assert.deepEqual(ids(await store.read.runs.queued(10)), [queued.id]);
      assert.equal(await store.read.runs.nextWakeAt(), "2026-01-01T00:00:00.000Z");
      assert.equal((await store.read.runs.list({ limit: 10 }, { states: ["waiting"] })).items.length, 3);
      assert.equal((await store.read.runs.list({ limit: 10 }, { states: [] })).items.length, 0);
    });

    check("every filter of runs gives what it says, page by page", async (store) => {
      const states = ["succeeded", "failed", "cancelled", "waiting", "queued"] as const;
      const runs: RunRecord[] = [];
      const ids = ["a", "b"].map((name) => `workflow_${name}`);
      await store.transact(async (tx) => {
        await tx.runs.putDocument(DIGEST, DOCUMENT);
        for (const id of ids) await tx.workflows.insert(sampleWorkflow({ id }));
        for (let i = 0; i < 700; i++) {
          const state = states[i % 5] ?? "queued";
          const run = sampleRun({
            state,
            workflowId: i % 3 === 0 ? (ids[0] ?? null) : (ids[1] ?? null),
            startedBy: `key_${i % 7}`,
            visibility: i % 4 === 0 ? "public" : "private",
            inputs: { order: `Nr. ${i % 50} "Ä"` },
            createdAt: new Date(Date.parse(AT) + Math.floor(i / 3) * 1_000).toISOString(),
            finishedAt: state === "waiting" || state === "queued" ? null : AT,
          });
          runs.push(run);
          await tx.runs.insert(run);
        }
      });
      runs.sort((a, b) => (`${a.createdAt} ${a.id}` < `${b.createdAt} ${b.id}` ? 1 : -1));
      const [from, to] = [runs[400]?.createdAt ?? "", runs[100]?.createdAt ?? ""];
      const cases: readonly [RunFilter, (run: RunRecord) => boolean][] = [
        [{ states: ["failed", "waiting"] }, ({ state }) => state === "failed" || state === "waiting"],
        [{ states: ["succeeded", "queued"] }, ({ state }) => state === "succeeded" || state === "queued"],
        [
          { startedBy: "key_3", workflowId: "workflow_b" },
          (run) => run.startedBy === "key_3" && run.workflowId === "workflow_b",
        ],
        [{ visibleTo: "public" }, ({ visibility }) => visibility === "public"],
        [
          { visibleTo: "public", ownedBy: "key_2" },
          (run) => run.visibility === "public" || run.startedBy === "key_2",
        ],
        [
          { visibleTo: "public", ownedBy: "key_2", states: ["failed"], workflowId: "workflow_a" },
          (run) =>
            (run.visibility === "public" || run.startedBy === "key_2") &&
            run.state === "failed" &&
            run.workflowId === "workflow_a",
        ],
        [{ from, to }, ({ createdAt }) => createdAt >= from && createdAt < to],
        [{ text: 'nR. 7 "Ä' }, ({ inputs }) => inputs["order"] === 'Nr. 7 "Ä"'],
        [{ text: "nowhere" }, () => false],
      ];
      for (const [filter, fits] of cases) {
        const found: string[] = [];
        let cursor: string | null = null;
        do {
          const page: Page<RunRecord> = await store.read.runs.list(
            { limit: 40, ...(cursor !== null && { cursor }) },
            filter,
          );
          assert.ok(page.items.length <= 40);
          found.push(...page.items.map(({ id }) => id));
          cursor = page.nextCursor;
        } while (cursor !== null);
        const expected = runs.filter(fits).map(({ id }) => id);
        assert.deepEqual(found, expected, JSON.stringify(filter));
      }
    });

    check(
      "workers share runs: each run has one, and a dead worker's runs are wanted again",
      async (store) => {
        if (store.kind !== "postgres") return;
        const notified: (readonly string[] | null)[] = [];
        const stop = store.onWanted((runIds) => notified.push(runIds));
        const waiting = (wakeAt: string | null) => ({ state: "waiting", wakeAt }) as const;
        const early = await withRun(store, waiting("2026-01-01T00:00:00.000Z"));
        const later = await withRun(store, waiting("2027-01-01T00:00:00.000Z"));
        const idle = await withRun(store, waiting(null));
        const queued = await withRun(store);
        const take = async (worker: string, limit = 10): Promise<string[]> => {
          const taken = await store.transact((tx) => tx.runs.take(worker, "2026-06-01T00:00:00.000Z", limit));
          assert.ok(taken.every((run) => run.worker === worker));
          return taken.map(({ id }) => id).toSorted();
        };
        await store.transact((tx) => tx.workers.join("a", "2026-01-01T00:00:00.000Z"));
        await store.transact((tx) => tx.workers.join("b", "2026-01-01T00:00:00.000Z"));
        const [one, other] = await Promise.all([take("a", 1), take("b", 1)]);
        assert.deepEqual([...one, ...other].toSorted(), [early.id, queued.id].toSorted());
        assert.deepEqual(await take("a"), []);
        await store.transact((tx) => tx.runs.want([idle.id, ...one], AT));
        // A run that a worker has stays with it, and is wanted still when that lets it go.
        assert.deepEqual(await take("b"), [idle.id]);
        const [held] = await store.read.runs.heldBy("a");
        assert.deepEqual(held, { id: one[0], epoch: 1 });
        await store.transact((tx) => tx.runs.giveBack(held === undefined ? [] : [held]));
        assert.deepEqual(await take("a"), one);
        assert.equal(await store.transact((tx) => tx.workers.beat("b", "2026-01-01T00:00:09.000Z")), true);
        assert.equal(await store.transact((tx) => tx.workers.reap("2026-01-01T00:00:05.000Z")), 1);
        assert.equal(await store.transact((tx) => tx.workers.beat("a", AT)), false);
        assert.deepEqual(await take("b"), one);
        await store.transact((tx) => tx.workers.leave("b"));
        await store.transact((tx) => tx.workers.join("c", AT));
        assert.deepEqual(await take("c"), [early.id, idle.id, queued.id].toSorted());
        assert.equal((await store.read.runs.get(later.id))?.worker, null);
        assert.ok(notified.some((ids) => ids?.includes(idle.id) === true));
        stop();
      },
    );

    check("steps and attempts are overwritten by their key and need their run", async (store) => {
      const run = await withRun(store);
      const step = sampleStep(run.id, { state: "running", output: null, port: null, finishedAt: null });
      const done = sampleStep(run.id, { idempotencyKey: "k" });
      const attempt = {
        runId: run.id,
        stepId: step.stepId,
        attempt: 1,
        state: "running",
        spanId: "s",
        error: null,
        startedAt: AT,
        finishedAt: null,
      } as const;
      await store.transact(async (tx) => {
        await tx.runs.putSteps([step, sampleStep(run.id, { stepId: "map[10]" })]);
        await tx.runs.putAttempts([attempt]);
        await tx.runs.putSteps([done]);
        await tx.runs.putAttempts([{ ...attempt, state: "succeeded", finishedAt: AT }]);
      });
      assert.deepEqual(
        (await store.read.runs.steps(run.id)).map((item) => item.stepId),
        ["fetch", "map[10]"],
      );
      assert.deepEqual((await store.read.runs.steps(run.id))[0], done);
      assert.deepEqual(
        (await store.read.runs.attempts(run.id)).map((item) => item.state),
        ["succeeded"],
      );
      await refused(
        store.transact((tx) => tx.runs.putSteps([sampleStep("run_none")])),
        "conflict",
      );
      await refused(
        store.transact((tx) => tx.runs.insert(sampleRun({ documentDigest: "sha256:none" }))),
        "conflict",
      );
    });

    check("states come from their sets, and an end has a time", async (store) => {
      const run = await withRun(store);
      const odd = { ...run };
      Reflect.set(odd, "state", "exploded");
      await refused(
        store.transact((tx) => tx.runs.save(odd)),
        "conflict",
      );
      await refused(
        store.transact((tx) => tx.runs.save({ ...run, state: "succeeded" })),
        "conflict",
      );
      await refused(
        store.transact((tx) => tx.runs.save({ ...run, finishedAt: AT })),
        "conflict",
      );
    });

    check("of fifty who decide at once, one does", async (store) => {
      const run = await withRun(store);
      const approval = sampleApproval(run.id);
      await store.transact((tx) => tx.approvals.insert(approval));
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          store.transact((tx) =>
            tx.approvals.decide({
              ...approval,
              state: index % 2 === 0 ? "approved" : "rejected",
              decidedAt: AT,
              decidedBy: `k${index}`,
              reason: "r",
            }),
          ),
        ),
      );
      assert.equal(outcomes.filter(Boolean).length, 1);
      assert.equal((await store.read.approvals.get(approval.id))?.decidedBy, `k${outcomes.indexOf(true)}`);
    });

    check("a decision names who made it, and a step asks one question at a time", async (store) => {
      const run = await withRun(store);
      const approval = sampleApproval(run.id, { expiresAt: "2026-01-01T00:00:00.000Z", stepUp: true });
      await store.transact((tx) => tx.approvals.insert(approval));
      await refused(
        store.transact((tx) => tx.approvals.decide({ ...approval, state: "approved" })),
        "conflict",
      );
      await refused(
        store.transact((tx) => tx.approvals.insert(sampleApproval(run.id))),
        "conflict",
      );
      assert.deepEqual(await store.read.approvals.expired("2026-01-01T00:00:00.000Z", 5), [approval]);
      assert.deepEqual(await store.read.approvals.expired("2025-01-01T00:00:00.000Z", 5), []);
      assert.deepEqual(
        (await store.read.approvals.list({ limit: 5 }, { state: "pending", runId: run.id })).items,
        [approval],
      );
    });
  });

  describe(`${name}: what people do with approvals`, () => {
    check("a person and a seat vote once, however many try at once", async (store) => {
      const run = await withRun(store);
      const approval = sampleApproval(run.id, { required: 2 });
      await store.transact((tx) => tx.approvals.insert(approval));
      const vote = (voter: string, seat: string) => ({
        approvalId: approval.id,
        voter,
        seat,
        verdict: "approved" as const,
        reason: null,
        at: AT,
        via: voter === "p0" ? null : { kind: "oauth" as const, id: "grant", name: "An agent" },
        assertion: voter === "p0" ? PROOF : null,
      });
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          store.transact(async (tx) => {
            await tx.approvals.lock(approval.id);
            return tx.approvals.vote(vote(`p${index % 4}`, `s${index % 2}`));
          }),
        ),
      );
      assert.equal(outcomes.filter(Boolean).length, 2);
      const votes = await store.read.approvals.votes(approval.id);
      assert.equal(votes.length, 2);
      for (const { voter, assertion } of votes) assert.deepEqual(assertion, voter === "p0" ? PROOF : null);
    });

    check("an inbox finds approvals by whom they are assigned to, now", async (store) => {
      const run = await withRun(store);
      const approval = sampleApproval(run.id, {
        approvers: ["person:Ada@example.com", "group:Book keeping"],
      });
      await store.transact((tx) => tx.approvals.insert(approval));
      const found = async (...assigned: string[]) =>
        (await store.read.approvals.list({ limit: 50 }, { assigned, runId: run.id })).items;
      assert.deepEqual(await found("person:ada@example.com"), [approval]);
      assert.deepEqual(await found("role:owner", "group:book keeping"), [approval]);
      assert.deepEqual(await found("*"), []);
      const moved = {
        ...approval,
        approvers: ["role:owner"],
        claimedBy: "person_1",
        delegations: [{ from: "person_1", to: "person_2", at: AT }],
      };
      assert.equal(await store.transact((tx) => tx.approvals.assign(moved)), true);
      assert.deepEqual(await found("person:ada@example.com"), []);
      assert.deepEqual(await found("person:person_2"), [moved]);
      const decided = { ...moved, state: "rejected" as const, decidedAt: AT, decidedBy: "k", reason: "r" };
      await store.transact((tx) => tx.approvals.decide(decided));
      assert.equal(await store.transact((tx) => tx.approvals.assign(approval)), false);
      assert.deepEqual(await found("role:owner"), [decided]);
    });

    check("comments are kept in order", async (store) => {
      const run = await withRun(store);
      const approval = sampleApproval(run.id);
      const comments = ["a", "b"].map((id) => ({
        id: `${approval.id}-${id}`,
        approvalId: approval.id,
        author: "person_1",
        body: id,
        createdAt: AT,
      }));
      await store.transact(async (tx) => {
        await tx.approvals.insert(approval);
        for (const one of comments) await tx.approvals.comment(one);
      });
      assert.deepEqual(await store.read.approvals.comments(approval.id, 10), comments);
      assert.deepEqual(await store.read.approvals.comments(approval.id, 1), comments.slice(0, 1));
    });
  });

  describe(`${name}: handoffs, keys, tools and policy`, () => {
    check("a hundred copies of a packet make one record", async (store) => {
      const packet = sampleHandoff();
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, () => store.transact((tx) => tx.handoffs.insert(packet))),
      );
      assert.equal(outcomes.filter(Boolean).length, 1);
      assert.equal(await store.transact((tx) => tx.handoffs.insert({ ...packet, direction: "out" })), true);
      assert.equal((await collect((page) => store.read.handoffs.list(page), 1)).length, 2);
      assert.deepEqual(await store.read.handoffs.get(packet.id, "in"), packet);
    });

    check("completed needs a result reference", async (store) => {
      const packet = sampleHandoff();
      await store.transact((tx) => tx.handoffs.insert(packet));
      const change = (resultRef: string | null, from: HandoffState = "accepted") =>
        store.transact((tx) => tx.handoffs.update({ ...packet, state: "completed", resultRef }, from));
      await refused(change(null), "conflict");
      await refused(change(""), "conflict");
      assert.equal(await change("https://sandbox/r/1", "sending"), false);
      assert.equal(await change("https://sandbox/r/1"), true);
      await refused(
        store.transact((tx) => tx.handoffs.insert(sampleHandoff({ state: "completed" }))),
        "conflict",
      );
    });

    check("packets that wait for another attempt are found", async (store) => {
      const due = sampleHandoff({ direction: "out", state: "ready", nextAttemptAt: AT });
      await store.transact((tx) => tx.handoffs.insert(due));
      await store.transact((tx) => tx.handoffs.insert(sampleHandoff()));
      assert.deepEqual(await store.read.handoffs.due(AT, 5), [due]);
      assert.deepEqual(await store.read.handoffs.due("2020-01-01T00:00:00.000Z", 5), []);
    });

    check("keys are unique by digest, revoked once and touched forward", async (store) => {
      const key = {
        id: "key_1",
        name: "k",
        digest: DIGEST,
        scopes: ["run", "approve"] as const,
        createdBy: "person_ada",
        createdAt: AT,
        expiresAt: null,
        revokedAt: null,
        lastUsedAt: null,
      };
      await store.transact((tx) => tx.keys.insert(key));
      await refused(
        store.transact((tx) => tx.keys.insert({ ...key, id: "key_2" })),
        "conflict",
      );
      await store.transact(async (tx) => {
        await tx.keys.touch("key_1", "2026-03-03T00:00:00.000Z");
        await tx.keys.touch("key_1", "2026-02-02T00:00:00.000Z");
        assert.equal(await tx.keys.expire("key_1", "2026-12-01T00:00:00.000Z"), true);
        assert.equal(await tx.keys.expire("key_1", "2027-12-01T00:00:00.000Z"), false);
        assert.equal(await tx.keys.revoke("key_1", AT), true);
        assert.equal(await tx.keys.revoke("key_1", AT), false);
      });
      const stored = await store.read.keys.get("key_1");
      assert.equal(stored?.lastUsedAt, "2026-03-03T00:00:00.000Z");
      assert.equal(stored?.expiresAt, "2026-12-01T00:00:00.000Z");
      assert.deepEqual(stored?.scopes, ["run", "approve"]);
      assert.equal(await store.read.keys.count(), 1);
    });

    check("an answer is kept once for its key", async (store) => {
      const kept = { scope: "start", key: "k", requestDigest: "d", answer: { id: 1 }, createdAt: AT };
      assert.equal(await store.transact((tx) => tx.idempotency.insert(kept)), true);
      assert.equal(
        await store.transact((tx) => tx.idempotency.insert({ ...kept, answer: { id: 2 } })),
        false,
      );
      assert.deepEqual(await store.read.idempotency.get("start", "k"), kept);
      assert.equal(await store.transact((tx) => tx.idempotency.trim("2027-01-01T00:00:00.000Z")), 1);
    });

    check(
      "calls are counted by caller, tool and window, also when they are counted at once",
      async (store) => {
        const count = (window: number, tool = "t") =>
          store.transact((tx) => tx.guard.count("agent", tool, "minute", window));
        const counts = await Promise.all(Array.from({ length: 20 }, () => count(7)));
        assert.deepEqual(
          counts.toSorted((a, b) => a - b),
          Array.from({ length: 20 }, (_, at) => at + 1),
        );
        assert.equal(await count(7, "other"), 1);
        assert.equal(await count(8), 1);
      },
    );

    check("policy revisions are never overwritten", async (store) => {
      const policy = { revision: 1, policy: { a: 1 }, digest: DIGEST, changedBy: "k", createdAt: AT };
      await store.transact(async (tx) => {
        assert.equal(await tx.policies.insert(policy), true);
        assert.equal(await tx.policies.insert({ ...policy, policy: { a: 2 } }), false);
        assert.equal(await tx.policies.insert({ ...policy, revision: 2 }), true);
      });
      assert.equal((await store.read.policies.latest())?.revision, 2);
      assert.deepEqual(
        (await collect((page) => store.read.policies.list(page), 1)).map((item) => item.revision),
        [2, 1],
      );
    });
  });

  describe(`${name}: connections`, () => connectionSuite(check));

  describe(`${name}: provenance`, () => {
    check("appenders that take the lock never share an index", async (store) => {
      await Promise.all(
        Array.from({ length: 40 }, () =>
          store.transact(async (tx) => {
            await tx.provenance.lock();
            const { size } = await tx.provenance.head();
            await tx.provenance.append([sampleLeaf(size), sampleLeaf(size + 1)]);
          }),
        ),
      );
      assert.deepEqual(await store.read.provenance.head(), { size: 80, lastLeafHash: "hash-79" });
      const found = await collect(
        (page) => store.read.provenance.find({ runId: "run_1", kind: "step" }, page),
        30,
      );
      assert.deepEqual(
        found.map((leaf) => leaf.leafIndex),
        Array.from({ length: 80 }, (_, index) => 79 - index),
      );
      assert.equal((await store.read.provenance.atIndex(7))?.leafHash, "hash-7");
    });

    check("a leaf is never replaced", async (store) => {
      await store.transact((tx) => tx.provenance.append([sampleLeaf(0)]));
      await refused(
        store.transact((tx) => tx.provenance.append([sampleLeaf(0, { body: "{}" })])),
        "conflict",
      );
      assert.equal((await store.read.provenance.atIndex(0))?.body, '{"a":1}');
    });

    check("nodes and checkpoints are found in the order asked for", async (store) => {
      const checkpoint = { treeSize: 4, rootHash: "r", keyId: "k", signature: "s", createdAt: AT };
      const key = { id: "k", publicKey: "p", privateKey: "q", createdAt: AT, retiredAt: null };
      await store.transact(async (tx) => {
        await tx.provenance.putNodes([
          { level: 1, index: 0, hash: "a" },
          { level: 2, index: 0, hash: "b" },
        ]);
        await tx.provenance.putKey(key);
        await tx.provenance.putCheckpoint(checkpoint);
        await tx.provenance.putCheckpoint({ ...checkpoint, treeSize: 2 });
        await tx.provenance.putKey({ ...key, retiredAt: AT });
      });
      const wanted = [
        { level: 2, index: 0 },
        { level: 9, index: 9 },
        { level: 1, index: 0 },
      ];
      assert.deepEqual(await store.read.provenance.nodes(wanted), ["b", null, "a"]);
      assert.deepEqual(await store.read.provenance.nodes([]), []);
      assert.deepEqual(await store.read.provenance.checkpoint(), checkpoint);
      assert.equal((await store.read.provenance.checkpoint(2))?.treeSize, 2);
      assert.equal(await store.read.provenance.checkpoint(3), null);
      assert.deepEqual(await store.read.provenance.keys(), [{ ...key, retiredAt: AT }]);
    });
  });

  describe(`${name}: events and webhooks`, () => {
    check("no reader that goes by sequence misses an event of writers that race", async (store, under) => {
      const other = await under.reopen();
      const seen: number[] = [];
      const end = Date.now() + 60_000;
      let writing = true;
      const reading = (async () => {
        let cursor = 0;
        for (;;) {
          const isLate = Date.now() > end;
          const events = await store.read.events.after(cursor, 50);
          for (const one of events) seen.push(one.sequence);
          cursor = seen.at(-1) ?? 0;
          if ((!writing && seen.length >= 216) || isLate) return;
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      // As many at a time as a busy machine serves before a reader gives up waiting for a connection.
      const write = async (index: number) =>
        (index % 2 === 0 ? store : other)
          .transact(async (tx) => {
            await tx.events.append([
              event("svc.run.queued", `s${index}`),
              event("svc.run.running", `s${index}`),
            ]);
            await tx.templates.insert(template(`e${index}`));
            if (index % 10 === 0) throw new AppError("conflict", "undone");
          })
          .catch(() => {});
      await Promise.all(
        Array.from({ length: 12 }, async (_, lane) => {
          for (let index = lane; index < 120; index += 12) await write(index);
        }),
      );
      writing = false;
      await reading;
      await other.close();
      assert.deepEqual(
        seen,
        Array.from({ length: 216 }, (_, index) => index + 1),
      );
    });

    check("listeners are notified of commits here and elsewhere", async (store, under) => {
      const other = await under.reopen();
      const notified = new EventTarget();
      const notify = (sequence: number) => () => notified.dispatchEvent(new CustomEvent(String(sequence)));
      store.onEvents((last) => {
        for (let sequence = 1; sequence <= last; sequence++) notify(sequence)();
      });
      const silent = store.onEvents(() => assert.fail("was unsubscribed"));
      silent();
      const first = once(notified, "1");
      await store.transact((tx) => tx.events.append([event("svc.run.queued", "a")]));
      await first;
      const second = once(notified, "2");
      await other.transact((tx) => tx.events.append([event("svc.run.queued", "b")]));
      await second;
      await other.close();
    });

    check("events of runs are read without the others", async (store) => {
      const types = ["svc.run.queued", "svc.handoff.accepted", "svc.run.running", "svc.runner.none"];
      await store.transact((tx) => tx.events.append(types.map((type) => event(type, "a"))));
      await numbered(store, types.length);
      const read = async (sequence: number, limit: number): Promise<readonly number[]> =>
        (await store.read.events.ofRunsAfter(sequence, limit)).map((one) => one.sequence);
      assert.deepEqual(await read(0, 9), [1, 3]);
      assert.deepEqual(await read(1, 9), [3]);
      assert.deepEqual(await read(0, 1), [1]);
      assert.deepEqual(await read(3, 9), []);
    });

    check("old events are dropped, but never the newest", async (store) => {
      await store.transact((tx) =>
        tx.events.append(["a", "b", "c"].map((subject) => event("svc.run.queued", subject))),
      );
      await numbered(store, 3);
      assert.equal(await store.transact((tx) => tx.events.trim(3)), 2);
      assert.equal(await store.transact((tx) => tx.events.trim(99)), 0);
      assert.deepEqual(await store.read.events.bounds(), { first: 3, last: 3 });
      await store.transact((tx) => tx.events.append([event("svc.run.queued", "d")]));
      await numbered(store, 4);
      assert.deepEqual(
        (await store.read.events.after(0, 9)).map((one) => one.sequence),
        [3, 4],
      );
    });

    check("of each subject only the oldest pending delivery is due", async (store) => {
      const webhook = sampleWebhook();
      const paused = sampleWebhook({ state: "paused" });
      await store.transact(async (tx) => {
        await tx.webhooks.insert(webhook);
        await tx.webhooks.insert(paused);
        for (const sequence of [3, 1, 2]) await tx.webhooks.putDelivery(sampleDelivery(webhook.id, sequence));
        await tx.webhooks.putDelivery(sampleDelivery(webhook.id, 4, { subject: "other" }));
        await tx.webhooks.putDelivery(
          sampleDelivery(webhook.id, 5, { subject: "later", nextAttemptAt: "2027-01-01T00:00:00.000Z" }),
        );
        await tx.webhooks.putDelivery(sampleDelivery(paused.id, 1));
      });
      const due = await store.read.webhooks.dueDeliveries(AT, 10);
      assert.deepEqual(
        due.map((item) => item.sequence),
        [1, 4],
      );
      const lease = "2026-01-02T03:05:05.678Z";
      const claims = await Promise.all(
        Array.from({ length: 6 }, () => store.transact((tx) => tx.webhooks.claimDeliveries(AT, lease, 10))),
      );
      assert.deepEqual(
        claims
          .flat()
          .map((item) => [item.sequence, item.attempts, item.nextAttemptAt])
          .toSorted((a, b) => Number(a[0]) - Number(b[0])),
        [
          [1, 1, lease],
          [4, 1, lease],
        ],
      );
      const [first] = claims.flat();
      assert.ok(first);
      await store.transact((tx) =>
        tx.webhooks.putDelivery({ ...first, state: "delivered", nextAttemptAt: null, deliveredAt: AT }),
      );
      assert.deepEqual(
        (await store.read.webhooks.dueDeliveries(AT, 10)).map((item) => item.sequence),
        [2],
      );
      assert.equal(
        (await store.read.webhooks.deliveries(webhook.id, { limit: 9 }, "delivered")).items.length,
        1,
      );
      assert.equal(await store.transact((tx) => tx.webhooks.trimDeliveries("2027-01-01T00:00:00.000Z")), 1);
      await store.transact((tx) => tx.webhooks.setCursor(41));
      assert.equal(await store.read.webhooks.cursor(), 41);
      assert.equal(await store.transact((tx) => tx.webhooks.remove(webhook.id)), true);
      assert.equal(await store.transact((tx) => tx.webhooks.remove(webhook.id)), false);
    });
  });

  describe(`${name}: status`, () => {
    check("is measured by writing", async (store) => {
      const status = await store.status();
      assert.equal(status.ready, true);
      assert.equal(status.reason, null);
      assert.ok((status.lastProbeMs ?? -1) >= 0);
      assert.ok((status.sizeBytes ?? 0) > 0);
      assert.equal(status.kind, store.kind);
    });
  });
}

async function withRun(store: Store, change: Partial<RunRecord> = {}): Promise<RunRecord> {
  const run = sampleRun(change);
  await store.transact(async (tx) => {
    await tx.runs.putDocument(DIGEST, { nodes: [] });
    await tx.runs.insert(run);
  });
  return run;
}

/** Waits until events up to a sequence are numbered; where that happens after the commit it takes a moment. */
async function numbered(store: Store, last: number): Promise<void> {
  for (const end = Date.now() + 120_000; (await store.read.events.bounds()).last < last;) {
    if (Date.now() > end) assert.fail(`event ${last} was not numbered in time`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function event(type: string, subject: string): NewEvent {
  return {
    type,
    subject,
    traceparent: null,
    data: { subject, secret: true },
    publicData: null,
    madeIn: null,
  };
}

function template(id: string) {
  return { id, name: newId("name"), description: "", tags: [], document: {}, createdAt: AT };
}

function nested(levels: number): Json {
  let value: Json = "bottom";
  for (let level = 1; level < levels; level++) value = [value];
  return value;
}

function parsed(text: string): JsonObject {
  return JSON.parse(text);
}

async function collect<T>(list: (page: PageRequest) => Promise<Page<T>>, limit: number): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<T> = await list({ limit, ...(cursor !== null && { cursor }) });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}

async function refused(promise: Promise<unknown>, code: ErrorCode, message?: string): Promise<void> {
  await assert.rejects(
    promise,
    (error) => {
      assert.ok(error instanceof AppError, `${message ?? ""} ${String(error)}`);
      assert.equal(error.code, code, message);
      return true;
    },
    message,
  );
}
