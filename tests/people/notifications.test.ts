import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { SMTPServer } from "smtp-server";
import { Webhook } from "standardwebhooks";
import { runToApproval, startService, startServiceProcess, type TestService } from "../support/service.ts";
import { addMember, makeOwner, type Member } from "./support.ts";
import { approve, waiting } from "./waiting.ts";

/* Mail through a real SMTP server, webhooks to a real HTTP server. */

const mails: string[] = [];
let refusals = 0;
let smtp: SMTPServer;
let smtpUrl: string;
let hooks: { readonly headers: Record<string, string>; readonly body: string }[] = [];
let receiver: Server;
let service: TestService;
let owner: Member;
let ada: Member;
let folder: string;

before(async () => {
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onData(stream, _session, done) {
      let text = "";
      stream.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      stream.on("end", () => {
        if (refusals > 0) {
          refusals--;
          done(Object.assign(new Error("busy"), { responseCode: 451 }));
          return;
        }
        mails.push(text);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => {
    smtp.listen(0, "127.0.0.1", resolve);
  });
  const address = smtp.server.address();
  smtpUrl = `smtp://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      hooks.push({ headers, body });
      response.end("ok");
    });
  });
  await new Promise<void>((resolve) => {
    receiver.listen(0, "127.0.0.1", resolve);
  });
  folder = mkdtempSync(join(tmpdir(), "notify-"));
  service = await startService({
    settings: {
      smtp: { url: smtpUrl, from: "service@example.com" },
      trustedHosts: [`127.0.0.1:${portOf(receiver)}`],
    },
    notifications: { pollMs: 50, digestMs: 3_000, backoffMs: [100, 100, 100] },
  });
  owner = await makeOwner(service);
  ada = await addMember(service, owner, "approver", "ada@example.com");
});
after(async () => {
  await service?.close();
  await new Promise<void>((resolve) => {
    smtp.close(() => resolve());
  });
  receiver?.close();
  rmSync(folder, { recursive: true, force: true });
});

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 2_400; tries++) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what} did not come`);
}

/** Soft line breaks of quoted-printable taken out. */
const plain = (mail: string): string => mail.replaceAll("=\r\n", "").replaceAll("=3D", "=");
const mailAbout = (id: string): Promise<string> =>
  until(`a mail about ${id}`, () => mails.map(plain).find((mail) => mail.includes(id)));
const header = (mail: string, name: string): string =>
  new RegExp(`^${name}: *(.*)$`, "im").exec(mail.replaceAll(/\r\n[ \t]+/g, " "))?.[1]?.trim() ?? "";

it("a person who may decide gets one mail with a link that opens the approval, and nothing of its content", async () => {
  refusals = 1;
  const asked = await waiting(service, {
    title: "Pay 4711 to Eve?",
    show: { account: "DE-SECRET" },
    approvers: ["person:ada@example.com"],
  });
  const mail = await mailAbout(asked.id);
  assert.equal(header(mail, "To"), "ada@example.com");
  assert.equal(header(mail, "Subject"), "An approval waits for your decision");
  for (const secret of ["4711", "Eve", "DE-SECRET", asked.digest]) assert.ok(!mail.includes(secret), secret);
  const link = /https?:\/\/\S+\/approvals\?id=\S+/.exec(mail)?.[0] ?? "";
  const page = await fetch(link, { headers: { accept: "text/html" } });
  assert.equal(page.status, 200);
  assert.match(page.headers.get("content-type") ?? "", /text\/html/);
  assert.equal(new URL(link).searchParams.get("id"), asked.id);
  const { store } = service.app.services;
  assert.equal((await store.read.approvals.get(asked.id))?.state, "pending", "opening decides nothing");
  const rows = await until("the row", async () => {
    const found = await store.read.notifications.ofApproval(asked.id);
    return found.every(({ state }) => state === "sent") ? found : undefined;
  });
  assert.deepEqual(
    rows.map(({ attempts, recipient }) => [attempts, recipient]),
    [[2, ada.id]],
    "the first attempt was refused",
  );
  const sent = () => mails.map(plain).filter((one) => one.includes(asked.id));
  assert.equal(sent().length, 1);
  // As after a crash between sending and noting it: the mail goes out again, under the same Message-ID.
  const [row] = rows;
  assert.ok(row !== undefined);
  const again = { ...row, state: "pending" as const, nextAttemptAt: new Date(0).toISOString(), sentAt: null };
  await store.transact((tx) => tx.notifications.settle(again));
  await until("the second mail", () => (sent().length === 2 ? true : undefined));
  assert.equal(new Set(sent().map((one) => header(one, "Message-ID"))).size, 1);
});

it("what was decided before it was sent is not sent, and one that names nobody is not announced", async () => {
  const open = await waiting(service, {});
  let asked = open;
  // A busy machine needs longer until the mail is there and the approval is decided.
  for (const reminderMs of [4_000, 20_000, 60_000]) {
    const early = Date.now() + reminderMs;
    asked = await waiting(service, { approvers: ["person:ada@example.com"], reminderMs });
    const due = Date.now() + reminderMs;
    await mailAbout(asked.id);
    assert.equal((await approve(ada, asked, asked.digest)).data.ok, true);
    const isInTime = Date.now() < early;
    await new Promise((resolve) => setTimeout(resolve, due - Date.now()));
    if (isInTime) break;
  }
  const later = await waiting(service, { approvers: ["person:ada@example.com"] });
  await mailAbout(later.id);
  assert.equal(mails.map(plain).filter((one) => one.includes(asked.id)).length, 1);
  assert.ok(!mails.some((one) => plain(one).includes(open.id)));
});

it("a digest puts several into one mail; unsubscribing by one click ends mails, opening the link does not", async () => {
  const bob = await addMember(service, owner, "approver", "bob@example.com");
  const set = await bob.visitor.ask("POST", "/api/svc/account/notifications", { mail: "digest" });
  assert.deepEqual(set.data, { mail: "digest", isMailConfigured: true });
  const approvers = ["person:bob@example.com"];
  const [first, second] = await Promise.all([
    waiting(service, { approvers }),
    waiting(service, { approvers }),
  ]);
  const mail = await mailAbout(first.id);
  assert.ok(mail.includes(second.id), mail);
  assert.equal(header(mail, "Subject"), "2 approvals wait for your decision");
  assert.equal(header(mail, "List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
  const url = header(mail, "List-Unsubscribe").slice(1, -1);
  const mode = async () => (await bob.visitor.ask("GET", "/api/svc/account/notifications")).data.mail;
  const opened = await fetch(url);
  assert.equal(opened.status, 200);
  assert.match(await opened.text(), /<form method="post">/);
  assert.equal(await mode(), "digest");
  const clicked = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "List-Unsubscribe=One-Click",
  });
  assert.equal(clicked.status, 200);
  assert.equal(await mode(), "off");
  assert.equal((await fetch(`${url}x`, { method: "POST" })).status, 404);
  assert.equal((await bob.visitor.ask("POST", "/api/svc/account/notifications", { mail: "x" })).status, 400);
});

it("a webhook of a group gets a signed message without content", async () => {
  hooks = [];
  await owner.visitor.ask("POST", "/api/svc/groups", { name: "Auditors", members: [ada.id] });
  const url = `http://127.0.0.1:${portOf(receiver)}/hook`;
  const made = await owner.visitor.ask("POST", "/api/svc/notification-targets", {
    owner: "group:auditors",
    url,
  });
  assert.equal(made.status, 201, made.text);
  const wrong = await owner.visitor.ask("POST", "/api/svc/notification-targets", {
    owner: "group:none",
    url,
  });
  assert.equal(wrong.status, 400);
  assert.equal((await ada.visitor.ask("GET", "/api/svc/notification-targets")).status, 403);
  const asked = await waiting(service, { title: "Pay 4711?", approvers: ["group:Auditors"] });
  const hook = await until("the webhook", () => hooks.find(({ body }) => body.includes(asked.id)));
  assert.ok(!hook.body.includes("4711"));
  new Webhook(made.data.secret).verify(hook.body, hook.headers);
  const list = await owner.visitor.ask("GET", "/api/svc/notification-targets");
  assert.ok(!list.text.includes(made.data.secret));
});

it("a mail arrives although the service was killed between commit and send, under the same Message-ID", async () => {
  const env = { DATABASE_URL: `sqlite:${join(folder, "killed.db")}`, SMTP_FROM: "service@example.com" };
  // The first process has a mail server that takes nothing, so nothing is sent before it is killed.
  const dead = "smtp://127.0.0.1:9";
  const links: string[] = [];
  const keep = (line: string): void => {
    const link = /https?:\/\/\S+\/join#\S+/.exec(line)?.[0];
    if (link !== undefined) links.push(link);
  };
  const first = await startServiceProcess({ ...env, SMTP_URL: dead }, [], keep);
  const post = (path: string, body: object) =>
    first.fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-suite-page": "1" },
      body: JSON.stringify(body),
    });
  const token = await until("the owner's link", () => links[0]?.split("#")[1]);
  const joined = await post("/api/svc/invitations/follow", {
    token,
    email: "late@example.com",
    name: "Late",
    password: "correct horse battery",
  });
  assert.equal(joined.status, 201);
  const made = await first.call(
    "create_workflow",
    {
      name: "Asks",
      nodes: [
        { id: "ask", type: "approval", approval: { title: "Go?", approvers: ["person:late@example.com"] } },
      ],
      edges: [],
    },
    { key: true },
  );
  const id: string = (await runToApproval(first, made.envelope.data.workflow.id)).approvals[0].id;
  assert.equal(await first.stop("SIGKILL"), "SIGKILL");
  assert.ok(!mails.some((mail) => plain(mail).includes(id)));
  const second = await startServiceProcess({ ...env, SMTP_URL: smtpUrl });
  try {
    const mail = await mailAbout(id);
    assert.match(header(mail, "Message-ID"), /^<notification_[0-9a-z]+@127\.0\.0\.1>$/);
  } finally {
    await second.stop("SIGKILL");
  }
});
