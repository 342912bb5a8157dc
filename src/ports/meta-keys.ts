import { pointerSegment } from "../kernel/paths.ts";
import { AppError, type Problem } from "../kernel/errors.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { VERDICTS } from "../model/states.ts";

/*
 * The extras of a call that have no place in a tool's parameters. Keys of other namespaces belong to the client and
 * pass; a key that is meant for us and misspelt would be ignored, so it is a problem.
 */

interface MetaKey {
  readonly expected: string;
  fits(value: unknown): boolean;
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isCount = (value: unknown): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 1;
const TEXT: MetaKey = { expected: "a string that is not empty", fits: isText };
const COUNT: MetaKey = { expected: "a whole number of at least 1", fits: isCount };
const OBJECT: MetaKey = { expected: "an object", fits: isObject };

/** Every key of `_meta` that this service reads. */
const META_KEYS: Readonly<Record<string, MetaKey>> = {
  "svc/content": { expected: '"structured"', fits: (value) => value === "structured" },
  "svc/cursor": { expected: "the `nextCursor` of the page before", fits: isText },
  "svc/decisions": {
    expected: 'an object of step ids, each "approved", "rejected" or "changes_requested"',
    fits: areDecisions,
  },
  "svc/document": OBJECT,
  "svc/durable": { expected: "true", fits: (value) => value === true },
  "svc/entry": { expected: '"agent"', fits: (value) => value === "agent" },
  "svc/expectedRevision": COUNT,
  "svc/idempotencyKey": TEXT,
  "svc/limit": {
    expected: "a whole number from 1 to 100",
    fits: (value) => isCount(value) && Number(value) <= 100,
  },
  "svc/operations": { expected: '"all"', fits: (value) => value === "all" },
  "svc/runId": TEXT,
  "svc/samples": { expected: "an object of step ids, each with the output to use", fits: isObject },
  "svc/shownDigest": TEXT,
  "svc/stepId": TEXT,
  "svc/until": { expected: "the id of a step", fits: isText },
  "svc/values": { expected: "an object", fits: (value) => value === null || isObject(value) },
  "svc/version": COUNT,
};

const NAMESPACE = "svc/";
const KNOWN = Object.keys(META_KEYS);

function areDecisions(value: unknown): boolean {
  return (
    isObject(value) && Object.values(value).every((item) => VERDICTS.some((verdict) => verdict === item))
  );
}

/** Keys that say in which run a call is made. Only the engine knows that. */
const OF_RUNS: readonly string[] = ["svc/runId", "svc/stepId"];

/** The run whose step makes a call; null for a call from outside. */
export function runOfCall(meta: JsonObject): string | null {
  const runId = meta["svc/runId"];
  return typeof runId === "string" ? runId : null;
}

/** The extras that came with a request; throws when they claim to be part of a run. */
export function metaFromOutside(meta: JsonObject): JsonObject {
  const claimed = OF_RUNS.filter((key) => Object.hasOwn(meta, key));
  if (claimed.length === 0) return meta;
  throw new AppError("invalid_params", `\`_meta["${claimed[0]}"]\` is set by runs only.`, {
    problems: claimed.map((key) => ({
      pointer: pointerOf(key),
      message: "Only a run says that a call is a step of it.",
      fix: "Remove it.",
    })),
  });
}

/** What is wrong with the keys of `_meta` that are, or were meant to be, ours. */
export function metaProblems(meta: JsonObject): readonly Problem[] {
  const problems: Problem[] = [];
  for (const key of Object.keys(meta)) {
    const known = Object.hasOwn(META_KEYS, key) ? META_KEYS[key] : undefined;
    if (known === undefined) {
      const meant = meantFor(key);
      if (meant !== null) problems.push(unknownKey(key, meant));
    } else if (!known.fits(meta[key])) {
      problems.push({
        pointer: pointerOf(key),
        message: `\`_meta["${key}"]\` must be ${known.expected}.`,
        expected: known.expected,
        given: typeof meta[key],
        fix: `Give ${known.expected}.`,
      });
    }
  }
  return problems;
}

/** The known keys that a key was probably meant as; null when it belongs to others. */
function meantFor(key: string): readonly string[] | null {
  if (key.startsWith(NAMESPACE)) return nearestNames(key, KNOWN);
  const [, space = "", name = ""] = /^(?:(.{1,5})[/:.])?([A-Za-z_-]{1,40})$/.exec(key) ?? [];
  if (space !== "" && nearestNames(space.toLowerCase(), ["svc"]).length === 0) return null;
  const bare = name.toLowerCase().replaceAll(/[_-]/g, "");
  const same = KNOWN.filter((known) => known.slice(NAMESPACE.length).toLowerCase() === bare);
  return same.length === 0 ? null : same;
}

function unknownKey(key: string, meant: readonly string[]): Problem {
  const shown = key.slice(0, 100);
  return {
    pointer: pointerOf(shown),
    message: `\`_meta["${shown}"]\` means nothing here.`,
    expected: `one of ${KNOWN.join(", ")}, or a key of another namespace`,
    given: shown,
    fix: meant.length === 0 ? "Remove it." : `Rename it to ${meant.map((name) => `"${name}"`).join(" or ")}.`,
  };
}

function pointerOf(key: string): string {
  return `/_meta/${pointerSegment(key)}`;
}
