import { randomBytes } from "node:crypto";
import { Type } from "typebox";
import { recordChange } from "../audit/record.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import { AppError, invalidValue } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import type { JsonObject } from "../kernel/json.ts";
import { inputOf } from "../model/common.ts";
import { MAIL_MODES, NotificationChoice, NotificationTargetView } from "../model/notifications.ts";
import type { HttpAnswer } from "../ports/http.ts";
import type { NotificationTarget } from "../ports/notifications.ts";
import { operationsWith } from "../ports/operations.ts";
import type { Services } from "../ports/services.ts";
import type { StoreTx } from "../ports/store.ts";
import { settingsOf } from "./notifier.ts";

const MOST_TARGETS = 200;
const OWNER = /^(person|group):(.{1,300})$/;
const { operation, contentOperation, declared } = operationsWith<unknown>();
const token = Type.String({ maxLength: 200, description: "What the link of a mail ends with." });

operation({
  name: "get_notifications",
  title: "Show my notifications",
  description: "How the signed-in person is notified of approvals.",
  http: "GET /api/svc/account/notifications",
  access: "person",
  input: inputOf({}),
  output: NotificationChoice,
  async run(_input, { services, caller }) {
    const chosen = await services.store.read.notifications.settings(caller.id);
    return { mail: chosen?.mail ?? "immediate", isMailConfigured: services.settings.smtp !== null };
  },
});

operation({
  name: "set_notifications",
  title: "Choose my notifications",
  description: "Chooses how the signed-in person gets mail about approvals.",
  http: "POST /api/svc/account/notifications",
  access: "person",
  effect: "write",
  idempotent: true,
  input: inputOf({
    mail: Type.Enum([...MAIL_MODES], { description: "At once, once a day, or not at all." }),
  }),
  output: NotificationChoice,
  async run({ mail }, { services, caller }) {
    await services.store.transact(async (tx) => {
      await tx.notifications.putSettings({ ...(await settingsOf(tx, caller.id)), mail });
    });
    return { mail, isMailConfigured: services.settings.smtp !== null };
  },
});

operation({
  name: "list_notification_targets",
  title: "List notification targets",
  description: "The webhooks that are notified of approvals of a person or a group.",
  http: "GET /api/svc/notification-targets",
  access: "admin",
  input: inputOf({}),
  output: Type.Object({ targets: Type.Array(NotificationTargetView) }),
  run: async (_input, { services }) => ({
    targets: (await services.store.read.notifications.targets()).map(targetView),
  }),
});

operation({
  name: "add_notification_target",
  title: "Add a notification target",
  description:
    "Adds a webhook that is notified of approvals of a person or a group. The answer shows its signing secret this once.",
  http: "POST /api/svc/notification-targets",
  access: "admin",
  effect: "write",
  idempotent: false,
  status: 201,
  input: inputOf({
    owner: Type.String({
      maxLength: 310,
      description: "person: with an id or e-mail address, or group: with the name of a group.",
    }),
    url: Type.String({ maxLength: 2_000, description: "An http or https address without a user name." }),
  }),
  output: Type.Object({ target: NotificationTargetView, secret: Type.String() }),
  examples: [{ owner: "group:finance", url: "https://chat.example.com/hooks/approvals" }],
  async run({ owner, url }, { services, caller }) {
    const target: NotificationTarget = {
      id: newId("target"),
      owner: await ownerIn(services, owner),
      url: urlIn(url),
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
    return { target: targetView(target), secret: target.secret };
  },
});

operation({
  name: "remove_notification_target",
  title: "Remove a notification target",
  description: "Removes a webhook of a person or a group.",
  http: "DELETE /api/svc/notification-targets/{id}",
  access: "admin",
  effect: "destructive",
  idempotent: true,
  input: inputOf({
    id: Type.String({ description: "The id of the address, as list_notification_targets shows it." }),
  }),
  output: Type.Object({ removed: Type.String() }),
  async run({ id }, { services, caller }) {
    await services.store.transact(async (tx) => {
      const target = (await tx.notifications.targets()).find((one) => one.id === id);
      if (target === undefined || !(await tx.notifications.removeTarget(id)))
        throw new AppError("not_found", "There is no notification target with this id.");
      await recordTarget(services, tx, "deleted", target, caller.id);
    });
    return { removed: id };
  },
});

contentOperation({
  kind: "page",
  name: "show_unsubscribe",
  title: "Ask whether mails should stop",
  description: "The page behind the link of a mail. Changes nothing.",
  http: "GET /api/svc/unsubscribe/{token}",
  access: "public",
  contentType: "text/html",
  input: inputOf({ token }),
  output: Type.String(),
  async answer(input, { services }) {
    const known = await services.store.read.notifications.byToken(input.token);
    return known === null
      ? page(404, "This link does not work.", "")
      : page(
          200,
          "Stop mails about approvals?",
          '<form method="post"><button type="submit">Stop these mails</button></form>',
        );
  },
});

contentOperation({
  kind: "page",
  name: "stop_mails",
  title: "Stop mails about approvals",
  description:
    "Stops the mails of one person (RFC 8058): mail programs and the page behind the link send it.",
  http: "POST /api/svc/unsubscribe/{token}",
  access: "public",
  effect: "write",
  idempotent: true,
  contentType: "text/html",
  bodyType: "application/x-www-form-urlencoded",
  input: inputOf({ token }),
  output: Type.String(),
  async answer(input, { services }) {
    const done = await services.store.transact(async (tx) => {
      const known = await tx.notifications.byToken(input.token);
      if (known === null) return false;
      await tx.notifications.putSettings({ ...known, mail: "off" });
      return true;
    });
    return done
      ? page(200, "You get no more mails about approvals.", "You can turn them on again in your account.")
      : page(404, "This link does not work.", "");
  },
});

/** What people and admins do about notifications. */
export const notificationOperations = declared;

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

function targetView({ id, owner, url, createdBy, createdAt }: NotificationTarget): NotificationTargetView {
  return { id, owner, url, createdBy, createdAt };
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

async function ownerIn({ store }: Services, given: string): Promise<string> {
  const [, kind, rest = ""] = OWNER.exec(given) ?? [];
  const { people, groups } = store.read;
  if (kind === "person") {
    const person = rest.includes("@") ? await people.byEmail(rest.toLowerCase()) : await people.get(rest);
    if (person !== null) return `person:${person.id}`;
  } else if (kind === "group") {
    const group = await groups.byName(rest);
    if (group !== null) return `group:${group.name.toLowerCase()}`;
  }
  throw invalidValue("owner", "person: with an id or e-mail address, or group: with the name of a group");
}

function urlIn(given: string): string {
  const url = URL.parse(given);
  const isHttp = url?.protocol === "https:" || url?.protocol === "http:";
  if (url === null || !isHttp || url.username !== "") {
    throw invalidValue("url", "an http or https address without a user name");
  }
  return url.href;
}
