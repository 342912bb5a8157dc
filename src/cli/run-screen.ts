import process from "node:process";
import type { JsonObject } from "../kernel/json.ts";
import { object, objects, text } from "./answers.ts";
import type { Output } from "./output.ts";
import { cut, oneLine, padded, styleOfState, type Style } from "./terminal-text.ts";

/** Shows how far a run is. */
export interface RunScreen {
  draw(run: JsonObject, total: number): void;
  /** Leaves the last picture standing. */
  end(): void;
}

const DONE = new Set(["succeeded", "failed", "skipped", "cancelled"]);
const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const MARKS: Readonly<Record<string, string>> = {
  succeeded: "✓",
  failed: "✗",
  skipped: "–",
  cancelled: "–",
  waiting: "‖",
  backoff: "↻",
  outcome_unknown: "?",
};
const TICK_MS = 100;
const BAR = 24;

/** One line for every change: for logs and pipes. */
export function createLines(output: Output): RunScreen {
  const known = new Map<string, string>();
  const say = (time: string, what: string, state: string, more = ""): void =>
    output.write(
      `${[time, what, state, more]
        .filter((part) => part !== "")
        .map(oneLine)
        .join("\t")}\n`,
    );
  return {
    draw(run) {
      for (const step of inOrder(run)) {
        const [id, state] = [text(step["id"]), text(step["status"])];
        if (known.get(id) === state || state === "pending") continue;
        known.set(id, state);
        const error = object(step["error"]);
        say(text(step["finishedAt"]) || text(step["startedAt"]), id, state, text(error["message"]));
      }
      const status = text(run["status"]);
      if (known.get("") === status) return;
      known.set("", status);
      say(
        text(run["finishedAt"]) || text(run["startedAt"]) || text(run["createdAt"]),
        text(run["id"]),
        status,
        text(object(run["error"])["message"]),
      );
    },
    end() {},
  };
}

/** A picture that is drawn again in place: a bar, and the state of every step. */
export function createPicture(output: Output): RunScreen {
  let height = 0;
  let latest: { readonly run: JsonObject; readonly total: number } | null = null;
  let tick = 0;
  let drawn = "";
  const timer = setInterval(() => paint(), TICK_MS);
  process.stdout.write("\u001b[?25l");
  const showCursor = (): boolean => process.stdout.write("\u001b[?25h");
  process.once("exit", showCursor);

  function paint(): void {
    if (latest === null) return;
    tick += 1;
    const lines = pictureLines(output, latest.run, latest.total, SPINNER[tick % SPINNER.length] ?? "·");
    // What has not changed is not written again: a terminal over a slow line stays calm.
    if (lines.join("\n") === drawn) return;
    drawn = lines.join("\n");
    const up = height > 0 ? `\u001b[${height}A` : "";
    process.stdout.write(`${up}${lines.map((line) => `\r\u001b[K${line}\n`).join("")}\u001b[J`);
    height = lines.length;
  }

  return {
    draw(run, total) {
      latest = { run, total };
      paint();
    },
    end() {
      if (latest === null) return;
      clearInterval(timer);
      paint();
      latest = null;
      process.off("exit", showCursor);
      showCursor();
    },
  };
}

function pictureLines(output: Output, run: JsonObject, total: number, spinner: string): readonly string[] {
  const columns = (process.stdout.columns || 80) - 1;
  const rows = Math.max(5, (process.stdout.rows || 24) - 5);
  const steps = inOrder(run);
  const done = steps.filter((step) => DONE.has(text(step["status"]))).length;
  const count = Math.max(total, steps.length, 1);
  const status = text(run["status"]);
  const filled = status === "succeeded" ? BAR : Math.min(BAR, Math.round((done / count) * BAR));
  const bar = `${"█".repeat(filled)}${"░".repeat(BAR - filled)}`;
  const tint = (style: Style | null, line: string): string =>
    style === null ? line : output.paint(style, line);
  const heading = `${tint(styleOfState(status), bar)} ${done}/${count}  ${tint(styleOfState(status), status)}  ${elapsed(run)}  ${oneLine(text(run["id"]))}`;
  const begun = steps.filter((step) => text(step["status"]) !== "pending");
  const shown = begun.slice(-rows);
  const width = Math.max(0, ...shown.map((step) => Math.min(32, text(step["id"]).length)));
  const lines = shown.map((step) => {
    const state = text(step["status"]);
    const mark = MARKS[state] ?? spinner;
    const again =
      typeof step["attempt"] === "number" && step["attempt"] > 1 ? `  try ${step["attempt"]}` : "";
    const error = oneLine(text(object(step["error"])["message"]));
    const rest = `${padded(cut(oneLine(text(step["id"])), 32), width)}  ${state}${again}${error === "" ? "" : `  ${error}`}`;
    return tint(styleOfState(state), cut(`  ${mark} ${rest}`, columns));
  });
  const hidden = begun.length - shown.length;
  const waits = objects(run["approvals"]).filter((approval) => approval["status"] === "pending");
  return [
    heading,
    ...(hidden > 0 ? [output.paint("dim", `  … ${hidden} earlier steps`)] : []),
    ...lines,
    ...waits.map((approval) =>
      output.paint(
        "yellow",
        cut(`  Waits for a person: suitectl approvals approve ${text(approval["id"])}`, columns),
      ),
    ),
  ];
}

/** Steps in the order in which they happened. */
function inOrder(run: JsonObject): readonly JsonObject[] {
  const at = (step: JsonObject): string => text(step["startedAt"]) || text(step["finishedAt"]) || "~";
  return objects(run["steps"]).toSorted((a, b) => (at(a) < at(b) ? -1 : at(a) > at(b) ? 1 : 0));
}

function elapsed(run: JsonObject): string {
  const began = Date.parse(text(run["startedAt"]) || text(run["createdAt"]));
  const ended = text(run["finishedAt"]) === "" ? Date.now() : Date.parse(text(run["finishedAt"]));
  const seconds = Math.max(0, Math.floor((ended - began) / 1_000));
  return Number.isNaN(seconds)
    ? ""
    : `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
}
