import type { DemoSuite, DemoStep } from "@workflow-ui/client";
import { useMutation } from "@tanstack/react-query";
import { CircleCheck, CircleDashed, CircleX, KeyRound, Play, Radar, Timer } from "lucide-react";
import { textAt } from "../../lib/read.ts";
import { toast, track } from "../../shell/notices.ts";
import { Load } from "../../shell/states.tsx";
import { Badge, StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { ButtonFor } from "../../ui/button-for.tsx";
import { DataView } from "../../ui/data-view.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { call, useOperation } from "../../api/operations.ts";

/** The six-step flow across the suite as a live board. */
export function DemoPage() {
  const declared = useOperation("get_demo_flow", {});
  const go = useMutation({
    mutationFn: (what: "probe" | "run") =>
      track(what === "probe" ? "Probe the demo suite" : "Run the demo suite", (signal) =>
        what === "probe"
          ? call("get_demo_flow", { mode: "live" }, { signal })
          : call("run_demo_flow", {}, { signal }),
      ),
    onError: (error, what) =>
      toast("bad", what === "probe" ? "Probing failed" : "It was not run", error.message),
  });
  const busy = go.isPending ? go.variables : "";
  return (
    <Page
      title="Demo suite"
      lead="Six steps through the whole suite. Declared until probed; nothing is called done that its owner did not confirm."
      actions={
        <>
          <Button busy={busy === "probe"} disabled={busy !== ""} onClick={() => go.mutate("probe")}>
            <Radar /> Probe public steps
          </Button>
          <ButtonFor
            op="run_demo_flow"
            look="primary"
            busy={busy === "run"}
            disabled={busy !== ""}
            onClick={() => go.mutate("run")}
          >
            <Play /> Run all six
          </ButtonFor>
        </>
      }
    >
      <Load query={declared}>{(first) => <Board data={go.data ?? first} />}</Load>
    </Page>
  );
}

function Board({ data }: { readonly data: DemoSuite }) {
  const { flow: steps } = data;
  const states = Map.groupBy(steps, stateOf);
  return (
    <div className="space-y-6">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={data.mode === "declared" ? "neutral" : "info"}>{data.mode}</Badge>
        {Array.from(states, ([state, those]) => (
          <StateBadge key={state} state={state} count={those.length} />
        ))}
      </div>
      <ol className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
        {steps.map((step) => (
          <Step key={step.id} step={step} />
        ))}
      </ol>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Panel title="For the operator">
          <ol className="list-decimal space-y-1.5 pl-5">
            {data.operatorScript.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ol>
          <p className="mt-3 text-sm text-ink-2">{data.handoffPolicy}</p>
        </Panel>
        {data.automations.map((automation) => (
          <Panel
            key={automation.id}
            title={automation.title}
            actions={<StateBadge state={automation.status} />}
          >
            <ol className="space-y-1.5">
              {automation.steps.map((step) => (
                <li key={step.order} className="flex flex-wrap items-center gap-2">
                  <span className="w-5 text-ink-3 tabular-nums">{step.order}</span>
                  <span className="min-w-0 flex-1 basis-40">{step.action}</span>
                  <StateBadge state={step.status} />
                </li>
              ))}
            </ol>
            <p className="mt-3 text-sm text-ink-2">{automation.nextAction}</p>
          </Panel>
        ))}
      </div>
    </div>
  );
}

/** The one thing that is true of a step: what its owner confirmed or a probe found, else what the document declares. */
function stateOf({ evidence, probeStatus, status }: DemoStep): string {
  if (evidence["configured"] === false) return "not_configured";
  if (evidence["verified"] === true) return "verified";
  if (probeStatus === "timeout") return "timed_out";
  if (probeStatus === "fail") return "failed";
  return status === "ready" ? "declared" : status;
}

function Step({ step }: { readonly step: DemoStep }) {
  const { probeStatus: probe } = step;
  const icons: Readonly<Record<string, React.ReactNode>> = {
    pass: <CircleCheck className="text-good" />,
    fail: <CircleX className="text-bad" />,
    timeout: <Timer className="text-bad" />,
  };
  const { resultRef: result } = step.handoff;
  return (
    <li className="panel flex min-w-0 flex-col p-4">
      <div className="flex items-start gap-3 [&>svg]:mt-0.5 [&>svg]:size-5 [&>svg]:shrink-0">
        <span className="grid size-7 shrink-0 place-items-center rounded-full bg-accent-soft text-sm font-semibold text-accent-ink">
          {step.order}
        </span>
        <div className="min-w-0 flex-1">
          <h2 className="font-semibold">{step.title}</h2>
          <p className="text-sm text-ink-2">{step.purpose}</p>
        </div>
        {icons[probe] ?? <CircleDashed className="text-ink-3" />}
      </div>
      <p className="mt-3 truncate font-mono text-xs text-ink-3" title={step.endpoint}>
        {step.method} {step.endpoint}
      </p>
      <div className="mt-3 flex flex-wrap gap-1.5">
        <StateBadge state={stateOf(step)} />
        {step.protectedAction ? (
          <Badge tone="accent">
            <KeyRound aria-hidden /> protected
          </Badge>
        ) : null}
      </div>
      {step.evidence["configured"] === false ? (
        <p className="mt-2 text-sm text-ink-2">
          {textAt(step.evidence, "reason")} {textAt(step.evidence, "nextAction")}
        </p>
      ) : null}
      {result === null ? null : <p className="mt-2 font-mono text-xs break-all text-good">{result}</p>}
      <details className="mt-3 text-sm">
        <summary className="text-ink-2">Input, output and evidence</summary>
        <div
          className="mt-2 max-h-80 scroll-y"
          tabIndex={0}
          role="group"
          aria-label={`Details of step ${String(step.order)}`}
        >
          <DataView
            value={{
              input: step.inputPreview,
              output: step.outputPreview,
              evidence: step.evidence,
              next: step.nextAction,
            }}
          />
        </div>
      </details>
    </li>
  );
}
