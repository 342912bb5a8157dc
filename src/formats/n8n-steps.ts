import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { quote, type HttpCollector } from "./http/collector.ts";
import { referenceTo, type Placeholder } from "./http/placeholders.ts";
import type { Losses } from "./http/sequence.ts";
import { conditionOf, conditionText } from "./n8n-conditions.ts";
import { n8nCall } from "./n8n-http.ts";
import { readFormFields } from "./n8n-forms.ts";
import type { N8nScope, N8nValues } from "./n8n-values.ts";
import { listAt, objectAt, textAt } from "./reading.ts";

/** What becomes of a node. */
export interface N8nStep {
  /** The step; null when the node leaves only its links. */
  readonly node: JsonObject | null;
  /** Where its data is for the steps after it; null means it passes on what it got. */
  readonly data: Placeholder | null;
  /** The port of each output. */
  readonly ports: readonly string[];
}

interface Tools {
  readonly values: N8nValues;
  readonly collector: HttpCollector;
  readonly losses: Losses;
}

const UNITS: Readonly<Record<string, number>> = {
  seconds: 1_000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};
const SUCCESS = ["success", "error"] as const;
const PASSES: N8nStep = { node: null, data: null, ports: [] };
/** Where a trigger's data is: the inputs of the run. */
const INPUTS: Placeholder = { root: "inputs", id: "", path: [] };

/** The kind of a node without the package that it comes from. */
export function kindOf(node: JsonObject): string {
  return textAt(node, "type").split(".").at(-1) ?? "";
}

/** Makes a step of a node. Everything about it that has no counterpart is named. */
export function stepOf(node: JsonObject, id: string, scope: N8nScope, tools: Tools): N8nStep {
  const { losses } = tools;
  const kind = kindOf(node);
  if (kind === "stickyNote") {
    const text = textAt(objectAt(node, "parameters"), "content");
    losses.lose({
      pointer: scope.pointer,
      what: `The note ${quote(text.slice(0, 60))}.`,
      why: "Notes are not imported.",
    });
    return PASSES;
  }
  if (/trigger$/i.test(kind) || ["webhook", "start", "cron", "interval", "emailReadImap"].includes(kind))
    return trigger(node, kind, scope, tools);
  if (node["disabled"] === true) {
    losses.lose({
      pointer: scope.pointer,
      what: `The switched-off node ${quote(scope.node)}.`,
      why: "What comes before it leads to what comes after it.",
    });
    return PASSES;
  }
  return activeStep(node, kind, id, scope, tools);
}

function activeStep(node: JsonObject, kind: string, id: string, scope: N8nScope, tools: Tools): N8nStep {
  const { values, collector, losses } = tools;
  const parameters = objectAt(node, "parameters");
  const lose = (what: string, why: string): void => losses.lose({ pointer: scope.pointer, what, why });
  const here: Placeholder = { root: "steps", id, path: [] };
  const made = (step: JsonObject, path: readonly string[] = []): N8nStep => ({
    node: step,
    data: { ...here, path },
    ports: SUCCESS,
  });
  const passOn = (): Json => (scope.before === null ? {} : referenceTo(scope.before));
  switch (kind) {
    case "httpRequest": {
      const step = collector.step(n8nCall(node, values, scope, losses));
      if (step === null) {
        lose(
          `The address of ${quote(scope.node)}.`,
          "It is missing or computed; choose a connected tool in the editor.",
        );
        return made({ type: "transform", value: passOn() });
      }
      const timeout = objectAt(parameters, "options")["timeout"];
      return made(
        {
          type: "tool",
          tool: step.tool,
          with: step.with,
          ...(typeof timeout === "number" &&
            timeout >= 1 && { timeoutMs: Math.min(86_400_000, Math.round(timeout)) }),
        },
        ["data", "body"],
      );
    }
    case "if":
    case "filter": {
      const when = caseOf(objectAt(parameters, "conditions"), parameters, scope, tools);
      const name = kind === "if" ? "yes" : "keep";
      return {
        node: { type: "switch", cases: [{ name, when }] },
        data: null,
        ports: [`case:${name}`, "default"],
      };
    }
    case "switch":
      return switchOf(parameters, scope, tools);
    case "set":
      return made({ type: "transform", value: assigned(parameters, scope, tools) });
    case "merge":
      if (textAt(parameters, "mode") !== "append" && textAt(parameters, "mode") !== "")
        lose(
          `How ${quote(scope.node)} merges (${textAt(parameters, "mode")}).`,
          "It gives the data of the first branch; write an expression for more.",
        );
      return made({ type: "transform", value: passOn() });
    case "wait":
      return waitOf(parameters, scope, tools);
    case "noOp":
      return PASSES;
    case "splitInBatches":
      lose(
        `That ${quote(scope.node)} repeats steps for each item.`,
        "They run once; put them into a map step to repeat them.",
      );
      return { node: null, data: null, ports: [] };
    case "executeWorkflow": {
      const workflow = parameters["workflowId"];
      const workflowId = isJsonObject(workflow)
        ? textAt(workflow, "value")
        : textAt(parameters, "workflowId");
      lose(`The workflow that ${quote(scope.node)} runs.`, "Import and publish it too, and choose it here.");
      return made({ type: "subworkflow", subworkflow: { workflowId: workflowId || "unknown" }, with: {} });
    }
    case "respondToWebhook":
      return made({ type: "transform", value: values.json(parameters["responseBody"], scope) ?? passOn() });
    case "stopAndError":
      lose(
        `That ${quote(scope.node)} ends the run as failed.`,
        "There is no such step; a rejected approval or a failed call ends a run.",
      );
      return made({
        type: "transform",
        value: { error: values.value(parameters["errorMessage"] ?? "", scope) },
      });
    case "code":
    case "function":
    case "functionItem":
      lose(
        `The code of ${quote(scope.node)}.`,
        "Code is not run; the step passes on what it gets. Write its result as expressions.",
      );
      return made({ type: "transform", value: passOn() });
    default:
      return otherNode(node, kind, scope, tools, made);
  }
}

/** Nodes that wait for a person become approvals; nodes of apps become handoffs, as operations of other formats do. */
function otherNode(
  node: JsonObject,
  kind: string,
  scope: N8nScope,
  { values, collector, losses }: Tools,
  made: (step: JsonObject, path?: readonly string[]) => N8nStep,
): N8nStep {
  const parameters = objectAt(node, "parameters");
  if (textAt(parameters, "operation") === "sendAndWait") {
    losses.lose({
      pointer: scope.pointer,
      what: `That ${quote(scope.node)} asks in ${kind}.`,
      why: "The question is asked on the approvals page.",
    });
    const question = values.value(parameters["message"] ?? parameters["subject"] ?? scope.node, scope);
    return {
      node: { type: "approval", approval: { title: question } },
      data: null,
      ports: ["approved", "error"],
    };
  }
  losses.lose({
    pointer: scope.pointer,
    what: `What ${quote(scope.node)} does (${textAt(node, "type").slice(0, 80)}).`,
    why: "There is no such step. It is handed to the sandbox; connect the app's API or MCP server and choose its tool instead.",
  });
  const payload = collector.withoutSecrets(values.object(parameters, scope), `${scope.pointer}/parameters`);
  return made(
    {
      type: "handoff",
      handoff: { target: "sandbox", capability: "execute", payload: { node: kind, parameters: payload } },
    },
    ["data", "data"],
  );
}

function trigger(node: JsonObject, kind: string, scope: N8nScope, { collector, losses }: Tools): N8nStep {
  const parameters = objectAt(node, "parameters");
  if (kind === "formTrigger") {
    readFormFields(parameters, collector, (what, why) => losses.lose({ pointer: scope.pointer, what, why }));
    return { node: null, data: INPUTS, ports: [] };
  }
  const isKept = ["scheduleTrigger", "cron", "interval", "webhook"].includes(kind);
  if (!isKept && !["manualTrigger", "start", "executeWorkflowTrigger"].includes(kind))
    losses.lose({
      pointer: scope.pointer,
      what: `That ${quote(scope.node)} (${kind}) starts the workflow.`,
      why: "There is no such trigger here; what it would bring is asked for as inputs.",
    });
  return { node: null, data: INPUTS, ports: [] };
}

/** A condition as CEL; one without an equivalent becomes an input of the run. */
function caseOf(conditions: JsonObject, parameters: JsonObject, scope: N8nScope, { values }: Tools): string {
  const when = conditionOf(conditions, parameters, values, scope);
  if (when !== null) return when;
  const asked = values.asked(conditionText(conditions, parameters) || "condition", scope, {
    type: "boolean",
  });
  return `inputs.${asked.id} == true`;
}

function switchOf(parameters: JsonObject, scope: N8nScope, tools: Tools): N8nStep {
  const rules = objectAt(parameters, "rules");
  const listed = [...listAt(rules, "values"), ...listAt(rules, "rules")].filter(isJsonObject).slice(0, 90);
  if (listed.length === 0) {
    tools.losses.lose({
      pointer: scope.pointer,
      what: `How ${quote(scope.node)} chooses an output.`,
      why: "It is computed by an expression; write the cases in the editor.",
    });
    return {
      node: { type: "switch", cases: [{ name: "first", when: "true" }] },
      data: null,
      ports: ["case:first"],
    };
  }
  const ports: string[] = [];
  const cases = listed.map((rule, index) => {
    const word = textAt(rule, "outputKey")
      .replaceAll(/[^A-Za-z0-9_-]/g, "_")
      .slice(0, 40);
    const name = word === "" || ports.includes(`case:${word}`) ? `case_${index + 1}` : word;
    const output = typeof rule["output"] === "number" && rule["output"] < 100 ? rule["output"] : index;
    ports[output] = `case:${name}`;
    const legacy = {
      [textAt(parameters, "dataType") || "number"]: [
        {
          value1: parameters["value1"] ?? null,
          value2: rule["value2"] ?? null,
          operation: textAt(rule, "operation") || "equal",
        },
      ],
    };
    const conditions = rule["conditions"] === undefined ? legacy : objectAt(rule, "conditions");
    return { name, when: caseOf(conditions, {}, scope, tools) };
  });
  const fallback = objectAt(parameters, "options")["fallbackOutput"] ?? parameters["fallbackOutput"];
  if (fallback === "extra") ports[listed.length] = "default";
  else if (typeof fallback === "number" && fallback >= 0 && fallback < 100) ports[fallback] ??= "default";
  return {
    node: { type: "switch", cases },
    data: null,
    ports: Array.from(ports, (port) => port ?? "default"),
  };
}

function assigned(parameters: JsonObject, scope: N8nScope, { values, losses }: Tools): Json {
  if (textAt(parameters, "mode") === "raw") return values.json(parameters["jsonOutput"], scope) ?? {};
  const result: Record<string, Json> = {};
  for (const item of listAt(objectAt(parameters, "assignments"), "assignments").filter(isJsonObject))
    result[textAt(item, "name")] = typed(item["value"], textAt(item, "type"), scope, values);
  for (const [type, list] of Object.entries(objectAt(parameters, "values")))
    for (const item of Array.isArray(list) ? list.filter(isJsonObject) : [])
      result[textAt(item, "name")] = typed(item["value"], type, scope, values);
  for (const item of listAt(objectAt(parameters, "fields"), "values").filter(isJsonObject))
    result[textAt(item, "name")] = values.value(
      item["stringValue"] ?? item["numberValue"] ?? item["booleanValue"] ?? item["objectValue"] ?? null,
      scope,
    );
  const keepsOthers =
    parameters["includeOtherFields"] === true ||
    (parameters["assignments"] === undefined &&
      parameters["fields"] === undefined &&
      parameters["keepOnlySet"] !== true);
  if (keepsOthers)
    losses.lose({
      pointer: scope.pointer,
      what: `That ${quote(scope.node)} keeps the other fields.`,
      why: "It gives only the fields it sets; refer to the step before it for the others.",
    });
  return result;
}

function typed(value: Json | undefined, type: string, scope: N8nScope, values: N8nValues): Json {
  if ((type === "object" || type === "array") && typeof value === "string")
    return values.json(value, scope) ?? values.value(value, scope);
  if (type === "number" && typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value)) return Number(value);
  if (type === "boolean" && (value === "true" || value === "false")) return value === "true";
  return values.value(value, scope);
}

function waitOf(parameters: JsonObject, scope: N8nScope, { values, losses }: Tools): N8nStep {
  const resume = textAt(parameters, "resume") || "timeInterval";
  if (resume === "specificTime")
    return {
      node: { type: "wait", wait: { until: values.value(parameters["dateTime"], scope) } },
      data: null,
      ports: SUCCESS,
    };
  if (resume !== "timeInterval") {
    losses.lose({
      pointer: scope.pointer,
      what: `That ${quote(scope.node)} waits for a ${resume}.`,
      why: "A person approves on the approvals page instead.",
    });
    return {
      node: { type: "approval", approval: { title: scope.node } },
      data: null,
      ports: ["approved", "error"],
    };
  }
  const amount = Number(parameters["amount"] ?? 1);
  const unit = UNITS[textAt(parameters, "unit") || "hours"] ?? 3_600_000;
  const ms = Number.isFinite(amount)
    ? Math.min(366 * 86_400_000, Math.max(1, Math.round(amount * unit)))
    : unit;
  if (!Number.isFinite(amount))
    losses.lose({
      pointer: scope.pointer,
      what: `How long ${quote(scope.node)} waits.`,
      why: "It is computed; set the time in the editor.",
    });
  return { node: { type: "wait", wait: { ms } }, data: null, ports: SUCCESS };
}
