import { setTimeout as wait } from "node:timers/promises";
import { AppError } from "../kernel/errors.ts";
import { isList, isParsedObject, type JsonObject } from "../kernel/json.ts";
import type { EntryPoint } from "../ports/definitions.ts";
import { modernMembers } from "./lists.ts";
import { badParam, type IdentifiedCall } from "./method.ts";
import { taskMembers } from "./tasks.ts";
import { capabilitiesOf, knowsTasks, lacking, TASKS } from "./tool-calls.ts";

/** The method of a stream that stays open. */
export const LISTEN = "subscriptions/listen";
const LOOK_MS = 1_000;
const MOST_TASKS = 50;
const MOST_STREAMS = 32;
/** After this number of polls the credential is checked again, so that a revoked or expired one ends the stream. */
const RECHECK_EVERY = 15;
const ID_KEY = "io.modelcontextprotocol/subscriptionId";

/** Bounds the streams of one caller. */
export function createListen(entry: EntryPoint): (call: IdentifiedCall) => Promise<string> {
  const open = new Map<string, number>();
  return async (call) => {
    const { id } = call.context.caller;
    const count = open.get(id) ?? 0;
    if (count >= MOST_STREAMS)
      throw new AppError("rate_limited", `A caller may hold ${MOST_STREAMS} streams open; close one first.`, {
        retryAfterSeconds: 10,
      });
    open.set(id, count + 1);
    try {
      return await listen(entry, call);
    } finally {
      const left = (open.get(id) ?? 1) - 1;
      if (left > 0) open.set(id, left);
      else open.delete(id);
    }
  };
}

/** Tells a client of its tasks and of changed lists until it goes away. */
async function listen(entry: EntryPoint, call: IdentifiedCall): Promise<string> {
  const { params, notify, context, id } = call;
  const { notifications = null } = params;
  if (!isParsedObject(notifications)) throw badParam("/notifications", "an object", notifications);
  const asked = notifications["taskIds"] ?? null;
  if (asked !== null && !knowsTasks(capabilitiesOf(call))) throw lacking({ extensions: { [TASKS]: {} } });
  if (notify === null)
    throw new AppError("invalid_request", `${LISTEN} answers with a stream.`, {
      nextAction: "Send Accept: application/json, text/event-stream.",
    });
  const given = isList(asked) ? asked.filter((one) => typeof one === "string").slice(0, MOST_TASKS) : [];
  const tasks = new Map<string, string>();
  for (const taskId of given) {
    const found = await read(entry, taskId, call);
    if (found !== null) tasks.set(taskId, found);
  }
  const listsTools = notifications["toolsListChanged"] === true && entry.toolsVersion !== undefined;
  const meta = { [ID_KEY]: id };
  notify("notifications/subscriptions/acknowledged", {
    _meta: meta,
    notifications: {
      ...(asked !== null && { taskIds: [...tasks.keys()] }),
      ...(listsTools && { toolsListChanged: true }),
    },
  });
  const tell = (members: string): void => notify("notifications/tasks", { ...parsed(members), _meta: meta });
  for (const members of tasks.values()) tell(members);
  let version = listsTools ? await entry.toolsVersion?.(context) : undefined;
  for (let look = 1; !context.signal.aborted; look++) {
    await wait(LOOK_MS, undefined, { signal: context.signal }).catch(() => undefined);
    if (context.signal.aborted || (look % RECHECK_EVERY === 0 && !(await call.isKnown()))) break;
    for (const [taskId, before] of tasks) {
      const now = await read(entry, taskId, call);
      if (now === null) tasks.delete(taskId);
      else if (now !== before) {
        tasks.set(taskId, now);
        tell(now);
      }
    }
    const current = listsTools ? await entry.toolsVersion?.(context) : undefined;
    if (current !== version) notify("notifications/tools/list_changed", { _meta: meta });
    version = current;
  }
  return `{${modernMembers().replace('"_meta":{', `"_meta":{${JSON.stringify(meta).slice(1, -1)},`)}}`;
}

/** A task as it is; null when it does not exist for the caller. */
async function read(entry: EntryPoint, id: string, call: IdentifiedCall): Promise<string | null> {
  try {
    return await taskMembers(entry, id, call);
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return null;
    throw error;
  }
}

function parsed(members: string): JsonObject {
  return JSON.parse(`{${members}}`);
}
