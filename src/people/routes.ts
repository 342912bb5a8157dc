import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { requireScope, SCOPES } from "../ports/caller.ts";
import { pageOfQuery, type HttpRoute } from "../ports/http.ts";
import { ROLES, type PersonRecord } from "../ports/people.ts";
import { BodyReader } from "./input.ts";
import { changeView, personView, type Link, type People } from "./people.ts";
import { ROLE_TABLE, roleAllows } from "./roles.ts";

const PEOPLE = "/api/svc/people";
const text: JsonObject = { type: "string" };
const role: JsonObject = { type: "string", enum: [...ROLES] };

/** The paths with which an admin manages people. */
export function peopleRoutes(people: People): readonly HttpRoute[] {
  return [
    {
      method: "GET",
      path: "/api/svc/roles",
      summary: "The roles of people with the scopes that each holds.",
      access: "public",
      handle: () => ({
        status: 200,
        body: ok({
          roles: ROLES.map((name) => ({
            name,
            about: ROLE_TABLE[name].about,
            scopes: SCOPES.filter((scope) => roleAllows(name, scope)),
          })),
        }),
      }),
    },
    {
      method: "GET",
      path: PEOPLE,
      summary: "People, newest first (limit, cursor).",
      access: "key",
      async handle({ query, context }) {
        requireScope(context.caller, "admin");
        const page = await people.list(pageOfQuery(query));
        return {
          status: 200,
          body: ok({ people: page.items.map(personView), nextCursor: page.nextCursor }),
        };
      },
    },
    {
      method: "GET",
      path: `${PEOPLE}/names`,
      summary:
        "The names and roles of people who can be named in an approval, without addresses (limit, cursor).",
      access: "key",
      async handle({ query, context }) {
        requireScope(context.caller, "read-private");
        const page = await people.list(pageOfQuery(query));
        const named = page.items.filter(({ state }) => state !== "disabled").map(nameView);
        return { status: 200, body: ok({ people: named, nextCursor: page.nextCursor }) };
      },
    },
    {
      method: "POST",
      path: PEOPLE,
      summary: "Invites a person {email, name, role}; the answer shows the link this once.",
      access: "key",
      status: 201,
      body: {
        type: "object",
        required: ["email", "role"],
        properties: { email: text, name: text, role },
      },
      async handle({ body: given, context: { caller } }) {
        requireScope(caller, "admin");
        const body = new BodyReader(given, ["email", "name", "role"]);
        const email = body.email();
        const name = body.personName(true) ?? email;
        const wanted = body.role();
        body.done();
        const { person, link } = await people.invite({ email, name, role: wanted }, caller);
        return { status: 201, body: ok({ person: personView(person), invitation: linkView(link) }) };
      },
    },
    {
      method: "GET",
      path: `${PEOPLE}/{id}`,
      summary: "One person.",
      access: "key",
      async handle({ params, context }) {
        requireScope(context.caller, "admin");
        return { status: 200, body: ok({ person: personView(await people.get(params["id"] ?? "")) }) };
      },
    },
    {
      method: "PATCH",
      path: `${PEOPLE}/{id}`,
      summary:
        "Changes a person's name or role, or disables and enables the person (state); says what ended and what goes on.",
      access: "key",
      body: {
        type: "object",
        minProperties: 1,
        properties: { name: text, role, state: { type: "string", enum: ["active", "disabled"] } },
      },
      async handle({ params, body: given, context: { caller } }) {
        requireScope(caller, "admin");
        const body = new BodyReader(given, ["name", "role", "state"]);
        const changes = {
          name: body.personName(true),
          role: body.role(true),
          state: body.oneOf("state", ["active", "disabled"]),
        };
        body.done();
        if (Object.values(changes).every((value) => value === undefined)) {
          throw new AppError("invalid_input", "Name what to change: name, role or state.");
        }
        const changed = await people.change(params["id"] ?? "", changes, caller);
        return { status: 200, body: ok(changeView(changed)) };
      },
    },
    {
      method: "POST",
      path: `${PEOPLE}/{id}/link`,
      summary: "Makes a new one-time link: to join, or to set a new password. Shown this once.",
      access: "key",
      status: 201,
      bodyOptional: true,
      async handle({ params, context: { caller } }) {
        requireScope(caller, "admin");
        const { person, link, kind } = await people.newLink(params["id"] ?? "", caller);
        return { status: 201, body: ok({ person: personView(person), invitation: linkView(link), kind }) };
      },
    },
    {
      method: "POST",
      path: `${PEOPLE}/{id}/sign-out`,
      summary: "Ends every session of a person.",
      access: "key",
      bodyOptional: true,
      async handle({ params, context: { caller } }) {
        requireScope(caller, "admin");
        return { status: 200, body: ok({ ended: await people.signOut(params["id"] ?? "", caller) }) };
      },
    },
  ];
}

/** What everybody who works here may know of a person. */
function nameView({ id, name, role, state }: PersonRecord): JsonObject {
  return { id, name, role, state };
}

function linkView({ url, expiresAt }: Link): JsonObject {
  return { url, expiresAt };
}
