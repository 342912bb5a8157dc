import { digestOf } from "../kernel/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { ProposedTrigger } from "../model/triggers.ts";
import { slug } from "./format.ts";
import { quote } from "./http/collector.ts";
import type { Losses } from "./http/sequence.ts";
import { listAt, objectAt, textAt } from "./reading.ts";

/** A node of n8n that starts a workflow. */
interface TriggerNode {
  readonly node: JsonObject;
  readonly kind: string;
  readonly name: string;
  readonly pointer: string;
}

type Lose = (what: string, why: string) => void;
type When = Pick<ProposedTrigger, "cron" | "everySeconds">;

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  seconds: 1,
  minutes: 60,
  hours: 3_600,
  days: 86_400,
};
/** The longest that a webhook waits for its run. */
const LONGEST_WAIT = 30;

/** The triggers that a node of n8n becomes; none for a node that only people start. What has no counterpart is named. */
export function triggersOf(
  { node, kind, name, pointer }: TriggerNode,
  workflow: JsonObject,
  losses: Losses,
): readonly ProposedTrigger[] {
  const parameters = objectAt(node, "parameters");
  const lose: Lose = (what, why) => losses.lose({ pointer, what, why });
  if (node["disabled"] === true) {
    lose(`The switched-off trigger ${quote(name)}.`, "It starts nothing.");
    return [];
  }
  const title = name.slice(0, 200);
  if (kind === "scheduleTrigger" || kind === "cron" || kind === "interval") {
    const zone = textAt(objectAt(workflow, "settings"), "timezone");
    const timeZone = zone === "" || zone === "DEFAULT" ? {} : { timeZone: zone };
    return timesOf(kind, parameters, lose).map((when) => ({
      kind: "schedule",
      name: title,
      ...when,
      ...(when.cron !== undefined && timeZone),
    }));
  }
  if (kind === "webhook") return [{ kind: "webhook", name: title, ...webhookOf(parameters, name, lose) }];
  if (kind !== "formTrigger") return [];
  const heading = textAt(parameters, "formTitle");
  const text = textAt(parameters, "formDescription");
  const address = textAt(parameters, "path") || textAt(objectAt(parameters, "options"), "path") || heading;
  if (!["", "none"].includes(textAt(parameters, "authentication")))
    lose(`The sign-in of the form ${quote(name)}.`, "Its page is for signed-in people here.");
  return [
    {
      kind: "form",
      name: title,
      // Addresses are taken by the first: another workflow may have a form of this name.
      slug: `${slug(address || name, 50)}-${digestOf(workflow).slice(-6)}`,
      access: ["", "none"].includes(textAt(parameters, "authentication")) ? "public" : "signed-in",
      ...(heading !== "" && { title: heading.slice(0, 200) }),
      ...(text !== "" && { text: text.slice(0, 4_000) }),
    },
  ];
}

function webhookOf(parameters: JsonObject, name: string, lose: Lose): Partial<ProposedTrigger> {
  const method = textAt(parameters, "httpMethod") || "GET";
  if (method !== "POST")
    lose(`That ${quote(name)} is called with ${method}.`, "A webhook is called with POST here.");
  const proof = textAt(parameters, "authentication") || "none";
  lose(
    `The address of ${quote(name)}, and how its sender proves who it is (${proof}).`,
    "It gets an address and a secret token of its own; give them to the sender, or choose another verifier.",
  );
  const waits = ["lastNode", "responseNode"].includes(textAt(parameters, "responseMode"));
  return { verifier: "token", ...(waits && { waitSeconds: LONGEST_WAIT }) };
}

function timesOf(kind: string, parameters: JsonObject, lose: Lose): readonly When[] {
  if (kind === "interval") {
    const unit = UNIT_SECONDS[textAt(parameters, "unit") || "seconds"] ?? 1;
    return [{ everySeconds: whole(parameters, "interval", 1) * unit }];
  }
  if (kind === "cron")
    return listAt(objectAt(parameters, "triggerTimes"), "item").filter(isJsonObject).map(cronTime);
  const rules = listAt(objectAt(parameters, "rule"), "interval").filter(isJsonObject);
  // A rule without a field is every day at midnight, as in n8n.
  return (rules.length === 0 ? [{}] : rules).map((rule) => scheduleTime(rule, lose));
}

/** A time of the old cron node. */
function cronTime(time: JsonObject): When {
  const minute = whole(time, "minute", 0);
  const at = `${minute} ${whole(time, "hour", 14)}`;
  switch (textAt(time, "mode")) {
    case "everyMinute":
      return { cron: "* * * * *" };
    case "everyHour":
      return { cron: `${minute} * * * *` };
    case "everyX":
      return {
        everySeconds: whole(time, "value", 2) * (UNIT_SECONDS[textAt(time, "unit") || "hours"] ?? 3_600),
      };
    case "everyWeek":
      return { cron: `${at} * * ${whole(time, "weekday", 1)}` };
    case "everyMonth":
      return { cron: `${at} ${whole(time, "dayOfMonth", 1)} * *` };
    case "custom":
      return { cron: textAt(time, "cronExpression") };
    default:
      return { cron: `${at} * * *` };
  }
}

/** A rule of the schedule trigger. */
function scheduleTime(rule: JsonObject, lose: Lose): When {
  const field = textAt(rule, "field") || "days";
  if (field === "cronExpression") return { cron: textAt(rule, "expression").replace(/^=/, "") };
  const every = whole(rule, `${field}Interval`, field === "seconds" ? 30 : field === "minutes" ? 5 : 1);
  const minute = whole(rule, "triggerAtMinute", 0);
  const at = `${minute} ${whole(rule, "triggerAtHour", 0)}`;
  if (field === "seconds" || field === "minutes") return { everySeconds: every * (UNIT_SECONDS[field] ?? 1) };
  if (field === "hours") return { cron: every === 1 ? `${minute} * * * *` : `${minute} */${every} * * *` };
  if (field === "days" && every === 1) return { cron: `${at} * * *` };
  if (every > 1)
    lose(
      `That a schedule counts every ${every} ${field} from its own beginning.`,
      "A cron expression counts from the beginning of the month or year.",
    );
  if (field === "days") return { cron: `${at} */${every} * *` };
  if (field === "months")
    return { cron: `${at} ${whole(rule, "triggerAtDayOfMonth", 1)} ${every === 1 ? "*" : `*/${every}`} *` };
  const days = listAt(rule, "triggerAtDay").filter((day) => typeof day === "number");
  return { cron: `${at} * * ${days.length === 0 ? 0 : days.join(",")}` };
}

function whole(given: JsonObject, name: string, otherwise: number): number {
  const value = Number(given[name] ?? otherwise);
  return Number.isInteger(value) && value >= 0 ? value : otherwise;
}
