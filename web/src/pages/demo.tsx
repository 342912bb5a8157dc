import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleDashed, CircleX, KeyRound, Play, Radar, Timer } from "lucide-react";
import { useState } from "react";
import { getJson, rest } from "../api/rpc.ts";
import { at, bagAt, bagsAt, flagAt, numberAt, textAt, textsAt, type Bag } from "../lib/read.ts";
import { toast, track } from "../shell/notices.ts";
import { Load } from "../shell/states.tsx";
import { Badge, StateBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { DataView } from "../ui/data-view.tsx";
import { Page, Panel } from "../ui/page.tsx";

/** The six-step flow across the suite as a live board. */
export function DemoPage() {
  const declared = useQuery({
    queryKey: ["demo"],
    queryFn: ({ signal }) => getJson("/api/svc/demo-suite", signal),
  });
  const [live, setLive] = useState<unknown>(null);
  const [busy, setBusy] = useState<"" | "probe" | "run">("");
  const go = async (what: "probe" | "run") => {
    setBusy(what);
    try {
      const answer = await track(what === "probe" ? "Probe the demo suite" : "Run the demo suite", (signal) =>
        what === "probe"
          ? getJson("/api/svc/demo-suite?mode=live", signal)
          : rest("/api/svc/demo-suite/run", { body: {}, signal }),
      );
      setLive(answer);
    } catch (error) {
      toast(
        "bad",
        what === "probe" ? "Probing failed" : "It was not run",
        error instanceof Error ? error.message : "",
      );
    } finally {
      setBusy("");
    }
  };
  return (
    <Page
      title="Demo suite"
      lead="Six steps through the whole suite. Declared until probed; nothing is called done that its owner did not confirm."
      actions={
        <>
          <Button busy={busy === "probe"} disabled={busy !== ""} onClick={() => void go("probe")}>
            <Radar /> Probe public steps
          </Button>
          <Button look="primary" busy={busy === "run"} disabled={busy !== ""} onClick={() => void go("run")}>
            <Play /> Run all six
          </Button>
        </>
      }
    >
      <Load query={declared}>{(first) => <Board data={bagAt(live ?? first, "data")} />}</Load>
    </Page>
  );
}

function Board({ data }: { readonly data: Bag }) {
  const steps = bagsAt(data, "flow").length > 0 ? bagsAt(data, "flow") : bagsAt(data, "steps");
  const summary = bagAt(data, "summary");
  const figures: readonly (readonly [string, number | null])[] = [
    ["passed", numberAt(summary, "probePass")],
    ["failed", numberAt(summary, "probeFail")],
    ["timed out", numberAt(summary, "probeTimeout")],
    ["wait for confirmation", numberAt(summary, "confirmationGatedHandoffs")],
    ["not configured", steps.filter((step) => at(step, "evidence", "configured") === false).length],
  ];
  return (
    <div className="space-y-6">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={textAt(data, "mode") === "declared" ? "neutral" : "info"}>
          {textAt(data, "mode", "declared")}
        </Badge>
        {figures.map(([label, value]) =>
          value === null || (value === 0 && textAt(data, "mode", "declared") === "declared") ? null : (
            <Badge key={label}>{`${value} ${label}`}</Badge>
          ),
        )}
      </div>
      <ol className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
        {steps.map((step) => (
          <Step key={textAt(step, "id")} step={step} />
        ))}
      </ol>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Panel title="For the operator">
          <ol className="list-decimal space-y-1.5 pl-5">
            {textsAt(data, "operatorScript").map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ol>
          <p className="mt-3 text-sm text-ink-2">{textAt(data, "handoffPolicy")}</p>
        </Panel>
        {bagsAt(data, "automations").map((automation) => (
          <Panel
            key={textAt(automation, "id")}
            title={textAt(automation, "title")}
            actions={<StateBadge state={textAt(automation, "status")} />}
          >
            <ol className="space-y-1.5">
              {bagsAt(automation, "steps").map((step) => (
                <li key={numberAt(step, "order")} className="flex flex-wrap items-center gap-2">
                  <span className="w-5 text-ink-3 tabular-nums">{numberAt(step, "order")}</span>
                  <span className="min-w-0 flex-1 basis-40">{textAt(step, "action")}</span>
                  <StateBadge state={textAt(step, "status")} />
                </li>
              ))}
            </ol>
            <p className="mt-3 text-sm text-ink-2">{textAt(automation, "nextAction")}</p>
          </Panel>
        ))}
      </div>
    </div>
  );
}

/** What is true of a step: the document only declares it ready, a probe finds it so, and some cannot be asked at all. */
function shownState(step: Bag, probe: string): string {
  if (at(step, "evidence", "configured") === false) return "not_configured";
  const declared = textAt(step, "status");
  if (declared !== "ready" || probe === "pass") return declared;
  return probe === "not_requested" ? "declared" : "degraded";
}

function Step({ step }: { readonly step: Bag }) {
  const probe = textAt(step, "probeStatus", "not_requested");
  const icons: Readonly<Record<string, React.ReactNode>> = {
    pass: <CircleCheck className="text-good" />,
    fail: <CircleX className="text-bad" />,
    timeout: <Timer className="text-bad" />,
  };
  const result = textAt(step, "resultRef", textAt(step, ["handoff", "resultRef"]));
  return (
    <li className="panel flex min-w-0 flex-col p-4">
      <div className="flex items-start gap-3 [&>svg]:mt-0.5 [&>svg]:size-5 [&>svg]:shrink-0">
        <span className="grid size-7 shrink-0 place-items-center rounded-full bg-accent-soft text-sm font-semibold text-accent-ink">
          {numberAt(step, "order")}
        </span>
        <div className="min-w-0 flex-1">
          <h2 className="font-semibold">{textAt(step, "title")}</h2>
          <p className="text-sm text-ink-2">{textAt(step, "purpose")}</p>
        </div>
        {icons[probe] ?? <CircleDashed className="text-ink-3" />}
      </div>
      <p className="mt-3 truncate font-mono text-xs text-ink-3" title={textAt(step, "endpoint")}>
        {textAt(step, "method")} {textAt(step, "endpoint")}
      </p>
      <div className="mt-3 flex flex-wrap gap-1.5">
        <StateBadge state={shownState(step, probe)} />
        {flagAt(step, "protectedAction") ? (
          <Badge tone="accent">
            <KeyRound aria-hidden /> protected
          </Badge>
        ) : null}
        <Badge title="What a probe found">{probe.replaceAll("_", " ")}</Badge>
        {flagAt(step, "evidence", "verified") ? (
          <Badge tone="good">verified</Badge>
        ) : (
          <Badge>not verified</Badge>
        )}
      </div>
      {at(step, "evidence", "configured") === false ? (
        <p className="mt-2 text-sm text-warn">
          {textAt(step, ["evidence", "reason"])} {textAt(step, ["evidence", "nextAction"])}
        </p>
      ) : null}
      {result === "" ? null : <p className="mt-2 font-mono text-xs break-all text-good">{result}</p>}
      <details className="mt-3 text-sm">
        <summary className="text-ink-2">Input, output and evidence</summary>
        <div
          className="mt-2 max-h-80 scroll-y"
          tabIndex={0}
          role="group"
          aria-label={`Details of step ${String(numberAt(step, "order"))}`}
        >
          <DataView
            value={{
              input: at(step, "inputPreview"),
              output: at(step, "outputPreview"),
              evidence: at(step, "evidence"),
              next: textAt(step, "nextAction"),
            }}
          />
        </div>
      </details>
    </li>
  );
}
