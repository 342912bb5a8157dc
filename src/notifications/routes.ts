import { randomBytes } from "node:crypto";
import { recordChange } from "../audit/record.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import { requireScope } from "../ports/caller.ts";
import type { HttpAnswer, HttpRoute } from "../ports/http.ts";
import { MAIL_MODES, type NotificationTarget } from "../ports/notifications.ts";
import type { Services } from "../ports/services.ts";
import type { StoreTx } from "../ports/store.ts";
import { settingsOf } from "./notifier.ts";

const ACCOUNT = "/api/svc/account/notifications";
const TARGETS = "/api/svc/notification-targets";
const UNSUBSCRIBE = "/api/svc/unsubscribe/{token}";
const MOST_TARGETS = 200;
const text: JsonObject = { type: "string" };

/** The paths with which people choose how they are notified of approvals. */
export const notificationRoutes: readonly HttpRoute[] = [
  {
    method: "GET",
    path: ACCOUNT,
    summary: "How the signed-in person is notified of approvals: mail is immediate, digest or off.",
    access: "person",
    async handle({ context: { services, caller } }) {
      const settings = await services.store.read.notifications.settings(caller.id);
      return { status: 200, body: ok(choice(services, settings?.mail ?? "immediate")) };
    },
  },
  {
    method: "POST",
    path: ACCOUNT,
    summary: "Chooses how the signed-in person gets mail about approvals {mail}.",
    access: "person",
    body: { type: "object", required: ["mail"], properties: { mail: { enum: [...MAIL_MODES] } } },
    async handle({ body, context: { services, caller } }) {
      const given = isObject(body) ? body["mail"] : undefined;
      const mail = MAIL_MODES.find((mode) => mode === given);
      if (mail === undefined) throw wrong("mail", `one of ${MAIL_MODES.join(", ")}`);
      await services.store.transact(async (tx) => {
        await tx.notifications.putSettings({ ...(await settingsOf(tx, caller.id)), mail });
      });
      return { status: 200, body: ok(choice(services, mail)) };
    },
  },
  {
    method: "GET",
    path: TARGETS,
    summary: "The webhooks that are told of approvals of a person or a group.",
    access: "key",
    async handle({ context: { services, caller } }) {
      requireScope(caller, "admin");
      const targets = await services.store.read.notifications.targets();
      return { status: 200, body: ok({ targets: targets.map(targetView) }) };
    },
  },
  {
    method: "POST",
    path: TARGETS,
    summary:
      "Adds a webhook {owner: person:… or group:…, url}; the answer shows its signing secret this once.",
    access: "key",
    status: 201,
    body: { type: "object", required: ["owner", "url"], properties: { owner: text, url: text } },
    async handle({ body, context: { services, caller } }) {
      requireScope(caller, "admin");
      const given = isObject(body) ? body : {};
      const target: NotificationTarget = {
        id: newId("target"),
        owner: await ownerIn(services, given["owner"]),
        url: urlIn(given["url"]),
        secret: `whsec_${randomBytes(32).toString("base64")}`,
        createdBy: caller.id,
        createdAt: new Date(services.clock.now()).toISOString(),
      };
      await services.store.transact(async (tx) => {
        const known = await tx.notifications.targets();
        if (known.length >= MOST_TARGETS) {
          throw new AppError("conflict", `There are ${MOST_TARGETS} notification targets already.`);
        }
        await tx.notifications.insertTarget(target);
        await recordTarget(services, tx, "created", target, caller.id);
      });
      return { status: 201, body: ok({ target: targetView(target), secret: target.secret }) };
    },
  },
  {
    method: "DELETE",
    path: `${TARGETS}/{id}`,
    summary: "Removes a webhook of a person or a group.",
    access: "key",
    async handle({ params, context: { services, caller } }) {
      requireScope(caller, "admin");
      const id = params["id"] ?? "";
      await services.store.transact(async (tx) => {
        const target = (await tx.notifications.targets()).find((one) => one.id === id);
        if (target === undefined || !(await tx.notifications.removeTarget(id)))
          throw new AppError("not_found", "There is no notification target with this id.");
        await recordTarget(services, tx, "deleted", target, caller.id);
      });
      return { status: 200, body: ok({ removed: id }) };
    },
  },
  {
    method: "GET",
    path: UNSUBSCRIBE,
    summary:
      "The page behind the link of a mail: asks whether mails about approvals should stop. Changes nothing.",
    access: "public",
    contentType: "text/html",
    async handle({ params, context: { services } }) {
      const known = await services.store.read.notifications.byToken(params["token"] ?? "");
      return known === null
        ? page(404, "This link does not work.", "")
        : page(
            200,
            "Stop mails about approvals?",
            '<form method="post"><button type="submit">Stop these mails</button></form>',
          );
    },
  },
  {
    method: "POST",
    path: UNSUBSCRIBE,
    summary: "Stops the mails of one person (RFC 8058): mail programs and the page above send it.",
    access: "public",
    contentType: "text/html",
    bodyType: "application/x-www-form-urlencoded",
    async handle({ params, context: { services } }) {
      const done = await services.store.transact(async (tx) => {
        const known = await tx.notifications.byToken(params["token"] ?? "");
        if (known === null) return false;
        await tx.notifications.putSettings({ ...known, mail: "off" });
        return true;
      });
      return done
        ? page(200, "You get no more mails about approvals.", "You can turn them on again in your account.")
        : page(404, "This link does not work.", "");
    },
  },
];

/** Who is notified where. The address may hold a secret in its path or query: only its origin is written. */
async function recordTarget(
  { provenance }: Services,
  tx: StoreTx,
  change: "created" | "deleted",
  { id, owner, url }: NotificationTarget,
  by: string,
): Promise<void> {
  const data: JsonObject = { id, owner, origin: new URL(url).origin, by };
  await recordChange(tx, provenance, {
    action: `notification.target_${change}`,
    by,
    subject: `notification-targets/${id}`,
    data,
    fact: {
      kind: "notification_target",
      subjectId: id,
      digest: digestOf({ ...data, url, change }),
      privacy: "restricted",
      predicate: { ...data, change },
    },
  });
}

function choice({ settings }: Services, mail: string): JsonObject {
  return { mail, isMailConfigured: settings.smtp !== null };
}

function targetView({ secret: _secret, ...shown }: NotificationTarget): JsonObject {
  return shown;
}

/** All words of it are ours. */
function page(status: number, title: string, more: string): HttpAnswer {
  return {
    status,
    contentType: "text/html; charset=utf-8",
    headers: {
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "content-security-policy": "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
    },
    content: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head><body><main><h1>${title}</h1>${more}</main></body></html>`,
  };
}

async function ownerIn({ store }: Services, given: unknown): Promise<string> {
  const [, kind, rest = ""] =
    /^(person|group):(.{1,300})$/.exec(typeof given === "string" ? given : "") ?? [];
  const { people, groups } = store.read;
  if (kind === "person") {
    const person = rest.includes("@") ? await people.byEmail(rest.toLowerCase()) : await people.get(rest);
    if (person !== null) return `person:${person.id}`;
  } else if (kind === "group") {
    const group = await groups.byName(rest);
    if (group !== null) return `group:${group.name.toLowerCase()}`;
  }
  throw wrong("owner", "person: with an id or e-mail address, or group: with the name of a group");
}

function urlIn(given: unknown): string {
  const url = typeof given === "string" && URL.canParse(given) ? new URL(given) : null;
  const isHttp = url?.protocol === "https:" || url?.protocol === "http:";
  if (url === null || !isHttp || url.username !== "" || url.href.length > 2_000) {
    throw wrong("url", "an http or https address without a user name");
  }
  return url.href;
}

function wrong(member: string, expected: string): AppError {
  return new AppError("invalid_input", `"${member}" must be ${expected}.`, {
    problems: [{ pointer: `/${member}`, message: "is not usable", expected, fix: `Give ${expected}.` }],
  });
}
