import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createClient } from "../../packages/client/client.ts";
import { isJsonObject, type JsonObject } from "../../src/kernel/json.ts";
import { startCliWorld, type CliWorld } from "../cli/support.ts";
import { json, startApiServer, type ApiServer } from "./api-server.ts";
import { rest } from "./rest.ts";

/* From a pasted file of another tool to a run: the connection is proposed, added, and its step sends the request. */

let world: CliWorld;
let api: ApiServer;

before(async () => {
  [world, api] = await Promise.all([
    startCliWorld(),
    startApiServer({
      "POST /orders": json({ id: "order-7" }, 201),
      "GET /orders/order-7": json({ id: "order-7", state: "open" }),
      "GET /openapi.json": json({
        openapi: "3.1.0",
        info: { title: "Orders", version: "1" },
        paths: {
          "/orders": { post: { operationId: "placeOrder", responses: { 201: { description: "taken" } } } },
        },
      }),
    }),
  ]);
});
after(async () => {
  await world?.close();
  await api?.close();
});

function importText(text: string, save = false, client = world.service.client) {
  return client.call("import_workflow", { text, save });
}

function nodesOf({ nodes }: JsonObject): readonly JsonObject[] {
  return Array.isArray(nodes) ? nodes.filter(isJsonObject) : [];
}

function collection(): string {
  return JSON.stringify({
    info: { name: "Orders", schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
    item: [
      {
        name: "Place",
        event: [
          { listen: "test", script: { exec: ["pm.environment.set('orderId', pm.response.json().id)"] } },
        ],
        request: {
          method: "POST",
          url: `${api.url}/orders`,
          header: [{ key: "X-Api-Key", value: "canary-import-key" }],
          body: { mode: "raw", raw: '{"item": "tea"}', options: { raw: { language: "json" } } },
        },
      },
      { name: "Look", request: `${api.url}/orders/{{orderId}}` },
    ],
  });
}

describe("importing requests", () => {
  it("proposes the connection, and the workflow runs once it is there", async () => {
    const data = await importText(collection());
    const [proposed] = data.connections;
    assert.ok(proposed);
    assert.equal(proposed.state, "new");
    assert.equal(proposed.credential?.parameter, "X-Api-Key");
    assert.equal(JSON.stringify(data).includes("canary"), false);
    const { name, kind, title, url, document } = proposed;
    const added = await rest(world.service, "POST", "", {
      name,
      kind,
      title,
      url,
      document,
      allowPrivateOrigin: true,
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    const saved = await importText(collection(), true);
    assert.equal(saved.connections[0]?.state, "ready");
    assert.deepEqual(saved.validation.problems, []);
    const { client } = world.service;
    let { run } = await client.call("run_workflow", { id: saved.workflow?.id ?? "", inputs: {} });
    for (let n = 0; n < 2_400 && !["succeeded", "failed"].includes(run.status); n++) {
      await new Promise((done) => setTimeout(done, 50));
      ({ run } = await client.call("get_workflow_run", { id: run.id }));
    }
    assert.equal(run.status, "succeeded", JSON.stringify(run.error));
    assert.deepEqual(
      api.seen.map(({ method, url: path, body }) => `${method} ${path} ${body.toString("utf8")}`),
      ['POST /orders {"item":"tea"}', "GET /orders/order-7 "],
    );
  });

  it("leaves another connection of the same name alone and tells the public nothing about it", async () => {
    const other = await rest(world.service, "POST", "", {
      name: "taken-example",
      kind: "http",
      url: "https://elsewhere.example",
      document: { requests: [{ name: "get", method: "GET", path: "/" }] },
    });
    assert.equal(other.status, 201);
    const keyed = await importText("curl https://taken.example/x");
    assert.equal(keyed.connections[0]?.name, "taken-example-2");
    assert.equal(nodesOf(keyed.document)[0]?.tool, "taken-example-2:get_x");
    const open = await importText(
      "curl https://taken.example/x",
      false,
      createClient({ baseUrl: world.service.url }),
    );
    assert.equal(open.connections[0]?.name, "taken-example");
    assert.equal(open.connections[0]?.state, "new");
  });

  it("uses the connection that leads to the address, whatever it is called, and adds what it lacks", async () => {
    const added = await rest(world.service, "POST", "", {
      name: "shop",
      kind: "http",
      url: "https://shop.example",
      document: { requests: [{ name: "get_x", method: "GET", path: "/x" }] },
    });
    assert.equal(added.status, 201);
    const whole = await importText("curl https://shop.example/x");
    assert.equal(whole.connections[0]?.name, "shop");
    assert.equal(whole.connections[0]?.state, "ready");
    const more = "curl https://shop.example/x\ncurl https://shop.example/y";
    const part = await importText(more);
    assert.equal(part.connections[0]?.name, "shop");
    assert.equal(part.connections[0]?.state, "extend");
    assert.deepEqual(part.connections[0]?.adds, ["get_y"]);
    const file = join(world.folder, "work", "more.sh");
    await writeFile(file, more);
    const ended = await world.run(["workflows", "import", file, "--connect"], { key: true });
    assert.equal(ended.status, 0, ended.stderr);
    const { connections } = (await rest(world.service, "GET", "")).body.data;
    const there = connections.filter(({ url }) => url?.startsWith("https://shop.example"));
    assert.deepEqual(
      there.map(({ name }) => name),
      ["shop"],
    );
    assert.deepEqual(there[0]?.definitions, { active: 2 });
  });

  it("leaves a connection alone that has another request under the same name", async () => {
    const added = await rest(world.service, "POST", "", {
      name: "depot",
      kind: "http",
      url: "https://depot.example",
      document: { requests: [{ name: "get_x", method: "DELETE", path: "/everything" }] },
    });
    assert.equal(added.status, 201);
    const { connections, document } = await importText("curl https://depot.example/x");
    assert.equal(connections[0]?.state, "new");
    assert.notEqual(connections[0]?.name, "depot");
    assert.equal(nodesOf(document)[0]?.tool, `${connections[0]?.name}:get_x`);
  });

  it("leaves a connection alone whose request does not take what the imported step sends", async () => {
    const stored = [
      { name: "get_list", method: "GET", path: "/list", query: { state: { type: "string" } } },
      {
        name: "post_list",
        method: "POST",
        path: "/list",
        contentType: "application/json",
        body: { type: "object", properties: { item: { type: "string" }, note: { type: "string" } } },
      },
    ];
    const added = await rest(world.service, "POST", "", {
      name: "mill",
      kind: "http",
      url: "https://mill.example",
      document: { requests: stored },
    });
    assert.equal(added.status, 201);
    const json = "-H 'content-type: application/json'";
    const imports = [
      ["curl 'https://mill.example/list?state=open'", "ready"],
      ["curl 'https://mill.example/list?state=open&limit=5'", "new"],
      ["curl https://mill.example/list -H 'x-trace: 1'", "new"],
      [`curl https://mill.example/list ${json} -d '{"item": "rye"}'`, "ready"],
      [`curl https://mill.example/list ${json} -d '{"item": 5}'`, "new"],
      [`curl https://mill.example/list ${json} -d '{"count": 5}'`, "new"],
      ["curl https://mill.example/list -d item=rye", "new"],
    ];
    for (const [text = "", state] of imports) {
      const { connections, validation } = await importText(text);
      assert.equal(connections[0]?.state, state, text);
      assert.equal(connections[0]?.name, state === "ready" ? "mill" : "mill-example", text);
      if (state === "ready") assert.deepEqual(validation.problems, [], text);
    }
  });

  it("is read in a worker within its deadline when the file is large", async () => {
    const commands = Array.from({ length: 900 }, (_, n) => `curl https://bulk.example/items/${n}`).join("\n");
    const { document, connections } = await importText(commands);
    assert.equal(nodesOf(document).length, 900);
    assert.equal(connections[0]?.document.requests.length, 1);
  });

  it("works from the command line", async () => {
    const file = join(world.folder, "work", "calls.sh");
    await writeFile(
      file,
      "curl -H 'Authorization: Bearer canary-cli-token' -k https://cli.example/reports\n",
    );
    const without = await world.run(["workflows", "import", file], { key: true });
    assert.equal(without.status, 0, without.stderr);
    const printed = without.stdout + without.stderr;
    assert.match(printed, /cli-example \(https:\/\/cli\.example, 1 request\), which is not there/);
    assert.match(printed, /cli-example needs a credential: bearer for cli\.example/);
    assert.match(printed, /Lost on the way: The option --insecure\. Certificates are always checked\./);
    const connected = await world.run(["workflows", "import", file, "--connect"], { key: true });
    assert.equal(connected.status, 0, connected.stderr);
    assert.match(connected.stdout + connected.stderr, /Added the connection cli-example/);
    const listed = await rest(world.service, "GET", "/cli-example/definitions");
    assert.equal(listed.body.data.definitions[0]?.name, "get_reports");
    assert.equal((printed + connected.stdout + connected.stderr).includes("canary"), false);
  });

  it("lets a connection that it adds reach its private address with --private", async () => {
    const file = join(world.folder, "work", "private.sh");
    await writeFile(file, "curl http://127.0.0.1:9/x\n");
    const added = await world.run(["workflows", "import", file, "--connect", "--private"], { key: true });
    assert.equal(added.status, 0, added.stderr);
    const { connections } = (await rest(world.service, "GET", "")).body.data;
    const found = connections.find(({ url }) => url?.startsWith("http://127.0.0.1:9"));
    assert.equal(found?.allowPrivateOrigin, "127.0.0.1:9");
  });

  it("adds a second connection to an address only with --another", async () => {
    const first = {
      name: "described",
      kind: "openapi",
      url: `${api.url}/openapi.json`,
      allowPrivateOrigin: true,
    };
    const added = await rest(world.service, "POST", "", first);
    assert.equal(added.status, 201, JSON.stringify(added.body));
    const file = join(world.folder, "work", "requests.json");
    const document = { requests: [{ name: "get", method: "GET", path: "/" }] };
    await writeFile(file, JSON.stringify(document));
    const own = { name: "bakery", kind: "http", url: "https://bakery.example", document };
    assert.equal((await rest(world.service, "POST", "", own)).status, 201);
    const ways = [
      // The description is found below the address that is given.
      ["described", ["--address", `${api.url}/`, "--private"]],
      ["bakery", ["--kind", "http", "--address", "https://bakery.example/", "--document", file]],
    ] as const;
    for (const [name, args] of ways) {
      const refused = await world.run(["connections", "add", `${name}-2`, ...args], { key: true });
      assert.equal(refused.status, 1, refused.stdout);
      assert.match(refused.stderr, new RegExp(`The connection ${name} leads to this address already`));
      const second = await world.run(["connections", "add", `${name}-2`, ...args, "--another"], {
        key: true,
      });
      assert.equal(second.status, 0, second.stderr);
    }
    const { connections } = (await rest(world.service, "GET", "")).body.data;
    const names = connections.map(({ name }: { name: string }) => name);
    for (const [name] of ways) assert.ok(names.includes(name) && names.includes(`${name}-2`), names.join());
  });
});
