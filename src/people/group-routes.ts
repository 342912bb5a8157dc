import { ok } from "../kernel/envelope.ts";
import type { JsonObject } from "../kernel/json.ts";
import { requireScope } from "../ports/caller.ts";
import { pageOfQuery, type HttpAnswer, type HttpRoute } from "../ports/http.ts";
import { groupView, type Groups, type GroupWithMembers } from "./groups.ts";
import { BodyReader } from "./input.ts";

const GROUPS = "/api/svc/groups";
const text: JsonObject = { type: "string" };

/** The paths with which an admin manages groups, and others see them. */
export function groupRoutes(groups: Groups): readonly HttpRoute[] {
  return [
    {
      method: "GET",
      path: GROUPS,
      summary: "Groups of people with their members, newest first (limit, cursor).",
      access: "key",
      async handle({ query, context }) {
        requireScope(context.caller, "read-private");
        const page = await groups.list(pageOfQuery(query));
        return { status: 200, body: ok({ groups: page.items.map(groupView), nextCursor: page.nextCursor }) };
      },
    },
    {
      method: "POST",
      path: GROUPS,
      summary: "Makes a group {name, members?}; members are ids of people.",
      access: "key",
      status: 201,
      body: {
        type: "object",
        required: ["name"],
        properties: { name: text, members: { type: "array", items: text, maxItems: 100 } },
      },
      async handle({ body: given, context: { caller } }) {
        requireScope(caller, "admin");
        const body = new BodyReader(given, ["name", "members"]);
        const name = body.groupName();
        const members = body.texts("members", 100);
        body.done();
        return shown(201, await groups.create(name, members, caller));
      },
    },
    {
      method: "GET",
      path: `${GROUPS}/{id}`,
      summary: "One group with its members.",
      access: "key",
      async handle({ params, context }) {
        requireScope(context.caller, "read-private");
        return shown(200, await groups.get(params["id"] ?? ""));
      },
    },
    {
      method: "PATCH",
      path: `${GROUPS}/{id}`,
      summary: "Renames a group {name}.",
      access: "key",
      body: { type: "object", required: ["name"], properties: { name: text } },
      async handle({ params, body: given, context: { caller } }) {
        requireScope(caller, "admin");
        const body = new BodyReader(given, ["name"]);
        const name = body.groupName();
        body.done();
        return shown(200, await groups.rename(params["id"] ?? "", name, caller));
      },
    },
    {
      method: "DELETE",
      path: `${GROUPS}/{id}`,
      summary: "Deletes a group; the people in it stay.",
      access: "key",
      async handle({ params, context: { caller } }) {
        requireScope(caller, "admin");
        const { id, name } = await groups.remove(params["id"] ?? "", caller);
        return { status: 200, body: ok({ deleted: { id, name } }) };
      },
    },
    {
      method: "POST",
      path: `${GROUPS}/{id}/members`,
      summary: "Adds a person {personId} to a group; adding again changes nothing.",
      access: "key",
      body: { type: "object", required: ["personId"], properties: { personId: text } },
      async handle({ params, body: given, context: { caller } }) {
        requireScope(caller, "admin");
        const body = new BodyReader(given, ["personId"]);
        const personId = body.typed("personId");
        body.done();
        return shown(200, await groups.addMember(params["id"] ?? "", personId, caller));
      },
    },
    {
      method: "DELETE",
      path: `${GROUPS}/{id}/members/{personId}`,
      summary: "Takes a person out of a group.",
      access: "key",
      async handle({ params, context: { caller } }) {
        requireScope(caller, "admin");
        return shown(200, await groups.removeMember(params["id"] ?? "", params["personId"] ?? "", caller));
      },
    },
  ];
}

function shown(status: number, group: GroupWithMembers): HttpAnswer {
  return { status, body: ok({ group: groupView(group) }) };
}
