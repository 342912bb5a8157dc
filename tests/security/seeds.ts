import assert from "node:assert/strict";
import type { OperationName } from "../../packages/client/client.ts";
import { asOperator, tokenIn, Visitor } from "../people/support.ts";
import { testPacket } from "../siblings/packets.ts";
import { TEST_KEY, type ServiceProcess } from "../support/service.ts";

/** Records of every kind in a running service, so that a request by id reaches more than "there is no such record". */
export interface Seeds {
  /** A path with the ids of such records in place of its parameters. */
  fill(path: string): string;
  /** What a request of the operator carries, or of a signed-in person. */
  headers(access: unknown): Readonly<Record<string, string>>;
}

/** Parameters of links that a browser is led to in the middle of a sign-in: they hold for minutes and name no record. */
const OF_A_MOMENT = /^\/oauth\/|\/unsubscribe\/|\/passkeys\/|\/oauth\/clients\//;

/** Whether the parameters of a path are filled with ids of real records. */
export function isSeeded(path: string): boolean {
  return path.includes("{") && !OF_A_MOMENT.test(path);
}

const API = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "http://127.0.0.1:1" }],
  paths: { "/pets": { get: { operationId: "getPets", responses: { 200: { description: "ok" } } } } },
};

/** Stores the records. */
export async function seed(service: ServiceProcess): Promise<Seeds> {
  const operator = new Visitor(service);
  const post = async <P extends string>(path: P, body: unknown) => {
    const { status, data, text } = await asOperator(service, "POST", `/api/svc/${path}`, body);
    assert.ok(status < 300, `${path}: ${status} ${text}`);
    return data;
  };
  const call = async <N extends OperationName>(name: N, args: unknown) => {
    const { envelope, text } = await service.call(name, args, { key: true });
    assert.equal(envelope?.ok, true, `${name}: ${text}`);
    return envelope.data;
  };
  const invite = async (email: string): Promise<string> => {
    const invited = await post("people", { email, name: "Seed", role: "admin" });
    const visitor = new Visitor(service);
    const given = { token: tokenIn(invited.invitation.url), password: "correct horse battery" };
    const joined = await visitor.ask("POST", "/api/svc/invitations/follow", given);
    assert.equal(joined.status, 201, joined.text);
    sessions.push(visitor);
    return invited.person.id;
  };
  const sessions: Visitor[] = [];
  await invite("asks@example.com");
  const person = await invite("seed@example.com");
  const [asking] = sessions;
  assert.ok(asking);
  const nodes = [{ id: "ask", type: "approval", approval: { title: "?", show: "?" } }];
  const { workflow } = await call("create_workflow", { name: "Seed", nodes, edges: [] });
  await call("publish_workflow", { id: workflow.id });
  const { run } = await call("run_workflow", { id: workflow.id });
  const { run: other } = await call("run_workflow", { id: workflow.id });
  let approval = "";
  for (let waited = 0; approval === "" && waited < 1_500; waited++) {
    await new Promise((done) => setTimeout(done, 20));
    const { approvals } = await call("list_approvals", {});
    approval = approvals.find(({ runId }) => runId === run.id)?.id ?? "";
  }
  assert.notEqual(approval, "", "no approval waits");
  await post("connections", { name: "pets", kind: "openapi", document: API, allowPrivateOrigin: true });
  await post("credentials", { name: "secret", kind: "bearer", hosts: ["pets.example"], token: "seed-token" });
  await post("toolsets", { name: "chosen", title: "Chosen", tools: ["get_health"] });
  const packet = testPacket({ capability: "run_workflow" });
  await post("receive-handoff", packet);
  const group = await post("groups", { name: "Seeds", members: [person] });
  const key = await post("keys", { name: "seed", scopes: ["run"] });
  const hookUrl = "https://hook.example/x";
  const target = await post("notification-targets", { owner: `person:${person}`, url: hookUrl });
  const webhook = await post("webhooks", { url: hookUrl, types: ["svc.run.*"] });
  const hook = await post("triggers", { workflowId: workflow.id, kind: "webhook" });
  await post("triggers", { workflowId: workflow.id, kind: "form", slug: "seed" });
  const token = await asking.ask("POST", "/api/svc/tokens", { name: "seed", scopes: ["run"] });
  const [session] = (await asking.ask("GET", "/api/svc/sessions")).data.sessions;
  assert.ok(session);
  const published = await operator.ask("GET", "/.well-known/provenance.json");
  const log = JSON.parse(published.text);
  const ids: Readonly<Record<string, string>> = {
    "approvals/{id}": approval,
    "checkpoints/{treeSize}": String(log.checkpoint.treeSize),
    "connections/{connection}": "pets",
    "connections/{name}": "pets",
    "credentials/{name}": "secret",
    "groups/{id}": group.group.id,
    "handoffs/{id}": String(packet["id"]),
    "keys/{id}": key.key.id,
    "notification-targets/{id}": target.target.id,
    "people/{id}": person,
    "runs/{id}": run.id,
    "sessions/{id}": session.id,
    "tokens/{id}": token.data.record.id,
    "toolsets/{name}": "chosen",
    "traces/{id}": run.traceId,
    "triggers/{id}": hook.trigger.id,
    "webhooks/{id}": webhook.webhook.id,
    "workflows/{id}": workflow.id,
    "f/{slug}": "seed",
    "hooks/{id}": hook.trigger.id,
    "mcp/{name}": "chosen",
    "{definition}": "getPets",
    "{other}": other.id,
    "{version}": "1",
    "{personId}": person,
    "{tokenId}": token.data.record.id,
    "signals/{name}": "seed",
  };
  return {
    fill: (path) =>
      path.replaceAll(/([\w-]+)\/(\{\w+\})/g, (_all, collection: string, name: string) => {
        const id = ids[`${collection}/${name}`] ?? ids[name];
        if (id === undefined && isSeeded(path)) throw new Error(`${path} has no record for ${name}`);
        return `${collection}/${encodeURIComponent(id ?? "x")}`;
      }),
    headers: (access) => (access === "person" ? asking.headers : { authorization: `Bearer ${TEST_KEY}` }),
  };
}
