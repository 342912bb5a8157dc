import { digestOf } from "../../../src/kernel/canonical-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../src/kernel/json.ts";
import { Refusal } from "../http.ts";
import { contentId, objectsOf, subjectOf, textOf } from "../parts.ts";
import { showRoute } from "../show.ts";
import type { SiblingDefinition } from "../sibling.ts";

interface Criterion {
  readonly id: string;
  readonly weight: number;
  readonly description: string;
  /** From 0 to 1. */
  readonly score: (subject: JsonObject) => number;
}

/** Scores a workflow or an artifact against a rubric: its own, or the default one for its kind. */
export const evals: SiblingDefinition = {
  name: "evals",
  handoffPath: "/api/evals/send-handoff",
  routes: (context) => [
    showRoute(context, {
      path: "/api/evals/scorecards",
      prefix: "scorecard",
      isProtected: true,
      as: "scorecard",
    }),
  ],
  async work(packet, context) {
    const payload = packet.payload ?? {};
    const subject = subjectOf(payload);
    if (Object.keys(subject).length === 0)
      throw new Refusal(422, "invalid_input", "There is nothing to score.");
    const rubric = rubricFor(payload, subject);
    const criteria = rubric.map(({ id, weight, description, score }) => ({
      id,
      weight,
      description,
      score: round(Math.min(1, Math.max(0, score(subject)))),
    }));
    const weights = criteria.reduce((sum, { weight }) => sum + weight, 0);
    const score = round(criteria.reduce((sum, part) => sum + part.score * part.weight, 0) / weights);
    const scorecard = {
      id: contentId("scorecard", packet.id),
      subjectDigest: digestOf(subject),
      score,
      passed: score >= 0.6,
      criteria,
    };
    await context.results.put(scorecard.id, scorecard);
    return { status: "completed", resultRef: scorecard.id, result: { scorecard } };
  },
};

function rubricFor(payload: JsonObject, subject: JsonObject): readonly Criterion[] {
  const own = objectsOf(subject["rubric"] ?? payload["rubric"]).flatMap(customCriterion);
  if (own.length > 0) return own;
  return documentOf(subject) === null ? ARTIFACT_RUBRIC : WORKFLOW_RUBRIC;
}

/** A criterion of the sender's: text that must be there, a part that must be there, or a length. */
function customCriterion(given: JsonObject): readonly Criterion[] {
  const id = textOf(given, "id");
  const weight = typeof given["weight"] === "number" && given["weight"] > 0 ? given["weight"] : 1;
  const { contains, has, minLength } = given;
  const part = textOf(given, "in", "description");
  const score = (subject: JsonObject): number => {
    if (typeof contains === "string") return JSON.stringify(subject).includes(contains) ? 1 : 0;
    if (typeof has === "string") return subject[has] === undefined ? 0 : 1;
    return typeof minLength === "number" && minLength > 0 ? textOf(subject, part).length / minLength : 0;
  };
  return id === "" ? [] : [{ id, weight, description: textOf(given, "description", id), score }];
}

const ARTIFACT_RUBRIC: readonly Criterion[] = [
  {
    id: "titled",
    weight: 1,
    description: "It has a title.",
    score: (s) => (textOf(s, "title") === "" ? 0 : 1),
  },
  {
    id: "described",
    weight: 2,
    description: "It says what it is for in 40 characters or more.",
    score: (s) => textOf(s, "description").length / 40,
  },
  {
    id: "typed-fields",
    weight: 2,
    description: "Every field of its schema has a type.",
    score: (s) => shareOfFields(s, (field) => field["type"] !== undefined || field["enum"] !== undefined),
  },
  {
    id: "required-declared",
    weight: 1,
    description: "Its schema says which fields are required.",
    score: (s) => (isJsonObject(s["schema"]) && Array.isArray(s["schema"]["required"]) ? 1 : 0),
  },
  {
    id: "closed",
    weight: 1,
    description: "Its schema takes no unknown fields.",
    score: (s) => (isJsonObject(s["schema"]) && s["schema"]["additionalProperties"] === false ? 1 : 0),
  },
];

const WORKFLOW_RUBRIC: readonly Criterion[] = [
  { id: "named", weight: 1, description: "It has a name.", score: (s) => (textOf(s, "name") === "" ? 0 : 1) },
  {
    id: "described",
    weight: 1,
    description: "It says what it is for in 40 characters or more.",
    score: (s) => textOf(s, "description").length / 40,
  },
  {
    id: "has-steps",
    weight: 2,
    description: "It has at least one step.",
    score: (s) => (nodesOf(s).length > 0 ? 1 : 0),
  },
  {
    id: "unique-ids",
    weight: 2,
    description: "No two steps share an id.",
    score: (s) => (new Set(nodesOf(s).map(({ id }) => id)).size === nodesOf(s).length ? 1 : 0),
  },
  {
    id: "connected",
    weight: 2,
    description: "Every edge joins two of its steps.",
    score(s) {
      const ids = new Set<Json | undefined>(nodesOf(s).map(({ id }) => id));
      const edges = objectsOf(documentOf(s)?.["edges"]);
      const good = edges.filter((e) => ids.has(e["from"] ?? e["source"]) && ids.has(e["to"] ?? e["target"]));
      return edges.length === 0 ? 1 : good.length / edges.length;
    },
  },
  {
    id: "people-in-the-loop",
    weight: 1,
    description: "A person approves something, or nothing in it needs approval.",
    score(s) {
      const types = nodesOf(s).map(({ type }) => type);
      return types.includes("approval") || !types.includes("handoff") ? 1 : 0;
    },
  },
];

function documentOf(subject: JsonObject): JsonObject | null {
  const document = isJsonObject(subject["document"]) ? subject["document"] : subject;
  return Array.isArray(document["nodes"]) ? document : null;
}

function nodesOf(subject: JsonObject): readonly JsonObject[] {
  return objectsOf(documentOf(subject)?.["nodes"]);
}

function shareOfFields(subject: JsonObject, isGood: (field: JsonObject) => boolean): number {
  const schema = subject["schema"];
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  const fields = isJsonObject(properties) ? Object.values(properties).filter(isJsonObject) : [];
  return fields.length === 0 ? 0 : fields.filter(isGood).length / fields.length;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
