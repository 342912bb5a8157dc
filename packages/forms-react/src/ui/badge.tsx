import type { ReactNode } from "react";
import { cx } from "./cx.ts";

/** What a colour may mean here. */
type Tone = "neutral" | "good" | "warn" | "bad" | "info" | "accent";

const TONES: Record<Tone, string> = {
  neutral: "bg-hover text-ink-2",
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  info: "bg-info-soft text-info",
  accent: "bg-accent-soft text-accent-ink",
};

interface Props {
  readonly tone?: Tone;
  readonly dot?: boolean;
  readonly title?: string;
  readonly children: ReactNode;
}

/** A short status word. */
export function Badge({ tone = "neutral", dot = false, title, children }: Props) {
  return (
    <span
      title={title}
      className={cx(
        "inline-flex h-5 shrink-0 items-center gap-1.5 rounded-full px-2 text-2xs font-medium whitespace-nowrap [&_svg]:size-3",
        TONES[tone],
      )}
    >
      {dot ? <span aria-hidden className="size-1.5 rounded-full bg-current" /> : null}
      {children}
    </span>
  );
}

/** Amber is for what needs a person's attention: what waits, was paused or is not set up is neutral. */
const STATE_TONES: Readonly<Record<string, Tone>> = {
  succeeded: "good",
  approved: "good",
  accepted: "good",
  completed: "good",
  published: "good",
  ready: "good",
  active: "good",
  started: "good",
  missed: "warn",
  configured: "good",
  pass: "good",
  ok: "good",
  healthy: "good",
  reachable: "good",
  syncing: "warn",
  verified: "good",
  added: "good",
  changed: "warn",
  removed: "bad",
  running: "info",
  queued: "info",
  sending: "info",
  preview_ready: "info",
  degraded: "warn",
  outcome_unknown: "warn",
  not_sent: "warn",
  quarantined: "warn",
  failed: "bad",
  failing: "bad",
  fail: "bad",
  timed_out: "bad",
  timeout: "bad",
  rejected: "bad",
  changes_requested: "warn",
  unavailable: "bad",
};

/** States whose own name says too little. */
const STATE_WORDS: Readonly<Record<string, string>> = {
  outcome_unknown: "outcome not known",
  backoff: "waiting to retry",
  pending: "waiting",
  unconfigured: "not set up",
  not_configured: "not set up",
  syncing: "not stored completely",
};

/** A state as the service names it, in words. */
function stateWords(state: string): string {
  return STATE_WORDS[state] ?? state.replaceAll("_", " ");
}

/** A state as the service names it, in words and in the colour of what it means. */
export function StateBadge({
  state,
  count,
}: {
  readonly state: string;
  /** How many are in that state. */
  readonly count?: number;
}) {
  return (
    <Badge tone={STATE_TONES[state] ?? "neutral"} dot>
      {count === undefined ? null : `${count} `}
      {stateWords(state)}
    </Badge>
  );
}
