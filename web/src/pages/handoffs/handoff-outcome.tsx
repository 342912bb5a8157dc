import type { JsonObject, Handoff } from "@workflow-ui/client";
import { CircleAlert, CircleCheck, Clock, Eye } from "lucide-react";
import type { ReactNode } from "react";
import { duration, fullTime } from "../../lib/format.ts";
import { textAt, numberAt } from "../../lib/read.ts";
import { DataView } from "../../ui/data-view.tsx";

interface Outcome {
  readonly look: string;
  readonly icon: ReactNode;
  readonly text: string;
}

/** What is known of a handoff, or of one that was not made. */
type Shown = Partial<Omit<Handoff, "status">> & { readonly status?: string };

/** The state of a handoff, who reported it, and what was seen: never more than the record holds. */
export function HandoffOutcome({
  record,
  reason = "",
}: {
  readonly record: Shown;
  readonly reason?: string;
}) {
  const evidence = record.evidence ?? {};
  const outcome = tell(record, reason);
  const http = numberAt(evidence, "httpStatus");
  const ms = numberAt(evidence, "durationMs");
  const attempts = record.attempts ?? numberAt(evidence, "attempts");
  const seen = textAt(evidence, "observedAt");
  const { resultRef: result, confirmation } = record;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Result", result ? <Reference key="ref" value={result} /> : "none confirmed"],
    [
      "Confirmed by",
      confirmation?.received === true ? (confirmation.source ?? "the target") : "not confirmed",
    ],
    [
      "Request",
      textAt(evidence, "url") === "" ? "not asked yet" : <SentRequest key="asked" evidence={evidence} />,
    ],
    ["Answer", http === null ? "none" : `HTTP ${http}${ms === null ? "" : ` in ${duration(ms)}`}`],
    ["Attempts", attempts === null ? "none" : String(attempts)],
    ["Seen", seen === "" ? "–" : fullTime(seen)],
  ];
  return (
    <div className="space-y-3">
      <p
        role="status"
        className={`flex items-start gap-2 rounded-lg px-3 py-2 font-medium [&>svg]:mt-0.5 [&>svg]:size-4 [&>svg]:shrink-0 ${outcome.look}`}
      >
        {outcome.icon} <span className="min-w-0 break-words">{outcome.text}</span>
      </p>
      {record.dryRun === true ? null : (
        <>
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
            {facts.map(([label, value]) => (
              <div key={label} className="contents">
                <dt className="text-ink-2">{label}</dt>
                <dd className="min-w-0 break-words">{value}</dd>
              </div>
            ))}
          </dl>
          {Object.keys(evidence).length === 0 ? null : (
            <details className="text-sm">
              <summary className="text-ink-2">All the evidence</summary>
              <div className="mt-2">
                <DataView value={evidence} />
              </div>
            </details>
          )}
        </>
      )}
    </div>
  );
}

function SentRequest({ evidence }: { readonly evidence: JsonObject }) {
  return (
    <code className="font-mono text-sm break-all">
      {textAt(evidence, "method")} {textAt(evidence, "url")}
    </code>
  );
}

function Reference({ value }: { readonly value: string }) {
  if (!/^https?:\/\//.test(value)) return <code className="font-mono text-sm break-all">{value}</code>;
  return (
    <a
      href={value}
      target="_blank"
      rel="noreferrer noopener"
      className="font-mono text-sm break-all text-accent-ink underline"
    >
      {value}
    </a>
  );
}

function tell(record: Shown, reason: string): Outcome {
  const { status = "unknown", peer = "the target" } = record;
  const good = { look: "bg-good-soft text-good", icon: <CircleCheck aria-hidden /> };
  const wait = { look: "bg-info-soft text-info", icon: <Clock aria-hidden /> };
  const bad = { look: "bg-warn-soft text-warn", icon: <CircleAlert aria-hidden /> };
  if (status === "preview_ready" || record.dryRun === true)
    return { ...wait, icon: <Eye aria-hidden />, text: "A preview. Nothing was sent." };
  if (status === "completed") return { ...good, text: `Completed: ${peer} confirmed the result.` };
  if (status === "accepted")
    return { ...wait, text: `Accepted by ${peer}. It is done when a result is confirmed.` };
  if (status === "degraded" || status === "failed" || status === "rejected")
    return { ...bad, text: `Not done. ${reason}`.trim() };
  return { ...wait, text: `${status.replaceAll("_", " ")}${reason === "" ? "" : `: ${reason}`}` };
}
