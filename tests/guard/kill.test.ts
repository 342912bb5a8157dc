import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ask, ORDERS } from "../agent/support.ts";
import { startApiServer, type ApiServer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import { PASSWORD, tokenIn, Visitor } from "../people/support.ts";
import { startServiceProcess, TEST_KEY, type ServiceProcess } from "../support/service.ts";
import { ask as restAs, until } from "../triggers/support.ts";
import { decide, ORDER } from "./support.ts";

/* kill -9 while a guarded call waits for its approval, and while it executes: it is made once, or never. */

let folder = "";
let api: ApiServer;
let service: ServiceProcess;
/** Orders whose answer is held back. */
const open: ServerResponse[] = [];
let isHeld = false;

const start = (): Promise<ServiceProcess> =>
  startServiceProcess({ DATABASE_URL: `sqlite:${join(folder, "service.db")}` });
const orders = (): number => api.seen.filter(({ method }) => method === "POST").length;
const run = async (id: string) => (await restAs(service, "GET", `/api/svc/runs/${id}`)).data.run;
const current: Pick<ServiceProcess, "fetch"> & { readonly key: string } = {
  key: TEST_KEY,
  fetch: (path, init) => service.fetch(path, init),
};

async function killed(): Promise<void> {
  await service.stop("SIGKILL");
  service = await start();
}

describe("guarded calls and kill -9", () => {
  const visitor = new Visitor(current);
  let agent = "";

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "workflow-ui-"));
    api = await startApiServer({
      "GET /openapi.json": (_request, response) =>
        void response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ ...ORDERS, servers: [{ url: api.url }] })),
      "POST /orders": (_request, response) => {
        if (isHeld) open.push(response);
        else response.writeHead(201, { "content-type": "application/json" }).end('{"id":"o1"}');
      },
    });
    service = await start();
    const url = `${api.url}/openapi.json`;
    const added = await rest(current, "POST", "", {
      name: "shop",
      kind: "openapi",
      url,
      allowPrivateOrigin: true,
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    const person = { email: "approver@example.com", name: "An approver", role: "approver" };
    const invited = await restAs(current, "POST", "/api/svc/people", person);
    assert.equal(invited.status, 201, JSON.stringify(invited.data));
    const token = tokenIn(invited.data.invitation.url);
    const joined = await visitor.ask("POST", "/api/svc/invitations/follow", { token, password: PASSWORD });
    assert.equal(joined.status, 201, joined.text);
    const key = { name: "agent", scopes: ["run", "write"] };
    agent = (await restAs(current, "POST", "/api/svc/keys", key)).data.token;
  });
  after(async () => {
    await service?.stop("SIGKILL");
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("a call that waits is there after the restart, and is made once", async () => {
    const held = await ask(current, "call", ORDER, agent);
    assert.equal(held.data.status, "approval_required", held.text);
    await killed();
    assert.equal(orders(), 0);
    assert.equal((await decide({ visitor }, held.data.approvalId)).status, 200);
    await until(
      () => run(held.data.runId),
      ({ status }) => status === "succeeded",
    );
    assert.equal(orders(), 1);
  });

  it("a call that was cut off while it executed is not made again: a person says what became of it", async () => {
    const before = orders();
    const held = await ask(current, "call", ORDER, agent);
    isHeld = true;
    assert.equal((await decide({ visitor }, held.data.approvalId)).status, 200);
    await until(
      async () => orders(),
      (count) => count === before + 1,
    );
    await killed();
    isHeld = false;
    for (const response of open) response.destroy();
    const cut = await until(
      () => run(held.data.runId),
      ({ steps }) => JSON.stringify(steps).includes("outcome_unknown"),
    );
    assert.notEqual(cut.status, "succeeded");
    assert.equal(orders(), before + 1);
  });
});
