import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import type { ErrorCode } from "../../src/kernel/errors.ts";
import { AppError } from "../../src/kernel/errors.ts";
import type { InputOf } from "../../packages/client/client.ts";
import type { Caller } from "../../src/ports/caller.ts";
import { testPostgres } from "../support/postgres.ts";
import { startService, type TestService } from "../support/service.ts";
import { addCredential, ask, authorize, masterKey } from "./support.ts";

/* Long on purpose: the cases share one service and its vault. */

const SECRET = "vault-secret-0f3c9a";
const CREDENTIALS = "/api/svc/credentials";

async function refusal(work: Promise<unknown>, code: ErrorCode, text?: RegExp): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, code, error.message);
    if (text) assert.match(`${error.message} ${error.info.nextAction ?? ""}`, text);
    assert.ok(!JSON.stringify([error.message, error.info]).includes(SECRET));
    return true;
  });
}

describe("credentials over REST", () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it("are stored, shown without their secret, replaced and removed", async () => {
    const made = await ask(service, "POST", CREDENTIALS, {
      name: "issues",
      kind: "bearer",
      hosts: ["api.example.com", "https://other.example.com:8443/path"],
      secret: SECRET,
    });
    assert.equal(made.status, 201, made.text);
    const { createdAt, updatedAt, ...shown } = made.data.credential;
    assert.deepEqual(shown, {
      name: "issues",
      kind: "bearer",
      hosts: ["api.example.com", "other.example.com:8443"],
      owner: "shared",
      allowHttp: false,
      state: "ready",
      nextAction: null,
      revision: 1,
      createdBy: "operator",
    });
    assert.equal(createdAt, updatedAt);
    const listed = await ask(service, "GET", CREDENTIALS);
    assert.deepEqual(listed.data.credentials, [made.data.credential]);
    assert.equal(
      (await authorize(service, "issues", "https://api.example.com/x")).headers["authorization"],
      `Bearer ${SECRET}`,
    );

    const next = `${SECRET}-2`;
    const replaced = await ask(service, "PATCH", `${CREDENTIALS}/issues`, { secret: next });
    assert.equal(replaced.status, 200, replaced.text);
    assert.equal(replaced.data.credential.revision, 2);
    assert.equal((await authorize(service, "issues", "https://api.example.com/x")).secrets[0], next);
    // Who does not know the secret cannot have it sent to another host.
    const without = await ask(service, "PATCH", `${CREDENTIALS}/issues`, { hosts: ["new.example.com"] });
    assert.equal(without.status, 400);
    assert.deepEqual(without.data.error.problems[0]?.pointer, "/secret");
    const fewer = await ask(service, "PATCH", `${CREDENTIALS}/issues`, { hosts: ["api.example.com"] });
    assert.deepEqual(fewer.data.credential.hosts, ["api.example.com"]);
    const moved = await ask(service, "PATCH", `${CREDENTIALS}/issues`, {
      hosts: ["new.example.com"],
      secret: next,
    });
    assert.deepEqual(moved.data.credential.hosts, ["new.example.com"]);
    await refusal(
      authorize(service, "issues", "https://api.example.com/x"),
      "blocked",
      /bound to new\.example\.com/,
    );
    assert.equal((await authorize(service, "issues", "https://new.example.com/x")).secrets[0], next);

    for (const { text } of [made, listed, replaced, moved]) assert.ok(!text.includes(SECRET));
    assert.equal((await ask(service, "DELETE", `${CREDENTIALS}/issues`)).status, 200);
    assert.equal((await ask(service, "GET", `${CREDENTIALS}/issues`)).status, 404);
    await refusal(authorize(service, "issues", "https://new.example.com/x"), "not_found", /Create it/);
  });

  it("tell everything that is wrong at once, and repeat nothing that was given", async () => {
    const { status, text, data } = await ask(service, "POST", CREDENTIALS, {
      name: "Not A Name",
      kind: "apiKey",
      hosts: ["a b"],
      in: "body",
      parameter: "x y",
      secrett: SECRET,
    });
    assert.equal(status, 400);
    assert.deepEqual(data.error.problems.map((problem: { pointer: string }) => problem.pointer).toSorted(), [
      "/in",
      "/name",
      "/parameter",
      "/secrett",
    ]);
    assert.match(text, /Rename \\"secrett\\" to \\"secret\\"/);
    assert.ok(!text.includes(SECRET));
    for (const body of [
      { name: "x", kind: "bearer", hosts: ["a"], secret: `${SECRET}\n` },
      { name: "x", kind: "bearer", hosts: ["a"], secret: SECRET, token: SECRET },
      { name: "x", kind: "basic", hosts: ["a"], secret: SECRET, username: "a:b" },
      { name: "x", kind: "apiKey", hosts: ["a"], secret: SECRET, parameter: "Content-Length" },
      { name: "x", kind: "oauth2", hosts: ["a"], secret: SECRET },
      { name: "x", kind: "oauth2", hosts: ["a"], secret: SECRET, issuer: "ftp://a" },
      { name: "x", kind: "oauth2", hosts: ["a"], issuer: "https://a", grant: "client_credentials" },
      [],
    ]) {
      const answer = await ask(service, "POST", CREDENTIALS, body);
      assert.equal(answer.status, 400, answer.text);
      assert.ok(answer.data.error.problems.length > 0, answer.text);
      assert.ok(!answer.text.includes(SECRET));
    }
    await addCredential(service, { name: "twice", kind: "bearer", hosts: ["a"], secret: SECRET });
    const again = await ask(service, "POST", CREDENTIALS, {
      name: "twice",
      kind: "bearer",
      hosts: ["a"],
      secret: SECRET,
    });
    assert.equal(again.status, 409);
    assert.equal((await ask(service, "PATCH", `${CREDENTIALS}/twice`, {})).status, 400);
    assert.equal((await ask(service, "PATCH", `${CREDENTIALS}/nobody`, { secret: SECRET })).status, 404);
  });

  it("are for operators only", async () => {
    const made = await ask(service, "POST", "/api/svc/keys", { name: "runner", scopes: ["run", "write"] });
    for (const [method, path, body] of [
      ["GET", CREDENTIALS, undefined],
      ["POST", CREDENTIALS, {}],
      ["GET", `${CREDENTIALS}/x`, undefined],
      ["PATCH", `${CREDENTIALS}/x`, {}],
      ["DELETE", `${CREDENTIALS}/x`, undefined],
      ["POST", `${CREDENTIALS}/x/authorize`, {}],
      ["POST", "/api/svc/vault/rotate", {}],
    ] as const) {
      assert.equal(
        (await ask(service, method, path, body, made.data.token)).status,
        403,
        `${method} ${path}`,
      );
      const bare = await service.fetch(path, {
        method,
        ...(body && { headers: { "content-type": "application/json" }, body: "{}" }),
      });
      assert.equal(bare.status, 401, `${method} ${path}`);
    }
  });

  it("each kind goes where it belongs, and only to its hosts", async () => {
    const add = (body: InputOf<"create_credential">): Promise<unknown> =>
      addCredential(service, { hosts: ["api.example.com:8443"], ...body });
    await add({ name: "k-bearer", kind: "bearer", token: SECRET });
    await add({ name: "k-header", kind: "apiKey", key: SECRET });
    await add({ name: "k-query", kind: "apiKey", in: "query", parameter: "appid", key: SECRET });
    await add({ name: "k-cookie", kind: "apiKey", in: "cookie", parameter: "sid", key: SECRET });
    await add({ name: "k-basic", kind: "basic", username: "jane", password: SECRET });
    const url = "https://api.example.com:8443/a";
    const none = { renewable: false, headers: {}, query: {}, cookies: {} };
    const pair = Buffer.from(`jane:${SECRET}`).toString("base64");
    for (const [name, expected] of [
      ["k-bearer", { ...none, headers: { authorization: `Bearer ${SECRET}` }, secrets: [SECRET] }],
      ["k-header", { ...none, headers: { "x-api-key": SECRET }, secrets: [SECRET] }],
      ["k-query", { ...none, query: { appid: SECRET }, secrets: [SECRET] }],
      ["k-cookie", { ...none, cookies: { sid: SECRET }, secrets: [SECRET] }],
      [
        "k-basic",
        { ...none, headers: { authorization: `Basic ${pair}` }, secrets: [SECRET, pair.replace(/=+$/, "")] },
      ],
    ] as const) {
      const given = await authorize(service, name, url);
      const secrets: readonly string[] = expected.secrets;
      assert.deepEqual(
        { ...given, secrets: given.secrets.filter((text) => secrets.includes(text)) },
        expected,
      );
      for (const other of [
        "https://api.example.com/a",
        "https://api.example.com.evil.example:8443/a",
        "https://evil.example/?api.example.com:8443",
      ]) {
        await refusal(authorize(service, name, other), "blocked", /bound to api\.example\.com:8443/);
      }
      await refusal(
        authorize(service, name, "http://api.example.com:8443/a"),
        "blocked",
        /not sent over http/,
      );
    }
    await add({ name: "k-plain", kind: "bearer", token: SECRET, allowHttp: true });
    assert.equal((await authorize(service, "k-plain", "http://api.example.com:8443/a")).secrets[0], SECRET);
    await addCredential(service, { name: "k-local", kind: "bearer", token: SECRET, hosts: ["127.0.0.1"] });
    assert.equal((await authorize(service, "k-local", "http://127.0.0.1:9999/a")).secrets[0], SECRET);
  });

  it("that a server repeats are known in every usual encoding, too", async () => {
    const password = `a"b&c=/d${SECRET}==`;
    await addCredential(service, {
      name: "odd",
      kind: "basic",
      username: "jane",
      password,
      hosts: ["127.0.0.1"],
    });
    const { secrets } = await authorize(service, "odd", "http://127.0.0.1/");
    const pair = Buffer.from(`jane:${password}`).toString("base64");
    for (const text of [
      password,
      encodeURIComponent(password),
      JSON.stringify(password),
      pair,
      encodeURIComponent(pair),
      encodeURIComponent(password).toLowerCase().replace(SECRET.toLowerCase(), SECRET),
      new URLSearchParams({ key: password }).toString(),
      password.replaceAll("&", "&amp;").replaceAll('"', "&quot;"),
      password.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replace("/", "&#x2F;"),
      `a&quot;b&amp;c&#x3D;&#x2F;d${SECRET}&#x3D;&#x3D;`,
      `a\\"b\\u0026c=/d${SECRET}==`,
      `a\\"b\\u0026c\\u003d/d${SECRET}\\u003d\\u003d`,
      ...["", "x", "xy"].flatMap((before) => [
        Buffer.from(`${before}${password} and more`).toString("base64"),
        Buffer.from(`${before}${password}`).toString("base64url"),
      ]),
      Buffer.from(password).toString("hex"),
      Buffer.from(password).toString("hex").toUpperCase(),
    ]) {
      assert.ok(
        secrets.some((form) => text.includes(form)),
        text,
      );
    }
  });

  it("belong to everybody or to one caller, whose own one wins", async () => {
    const jane: Caller = { kind: "key", id: "key_jane", scopes: new Set(["run"]) };
    const joe: Caller = { kind: "key", id: "key_joe", scopes: new Set(["run"]) };
    const base = { kind: "bearer", hosts: ["api.example.com"] } as const;
    await addCredential(service, { ...base, name: "mine", owner: "key_jane", secret: `${SECRET}-jane` });
    const url = "https://api.example.com/";
    assert.equal((await authorize(service, "mine", url, { caller: jane })).secrets[0], `${SECRET}-jane`);
    await refusal(authorize(service, "mine", url, { caller: joe }), "not_found");
    assert.equal(await service.app.services.credentials.describe("mine", joe), null);
    await addCredential(service, { ...base, name: "mine", secret: `${SECRET}-all` });
    assert.equal((await authorize(service, "mine", url, { caller: joe })).secrets[0], `${SECRET}-all`);
    assert.equal((await authorize(service, "mine", url, { caller: jane })).secrets[0], `${SECRET}-jane`);
    const others = await ask(service, "PATCH", `${CREDENTIALS}/mine?owner=key_jane`, { secret: "x" });
    assert.equal(others.status, 403, others.text);
    const begun = await ask(
      service,
      "POST",
      `${CREDENTIALS}/mine?owner=key_jane`.replace("?", "/authorize?"),
      {},
    );
    assert.equal(begun.status, 403, begun.text);
    const removed = await ask(service, "DELETE", `${CREDENTIALS}/mine?owner=key_jane`);
    assert.equal(removed.status, 200, removed.text);
    assert.equal((await authorize(service, "mine", url, { caller: jane })).secrets[0], `${SECRET}-all`);
  });

  it("leave events and provenance of every change, without the secret", async () => {
    await addCredential(service, { name: "traced", kind: "bearer", hosts: ["a.example"], secret: SECRET });
    await ask(service, "PATCH", `${CREDENTIALS}/traced`, { secret: `${SECRET}-2` });
    await ask(service, "DELETE", `${CREDENTIALS}/traced`);
    const { store, provenance } = service.app.services;
    const events = await store.read.events.after(0, 500);
    const own = events.filter(({ subject }) => subject === "credentials/traced");
    assert.deepEqual(
      own.map(({ type }) => type),
      ["svc.credential.created", "svc.credential.replaced", "svc.credential.removed"],
    );
    assert.ok(own.every(({ publicData }) => publicData === null));
    const records = await provenance.lookup({ subjectId: "traced", kind: "credential" }, { limit: 10 }, true);
    assert.equal(records.items.length, 3);
    assert.ok(!JSON.stringify([own, records]).includes(SECRET));
  });
});

describe("the master key", () => {
  const folders: string[] = [];
  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), "workflow-ui-vault-"));
    folders.push(made);
    return made;
  };
  after(() => {
    for (const path of folders) rmSync(path, { recursive: true, force: true });
  });
  const start = (path: string, masterKeys: readonly string[] = []): Promise<TestService> =>
    startService({ settings: { databaseUrl: `sqlite:${path}`, masterKeys } });
  const use = (service: TestService, name = "c"): Promise<unknown> =>
    authorize(service, name, "https://api.example.com/");
  const add = (service: TestService, name = "c"): Promise<unknown> =>
    addCredential(service, { name, kind: "bearer", hosts: ["api.example.com"], secret: SECRET });

  it("is a file of mode 600 made at the first start; rotation rewraps and keeps what was sealed", async () => {
    const path = join(folder(), "a.db");
    const file = `${path}-master-key`;
    let service = await start(path);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    await add(service);
    const stored = (): Readonly<Record<string, unknown>> => {
      const db = new DatabaseSync(path, { readOnly: true });
      const row = db.prepare("SELECT * FROM credentials WHERE name = 'c'").get() ?? {};
      db.close();
      return row;
    };
    const before = stored();
    const rotated = await ask(service, "POST", "/api/svc/vault/rotate", {});
    assert.equal(rotated.status, 200, rotated.text);
    assert.equal(rotated.data.rotation.rewrapped, 1);
    const after_ = stored();
    assert.equal(after_["sealed"], before["sealed"]);
    assert.notEqual(after_["wrapped_key"], before["wrapped_key"]);
    assert.notEqual(after_["master_key_id"], before["master_key_id"]);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    await use(service);
    await service.close();
    service = await start(path);
    await use(service);
    await ask(service, "POST", "/api/svc/vault/rotate", {});
    const lines = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    assert.equal(lines.length, 2, "the key in use and the one before it");
    await service.close();
  });

  it("that is lost makes credentials unusable and nothing else, says so, and works again when it is back", async () => {
    const path = join(folder(), "a.db");
    const file = `${path}-master-key`;
    let service = await start(path);
    await add(service);
    await service.call("save_artifact", { artifact: { title: "Kept", type: "note" } }, { key: true });
    await service.close();
    const key = readFileSync(file);
    rmSync(file);

    service = await start(path);
    const { data } = await ask(service, "GET", `${CREDENTIALS}/c`);
    assert.equal(data.credential.state, "unusable");
    assert.match(data.credential.nextAction ?? "", /master key back/);
    await refusal(
      use(service),
      "unavailable",
      /sealed with the master key mk_[0-9a-f]{16}, and .* does not hold it/,
    );
    const { envelope } = await service.call("list_artifacts", {}, { key: true });
    assert.equal(envelope.data.artifacts[0]?.title, "Kept");
    const refused = await ask(service, "POST", CREDENTIALS, {
      name: "d",
      kind: "bearer",
      hosts: ["a"],
      secret: SECRET,
    });
    assert.equal(refused.status, 503, refused.text);
    assert.match(refused.text, /The vault has no master key/);
    await service.close();
    writeFileSync(file, key, { mode: 0o600 });
    service = await start(path);
    await use(service);
    await service.close();
  });

  it("that is lost for good: a new one on request only, and the old credentials take a new secret", async () => {
    const path = join(folder(), "a.db");
    let service = await start(path);
    await add(service);
    await service.close();
    rmSync(`${path}-master-key`);
    service = await start(path);
    const rotated = await ask(service, "POST", "/api/svc/vault/rotate", {});
    assert.deepEqual(rotated.data.rotation.unusable, ["c"]);
    await add(service, "d");
    await use(service, "d");
    await refusal(use(service), "unavailable");
    await ask(service, "PATCH", `${CREDENTIALS}/c`, { secret: SECRET });
    await use(service);
    await service.close();
  });

  it("from SVC_MASTER_KEY: a wrong one is recognised, and NEW,OLD rotates", async () => {
    const path = join(folder(), "a.db");
    const [old, next, wrong] = [masterKey(), masterKey(), masterKey()];
    let service = await start(path, [old]);
    await add(service);
    await service.close();
    service = await start(path, [wrong]);
    await refusal(use(service), "unavailable", /SVC_MASTER_KEY does not hold it/);
    await service.close();
    service = await start(path, [next, old]);
    await use(service);
    const rotated = await ask(service, "POST", "/api/svc/vault/rotate", {});
    assert.equal(rotated.data.rotation.rewrapped, 1, rotated.text);
    await service.close();
    service = await start(path, [next]);
    await use(service);
    await service.close();
  });

  it("opens nothing that was moved or changed in the database", async () => {
    const path = join(folder(), "a.db");
    const service = await start(path);
    await add(service);
    await add(service, "other");
    const change = async (sql: string): Promise<void> => {
      const db = new DatabaseSync(path);
      const before = db.prepare("SELECT * FROM credentials WHERE name = 'c'").get() ?? {};
      db.exec(sql);
      await refusal(
        authorize(service, "c", sql.includes("evil") ? "https://evil.example/" : "https://api.example.com/"),
        "unavailable",
        /damaged or changed outside/,
      );
      const names = Object.keys(before);
      db.prepare(
        `UPDATE credentials SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE name = 'c'`,
      ).run(...Object.values(before));
      db.close();
      await use(service);
    };
    const from = (column: string): string => `(SELECT ${column} FROM credentials WHERE name = 'other')`;
    await change(
      `UPDATE credentials SET sealed = ${from("sealed")}, wrapped_key = ${from("wrapped_key")} WHERE name = 'c'`,
    );
    await change(`UPDATE credentials SET sealed = ${from("sealed")} WHERE name = 'c'`);
    await change(`UPDATE credentials SET hosts = '["evil.example"]' WHERE name = 'c'`);
    await change(
      `UPDATE credentials SET kind = 'apiKey', settings = '{"in":"header","parameter":"x"}' WHERE name = 'c'`,
    );
    await service.close();
  });

  it("is needed from SVC_MASTER_KEY with PostgreSQL, and the refusal says so", async () => {
    const databaseUrl = await (await testPostgres()).createDatabase();
    let service = await startService({ settings: { databaseUrl } });
    const refused = await ask(service, "POST", CREDENTIALS, {
      name: "c",
      kind: "bearer",
      hosts: ["a"],
      secret: SECRET,
    });
    assert.equal(refused.status, 503, refused.text);
    assert.match(refused.text, /PostgreSQL it comes from SVC_MASTER_KEY, which every replica must have/);
    await service.close();
    service = await startService({ settings: { databaseUrl, masterKeys: [masterKey()] } });
    await add(service);
    await use(service);
    await service.close();
  });
});
