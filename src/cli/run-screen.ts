import process from "node:process";
import type { RunDetail, Step } from "../../packages/client/client.ts";
import { stepHasEnded } from "../model/states.ts";
import type { Output } from "./output.ts";
import { cut, oneLine, padded, styleOfState, type Style } from "./terminal-text.ts";

/** Shows how far a run is. */
export interface RunScreen {
  draw(run: RunDetail, total: number): void;
  /** Leaves the last picture standing. */
  end(): void;
}

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
      for (const { id, status: state, finishedAt, startedAt, error } of inOrder(run)) {
        if (known.get(id) === state || state === "pending") continue;
        known.set(id, state);
        say(finishedAt ?? startedAt ?? "", id, state, error?.message);
      }
      for (const { stepId, items, succeeded, failed, shown } of run.maps ?? []) {
        const counts = `${succeeded} of ${items} items done${failed > 0 ? `, ${failed} failed` : ""}`;
        if (items === shown || known.get(`${stepId}[]`) === counts) continue;
        known.set(`${stepId}[]`, counts);
        say("", stepId, counts);
      }
      const { id, status, finishedAt, startedAt, createdAt, error } = run;
      if (known.get("") === status) return;
      known.set("", status);
      say(finishedAt ?? startedAt ?? createdAt, id, status, error?.message);
    },
    end() {},
  };
}

/** A picture that is drawn again in place: a bar, and the state of every step. */
export function createPicture(output: Output): RunScreen {
  let height = 0;
  let latest: { readonly run: RunDetail; readonly total: number } | null = null;
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

function pictureLines(output: Output, run: RunDetail, total: number, spinner: string): readonly string[] {
  const columns = (process.stdout.columns || 80) - 1;
  const rows = Math.max(5, (process.stdout.rows || 24) - 5);
  const steps = inOrder(run);
  const done = steps.filter((step) => stepHasEnded(step.status)).length;
  const count = Math.max(total, steps.length, 1);
  const { status } = run;
  const filled = status === "succeeded" ? BAR : Math.min(BAR, Math.round((done / count) * BAR));
  const bar = `${"█".repeat(filled)}${"░".repeat(BAR - filled)}`;
  const tint = (style: Style | null, line: string): string =>
    style === null ? line : output.paint(style, line);
  const heading = `${tint(styleOfState(status), bar)} ${done}/${count}  ${tint(styleOfState(status), status)}  ${elapsed(run)}  ${oneLine(run.id)}`;
  const begun = steps.filter((step) => step.status !== "pending");
  const shown = begun.slice(-rows);
  const width = Math.max(0, ...shown.map((step) => Math.min(32, step.id.length)));
  const lines = shown.map((step) => {
    const state = step.status;
    const mark = MARKS[state] ?? spinner;
    const again = step.attempt > 1 ? `  attempt ${step.attempt}` : "";
    const error = oneLine(step.error?.message ?? "");
    const rest = `${padded(cut(oneLine(step.id), 32), width)}  ${state}${again}${error === "" ? "" : `  ${error}`}`;
    return tint(styleOfState(state), cut(`  ${mark} ${rest}`, columns));
  });
  const hidden = begun.length - shown.length;
  const waits = (run.approvals ?? []).filter((approval) => approval.status === "pending");
  return [
    heading,
    ...(hidden > 0 ? [output.paint("dim", `  … ${hidden} earlier steps`)] : []),
    ...lines,
    ...waits.map((approval) =>
      output.paint("yellow", cut(`  Waits for a person: suitectl approvals approve ${approval.id}`, columns)),
    ),
  ];
}

/** Steps in the order in which they happened. */
function inOrder({ steps }: RunDetail): readonly Step[] {
  const at = ({ startedAt, finishedAt }: Step): string => startedAt ?? finishedAt ?? "~";
  return steps.toSorted((a, b) => (at(a) < at(b) ? -1 : at(a) > at(b) ? 1 : 0));
}

function elapsed({ startedAt, createdAt, finishedAt }: RunDetail): string {
  const began = Date.parse(startedAt ?? createdAt);
  const ended = finishedAt === null ? Date.now() : Date.parse(finishedAt);
  const seconds = Math.max(0, Math.floor((ended - began) / 1_000));
  return Number.isNaN(seconds)
    ? ""
    : `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
}
