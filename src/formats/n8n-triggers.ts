import { digestOf } from "../kernel/canonical-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { ProposedTrigger } from "../model/triggers.ts";
import { slug } from "./format.ts";
import { quote } from "./http/collector.ts";
import type { Losses } from "./http/sequence.ts";
import { formPageOf, type Lose } from "./n8n-forms.ts";
import { listAt, objectAt, textAt } from "./reading.ts";

/** A node of n8n that starts a workflow. */
interface TriggerNode {
  readonly node: JsonObject;
  readonly kind: string;
  readonly name: string;
  readonly pointer: string;
  /** The name of the input that a field of a form became. */
  readonly inputOf: (word: string) => string;
}

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
  { node, kind, name, pointer, inputOf }: TriggerNode,
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
  const address =
    textAt(parameters, "path") ||
    textAt(objectAt(parameters, "options"), "path") ||
    textAt(parameters, "formTitle");
  const isPublic = ["", "none"].includes(textAt(parameters, "authentication"));
  if (!isPublic) lose(`The sign-in of the form ${quote(name)}.`, "Its page is for signed-in people here.");
  return [
    {
      kind: "form",
      name: title,
      // Addresses are taken by the first: another workflow may have a form of this name.
      slug: `${slug(address || name, 50)}-${digestOf(workflow).slice(-6)}`,
      access: isPublic ? "public" : "signed-in",
      ...formPageOf(parameters, inputOf, lose),
    },
  ];
}

/** Options of a webhook that need no setting here, or that the losses of the node name already. */
const READ_OPTIONS = new Set(["path", "rawBody", "binaryData"]);
/** Parameters of the answer, and what they are when nothing was chosen. */
const ANSWERS: Readonly<Record<string, Json>> = { responseCode: 200, responseData: "firstEntryJson" };

function webhookOf(parameters: JsonObject, name: string, lose: Lose): Partial<ProposedTrigger> {
  const listed = listAt(parameters, "httpMethod").filter((method) => typeof method === "string");
  const method = listed.length > 0 ? listed.join(", ") : textAt(parameters, "httpMethod") || "GET";
  if (method !== "POST")
    lose(
      `That ${quote(name)} is called with ${method}.`,
      "A webhook is called with POST here; what stood in its query is a member of the body.",
    );
  const path = textAt(parameters, "path");
  const proof = textAt(parameters, "authentication") || "none";
  lose(
    `The address of ${quote(name)} (${path.slice(0, 80)}), and how its sender proves who it is (${proof}).`,
    "It gets an address and a secret token of its own; give them to the sender, or choose another verifier.",
  );
  if (path.includes(":"))
    lose(`The values in the address of ${quote(name)}.`, "An address has none here; send them in the body.");
  const mode = textAt(parameters, "responseMode");
  const waits = ["lastNode", "responseNode"].includes(mode);
  if (mode === "streaming")
    lose(`That ${quote(name)} streams its answer.`, "It answers with the id of the run.");
  for (const [answer, usual] of Object.entries(ANSWERS))
    if ((parameters[answer] ?? usual) !== usual)
      lose(
        `The ${quote(answer)} of ${quote(name)} (${JSON.stringify(parameters[answer]).slice(0, 80)}).`,
        "The answer has the outputs of the run, or its id.",
      );
  for (const option of Object.keys(objectAt(parameters, "options")).filter((one) => !READ_OPTIONS.has(one)))
    lose(`The option ${quote(option)} of ${quote(name)}.`, "A webhook has no such setting here.");
  return { verifier: "token", ...(waits && { waitSeconds: LONGEST_WAIT }) };
}

function timesOf(kind: string, parameters: JsonObject, lose: Lose): readonly When[] {
  const rules = rulesOf(kind, parameters).filter((rule) => {
    const isComputed = Object.values(rule).some((value) => typeof value === "string" && value.includes("{{"));
    if (isComputed) lose("A rule of the schedule that is computed.", "Set it in the trigger.");
    return !isComputed;
  });
  return rules
    .map((rule) =>
      kind === "scheduleTrigger" ? scheduleTime(rule, lose) : cronTime(rule, kind === "interval"),
    )
    .filter(({ cron }) => cron !== "");
}

function rulesOf(kind: string, parameters: JsonObject): readonly JsonObject[] {
  if (kind === "interval") return [parameters];
  if (kind === "cron") return listAt(objectAt(parameters, "triggerTimes"), "item").filter(isJsonObject);
  const rules = listAt(objectAt(parameters, "rule"), "interval").filter(isJsonObject);
  // A trigger without a rule is every day at midnight, as in n8n.
  return rules.length === 0 ? [{}] : rules;
}

/** A time of the old cron node, or of the interval node. */
function cronTime(time: JsonObject, isInterval: boolean): When {
  if (isInterval) {
    const unit = UNIT_SECONDS[textAt(time, "unit") || "seconds"] ?? 1;
    return { everySeconds: Math.max(1, whole(time, "interval", 1) * unit) };
  }
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
      return { cron: textAt(time, "cronExpression").replace(/^=/, "").trim() };
    default:
      return { cron: `${at} * * *` };
  }
}

/** A rule of the schedule trigger. */
function scheduleTime(rule: JsonObject, lose: Lose): When {
  const field = textAt(rule, "field") || "days";
  if (field === "cronExpression") return { cron: textAt(rule, "expression").replace(/^=/, "").trim() };
  const every = whole(rule, `${field}Interval`, field === "seconds" ? 30 : field === "minutes" ? 5 : 1);
  const minute = whole(rule, "triggerAtMinute", 0);
  const at = `${minute} ${whole(rule, "triggerAtHour", 0)}`;
  if (field === "seconds" || field === "minutes")
    return { everySeconds: Math.max(1, every) * (UNIT_SECONDS[field] ?? 1) };
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
  const isEveryDay = Array.isArray(rule["triggerAtDay"]) && days.length === 0;
  return { cron: `${at} * * ${isEveryDay ? "*" : days.join(",") || 0}` };
}

function whole(given: JsonObject, name: string, otherwise: number): number {
  const value = Number(given[name] ?? otherwise);
  return Number.isInteger(value) && value >= 0 ? value : otherwise;
}
